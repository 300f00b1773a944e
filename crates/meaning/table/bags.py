"""Texts as token numbers, ready to be summed in batches."""

import numpy as np
import torch
from torch.nn import functional as F

import sem2


class Bags:
    """The token numbers of many texts end to end."""

    def __init__(self, ids, lengths):
        self.ids, self.lengths = ids, lengths
        self.starts = np.cumsum(lengths) - lengths

    @classmethod
    def of(cls, tokens, texts, longest):
        """At most `longest` pieces of each text; what is not among the tokens is left out."""
        unknown = len(tokens)
        encoded = sem2.tokenizer_of(tokens).encode_batch(texts, add_special_tokens=False)
        found = [[token for token in one.ids[:longest] if token != unknown] for one in encoded]
        lengths = np.array([len(bag) for bag in found], np.int64)
        return cls(np.array([token for bag in found for token in bag], np.int64), lengths)

    def __len__(self):
        return len(self.lengths)

    def some(self, chosen):
        """The bags at these places."""
        lengths = self.lengths[chosen]
        ends = np.cumsum(lengths)
        within = np.arange(ends[-1]) - np.repeat(ends - lengths, lengths)
        return Bags(self.ids[np.repeat(self.starts[chosen], lengths) + within], lengths)

    def thinned(self, rng, share):
        """A share of the tokens left out, but never the first of a text."""
        keep = rng.random(len(self.ids)) >= share
        keep[self.starts[self.lengths > 0]] = True
        owner = np.repeat(np.arange(len(self)), self.lengths)
        return Bags(self.ids[keep], np.bincount(owner[keep], minlength=len(self)))

    def vectors(self, rows, weights=None):
        """The unit vector of each text; `weights` multiply the tokens' rows."""
        ids, starts = torch.from_numpy(self.ids), torch.from_numpy(self.starts)
        scale = None if weights is None else weights[ids]
        return F.normalize(F.embedding_bag(ids, rows, starts, mode="sum", per_sample_weights=scale), dim=1)
