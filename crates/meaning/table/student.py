"""The table: a first solution in closed form, then training by gradient descent."""

import warnings
from copy import copy
from dataclasses import dataclass, field

import numpy as np
import torch
from torch.nn import functional as F

import sem2

WIDTH = 256
RIDGE = 0.03
# A token of this share of the text has half its weight: the smoothing usual for such sums.
SMOOTH = 1e-3

# The version of torch is pinned, so its remarks on unfinished parts are no concern.
warnings.filterwarnings("ignore", message="Sparse")


class Bags:
    """Texts as token numbers, ready to be summed in batches."""

    def __init__(self, tokens, texts, longest=64):
        tokenizer = sem2.tokenizer_of(tokens)
        unknown = len(tokens)
        encoded = tokenizer.encode_batch(texts, add_special_tokens=False)
        self.ids = [
            np.array([token for token in one.ids[:longest] if token != unknown], np.int64) for one in encoded
        ]

    def __len__(self):
        return len(self.ids)

    def first(self, count):
        """The bags of the first texts."""
        some = copy(self)
        some.ids = self.ids[:count]
        return some

    def pooled(self, rows, chosen=None, rng=None, drop=0.0):
        """The unit vectors of some texts; a share of the tokens is left out if asked."""
        bags = self.ids if chosen is None else [self.ids[at] for at in chosen]
        if drop:
            bags = [bag[rng.random(len(bag)) >= drop] if len(bag) > 3 else bag for bag in bags]
        starts = np.cumsum([0] + [len(bag) for bag in bags[:-1]])
        flat = torch.from_numpy(np.concatenate(bags))
        return F.normalize(F.embedding_bag(flat, rows, torch.from_numpy(starts), mode="sum"), dim=1)


def frequencies(bags, count):
    """The share of every token in the texts; none is nothing."""
    counts = np.bincount(np.concatenate(bags.ids), minlength=count) + 0.5
    return counts / counts.sum()


def _ridge(bags, targets, prior, rounds=20):
    """Token vectors whose mean gives the teacher's vectors: conjugate gradients.

    What is shrunk is the distance from the prior, so a token the texts do not have keeps its own. Returns the
    prior, brought to the targets' scale, and the solution.
    """
    rows = np.repeat(np.arange(len(bags)), [len(bag) for bag in bags.ids])
    columns = np.concatenate(bags.ids)
    lengths = np.array([max(len(bag), 1) for bag in bags.ids], np.float32)
    values = torch.from_numpy(1 / lengths[rows])
    shape = (len(bags), len(prior))
    means = torch.sparse_coo_tensor(np.stack([rows, columns]), values, shape).coalesce().to_sparse_csr()
    back = torch.sparse_coo_tensor(np.stack([columns, rows]), values, shape[::-1]).coalesce().to_sparse_csr()

    guess = means @ prior
    scale = (guess * targets).sum() / (guess**2).sum()
    change = torch.zeros_like(prior)
    residual = back @ (targets - scale * guess)
    direction, norm = residual.clone(), (residual**2).sum(0)
    for _ in range(rounds):
        image = back @ (means @ direction) + RIDGE * direction
        step = norm / (direction * image).sum(0).clamp_min(1e-12)
        change += step * direction
        residual -= step * image
        fresh = (residual**2).sum(0)
        direction = residual + fresh / norm.clamp_min(1e-12) * direction
        norm = fresh
    return scale * prior, scale * prior + change


def first_table(alone, share, bags, vectors):
    """The tokens read alone and the regression side by side, reduced to the table's width.

    `share` is each token's share of all text, `bags` are the texts of which `vectors` are the teacher's.
    """
    light = torch.from_numpy((SMOOTH / (SMOOTH + share)).astype(np.float32))[:, None]
    alone = torch.from_numpy(alone)
    alone = F.normalize(alone - alone.mean(0), dim=1) * light
    targets = torch.from_numpy(vectors.astype(np.float32))
    both = torch.cat(_ridge(bags, targets - targets.mean(0), alone), dim=1)
    axes = torch.linalg.eigh(both.T @ both).eigenvectors[:, -WIDTH:]
    table = both @ axes
    return table / table.norm(dim=1).median()


@dataclass
class Plan:
    """How long and how strongly to train."""

    steps: int = 1500
    batch: int = 768
    rate: float = 3e-3
    # Towards the first table, so that tokens the text hardly has keep what the teacher knows of them.
    pull: float = 0.01
    drop: float = 0.15
    temperature: float = 0.05
    contrast: float = 0.5
    # Of the batches of pairs; WordNet is general English, the crates are talk about programs.
    shares: dict = field(default_factory=lambda: {"crates": 0.55, "wordnet": 0.4, "dialogue": 0.05})


def _distilled(own, teacher, temperature):
    """How far the similarities within a batch are from the teacher's."""
    # A text is always most like itself, which teaches nothing.
    itself = torch.eye(len(own)) * -1e4
    wanted = (teacher @ teacher.T / temperature + itself).softmax(1)
    found = (own @ own.T / temperature + itself).log_softmax(1)
    return F.kl_div(found, wanted, reduction="batchmean")


def _contrasted(left, right, temperature):
    """Each text must be nearest to its own partner, in both directions."""
    scores = left @ right.T / temperature
    own = torch.arange(len(left))
    return (F.cross_entropy(scores, own) + F.cross_entropy(scores.T, own)) / 2


def train(table, bags, vectors, pairs, plan, rng, report):
    """Descends on both losses at once. `pairs` is, per source, the bags of the left and the right texts."""
    start = table.clone()
    rows = table.clone().requires_grad_()
    adam = torch.optim.Adam([rows], lr=plan.rate, betas=(0.9, 0.99))
    teacher = torch.from_numpy(vectors.astype(np.float32))
    usable = np.array([at for at, bag in enumerate(bags.ids) if len(bag) > 1])
    sources = list(plan.shares)

    def pooled(source, chosen):
        return source.pooled(rows, chosen, rng, plan.drop)

    for step in range(plan.steps):
        rate = plan.rate * min(1, (step + 1) / 50) * (1 - step / plan.steps)
        adam.param_groups[0]["lr"] = rate
        chosen = rng.choice(usable, plan.batch, replace=False)
        loss = _distilled(pooled(bags, chosen), teacher[chosen], plan.temperature)
        if plan.contrast:
            left, right = pairs[rng.choice(sources, p=list(plan.shares.values()))]
            chosen = rng.choice(len(left), min(plan.batch, len(left)), replace=False)
            loss = loss + plan.contrast * _contrasted(
                pooled(left, chosen), pooled(right, chosen), plan.temperature
            )
        adam.zero_grad()
        loss.backward()
        adam.step()
        with torch.no_grad():
            rows.lerp_(start, plan.pull * rate / plan.rate)
        if step % 100 == 99:
            report(step + 1, float(loss.detach()), rows.detach())
    return rows.detach()
