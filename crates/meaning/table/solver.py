"""The first table, in closed form: token vectors whose sums are what the teacher says of whole texts."""

import warnings

import numpy as np
import torch
from torch.nn import functional as F

WIDTH = 256
RIDGE = 0.03
# A token of this share of the text has half its weight: the smoothing usual for such sums.
SMOOTH = 1e-3

# The version of torch is pinned, so its remarks on unfinished parts are no concern.
warnings.filterwarnings("ignore", message="Sparse")


def frequencies(bags, count):
    """The share of every token in the texts; none is nothing."""
    counts = np.bincount(bags.ids, minlength=count) + 0.5
    return counts / counts.sum()


def _ridge(bags, targets, prior, rounds=20):
    """Token vectors whose mean gives the teacher's vectors: conjugate gradients.

    What is shrunk is the distance from the prior, so a token the texts do not have keeps its own. Returns the
    prior, brought to the targets' scale, and the solution.
    """
    rows = np.repeat(np.arange(len(bags)), bags.lengths)
    columns = bags.ids
    values = torch.from_numpy(1 / bags.lengths[rows].astype(np.float32))
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


def solve(alone, share, bags, vectors):
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
