"""Pieces that fall apart while a model learns, so that it meets every word in several cuts.

BPE dropout (Provilkov et al. 2020) leaves out merges by chance while a text is cut. Here each piece
of a text that was cut already falls, by chance, into the two that it was merged of, and these may
again: the same cuts can come out, and it takes no text, only ids.
"""

import json
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from pellucid.errors import UsageError
from pellucid.text.tokenizer import Tokenizer
from pellucid.train.batches import Array


@dataclass(frozen=True, eq=False)
class Breaking:
    """`halves` are the two ids that each id was merged of, −1 where it was not merged.

    A row that would get longer than `longest` (0: any length) stays whole.
    """

    share: float
    halves: Int[np.ndarray, "V 2"]
    longest: int = 0

    @classmethod
    def of(cls, tokenizer: Tokenizer, share: float, longest: int = 0) -> "Breaking":
        """By the merges of a tokenizer, which must be of the kind bpe."""
        model = json.loads(tokenizer.inner.to_str())["model"]
        if model["type"] != "BPE":
            raise UsageError(
                f"merge_dropout needs pieces that were merged, and those of a {model['type']} "
                "tokenizer were not; leave it out, or take the tokenizer bpe."
            )
        ids = tokenizer.inner.get_vocab()
        halves = np.full((max(ids.values()) + 1, 2), -1)
        for merge in model["merges"]:
            left, right = merge.split(" ") if isinstance(merge, str) else merge
            halves[ids[left + right]] = ids[left], ids[right]
        return cls(share, halves, longest)

    def apply(self, ids: Array, chance: np.random.Generator) -> Array:
        """The ids, some in parts."""
        whole, fresh = ids, np.ones(len(ids), np.bool_)
        while True:
            falls = fresh & (self.halves[ids, 0] >= 0) & (chance.random(len(ids)) < self.share)
            if not falls.any():
                return whole if 0 < self.longest < len(ids) else ids
            times, parts = 1 + falls, self.halves[ids[falls]]
            ends = np.cumsum(times)[falls]
            ids, fresh = np.repeat(ids, times), np.repeat(falls, times)
            ids[ends - 2], ids[ends - 1] = parts[:, 0], parts[:, 1]
