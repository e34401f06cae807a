"""The order of examples: shuffled windows, inside them batches of texts that are alike in length.

All of it follows from a seed and a place, so a run is taken up at any place at once, and nothing
is read twice. Sorting everything by length would save more padding, but the order would be the
same in every epoch, and the loss would swing with the length (lhotse-speech/lhotse#364).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from jaxtyping import Int

Numbers = Int[np.ndarray, "_"]


class Place(NamedTuple):
    """Where a run is: the next batch is this one."""

    epoch: int = 0
    window: int = 0
    batch: int = 0


@dataclass(frozen=True, kw_only=True)
class Size:
    """How large a batch is: at most so many tokens, padding included; or so many examples."""

    tokens: int = 0
    rows: int = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class Order:
    """Which examples each batch takes. `lengths` are of each example, in each of its streams.

    A window is so many examples, drawn by chance; in it they are sorted by length and cut into
    batches, which come in an order of chance again.
    """

    lengths: Int[np.ndarray, "N S"]
    size: Size
    window: int
    seed: int

    @property
    def windows(self) -> int:
        """How many windows an epoch has."""
        return -(-len(self.lengths) // self.window)

    def batches(self, epoch: int, window: int) -> list[Numbers]:
        """The batches of one window of an epoch."""
        drawn = shuffled(len(self.lengths), self.seed, epoch)[
            window * self.window : (window + 1) * self.window
        ]
        cut = by_length(drawn, self.lengths, self.size)
        chance = np.random.default_rng((self.seed, epoch, window))
        return [cut[at] for at in chance.permutation(len(cut))]

    def count(self, epoch: int = 0) -> int:
        """How many batches an epoch has; by chance, some have one more or less than others."""
        return sum(len(self.batches(epoch, window)) for window in range(self.windows))

    def after(self, place: Place) -> Iterator[tuple[Place, Place, Numbers]]:
        """Batches without end: a batch's place, the place behind it, and its examples."""
        epoch, window, first = place
        while True:
            batches = self.batches(epoch, window)
            for at in range(first, len(batches)):
                yield Place(epoch, window, at), Place(epoch, window, at + 1), batches[at]
            window, first = window + 1, 0
            if window == self.windows:
                epoch, window = epoch + 1, 0


@lru_cache(maxsize=2)
def shuffled(count: int, seed: int, epoch: int) -> Numbers:
    """All examples in the order of one epoch."""
    return np.random.default_rng((seed, epoch)).permutation(count)


def by_length(numbers: Numbers, lengths: Int[np.ndarray, "N S"], size: Size) -> list[Numbers]:
    """Examples sorted by length and cut into batches; one that is larger alone stands alone."""
    keys = lengths[numbers].T
    ordered = numbers[np.lexsort((*keys, keys.max(axis=0)))]
    if size.rows:
        return np.array_split(ordered, range(size.rows, len(ordered), size.rows))
    longest = lengths[ordered].max(axis=1)  # never falls from one to the next
    batches, start = [], 0
    while start < len(ordered):
        ahead = longest[start : start + size.tokens]
        padded = ahead * np.arange(1, len(ahead) + 1)
        count = max(1, int(np.searchsorted(padded, size.tokens, side="right")))
        batches.append(ordered[start : start + count])
        start += count
    return batches
