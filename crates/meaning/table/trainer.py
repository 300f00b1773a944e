"""The second table: gradient descent from the first, on the teacher's similarities and on pairs of texts."""

from dataclasses import dataclass, field

import numpy as np
import torch
from torch.nn import functional as F


@dataclass
class Plan:
    """How long and how strongly to train."""

    steps: int = 500
    batch: int = 512
    rate: float = 2e-3
    # Of the tokens' weights, which are single numbers and must move further than a row's many.
    weight_rate: float = 5e-3
    # Towards the first table, so that tokens the text hardly has keep what the teacher knows of them.
    pull: float = 0.002
    # The share of tokens left out of a text, so that no single one is relied upon.
    drop: float = 0.15
    temperature: float = 0.05
    contrast: float = 0.5
    # Of a batch the teacher compares, this share are neighbours of a few texts: among texts drawn blindly
    # there is little to tell apart.
    near: float = 0.5
    centres: int = 4
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


def _batch(teacher, plan, rng):
    """Places of texts, some of them near one another, none twice."""
    each = int(plan.batch * plan.near) // plan.centres
    chosen = rng.choice(len(teacher), plan.batch - each * plan.centres, replace=False)
    near = (teacher[chosen[: plan.centres]] @ teacher.T).topk(each, dim=1).indices
    return np.unique(np.concatenate([chosen, near.numpy().ravel()]))


def train(table, bags, vectors, pairs, plan, rng, report):
    """Descends on both losses at once.

    `bags` are the texts of which `vectors` are the teacher's, `pairs` is, per source, the bags of the left and
    the right texts. The tokens' weights are learned apart from their rows and multiplied into them at the end.
    """
    start = table.clone()
    rows = table.clone().requires_grad_()
    weights = torch.zeros(len(table), requires_grad=True)
    adam = torch.optim.Adam(
        [{"params": [rows], "most": plan.rate}, {"params": [weights], "most": plan.weight_rate}],
        betas=(0.9, 0.99),
        fused=True,
    )
    teacher = torch.from_numpy(vectors.astype(np.float32))
    sources = list(plan.shares)

    def pooled(source, chosen):
        return source.some(chosen).thinned(rng, plan.drop).vectors(rows, weights.exp())

    def finished():
        return (rows * weights.exp()[:, None]).detach()

    for step in range(plan.steps):
        share = min(1, (step + 1) / 50) * (1 - step / plan.steps)
        for group in adam.param_groups:
            group["lr"] = share * group["most"]
        chosen = _batch(teacher, plan, rng)
        loss = _distilled(pooled(bags, chosen), teacher[chosen], plan.temperature)
        left, right = pairs[rng.choice(sources, p=list(plan.shares.values()))]
        chosen = rng.choice(len(left), min(plan.batch, len(left)), replace=False)
        apart = _contrasted(pooled(left, chosen), pooled(right, chosen), plan.temperature)
        loss = loss + plan.contrast * apart
        adam.zero_grad()
        loss.backward()
        adam.step()
        with torch.no_grad():
            rows.lerp_(start, plan.pull * share)
        if step % 100 == 99:
            report(step + 1, float(loss.detach()), finished())
    return finished()
