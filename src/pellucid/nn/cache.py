"""A cache: keys and values of the tokens that were read, so that reading on costs one token.

It is a tree. Each token has a slot of its own, and a branch is the set of slots that it sees: all
branches share what they have in common, and when some are given up nothing is copied or put in
another order. Beams, samples and a single answer are the same thing with more or fewer branches.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional

from pellucid.nn.mask import Mask, Pattern

STEP = 64  # slots are made so many at a time, at least
Pair = tuple[Tensor, Tensor]


@dataclass(frozen=True, eq=False)
class Branches(Mask):
    """The mask of S tokens that go on from a cache with M slots: who sees which slot."""

    seen: Bool[Tensor, "B S M"] | None = None
    slots: Int[Tensor, "B M"] | None = None  # the position of each slot's token

    def allowed(self, query: Tensor, pattern: Pattern) -> Bool[Tensor, "B 1 S M"]:
        assert self.seen is not None
        return self.seen[:, None]

    @cached_property
    def positions(self) -> Int[Tensor, "B S"]:
        """A branch's last token stands behind all others that it sees."""
        assert self.seen is not None
        return self.seen.sum(-1) - 1

    @property
    def key_positions(self) -> Int[Tensor, "B M"]:
        assert self.slots is not None
        return self.slots


class Past:
    """What one block remembers: its tokens' keys and values, and those of the encoder's output."""

    def __init__(self) -> None:
        self.pair: Pair | None = None
        self.memory: Pair | None = None
        self.at = torch.empty(0, dtype=torch.long)  # the slots that the next tokens take

    def extended(self, k: Float[Tensor, "B G T K"], v: Float[Tensor, "B G T W"]) -> Pair:
        """All keys and values, these among them; the first are a prompt's, and see themselves."""
        if self.pair is None:
            self.pair = k, v
        else:
            for kept, new in zip(self.pair, (k, v), strict=True):
                kept.index_copy_(2, self.at, new)
        return self.pair

    def once(self, make: Callable[[], Pair]) -> Pair:
        """The keys and values of the encoder's output, made when first asked for."""
        self.memory = self.memory or make()
        return self.memory


class Cache:
    """What B texts and their branches have said so far, for each of a stack's layers."""

    def __init__(self, layers: int, step: int = STEP) -> None:
        self.pasts = [Past() for _ in range(layers)]
        self.step = step
        self.used = 0  # slots that are taken
        self.seen = torch.empty(0, 0, 0, dtype=torch.bool)  # B N M: each branch's slots
        self.slots = torch.empty(0, 0, dtype=torch.long)  # B M: each slot's position

    @property
    def longest(self) -> int:
        """Tokens on the longest branch."""
        return int(self.seen.sum(-1).max()) if self.used else 0

    def begin(self, prompt: Mask) -> Mask:
        """The mask to read the prompts with; each is then its text's only branch."""
        self.used = prompt.real.shape[-1]
        self.seen, self.slots = prompt.real[:, None], prompt.positions
        return prompt

    def branch(
        self, parents: Int[Tensor, "B N"], within: Bool[Tensor, "N N"] | None = None
    ) -> Branches:
        """The mask to read one more token on each of N branches, which go on from `parents`.

        With `within` the tokens also see one another: a lower triangle makes them a run.
        """
        texts, count = parents.shape
        self.seen = self.seen.gather(1, parents[..., None].expand(-1, -1, self.seen.shape[-1]))
        if self.used + count > self.room:
            self._make_room(count)
        taken = slice(self.used, self.used + count)
        new = torch.eye(count, dtype=torch.bool) if within is None else within
        self.seen[..., taken] = new.to(self.seen.device)
        self.slots[:, taken] = self.seen.sum(-1) - 1
        at = torch.arange(taken.start, taken.stop, device=self.seen.device)
        for past in self.pasts:
            past.at = at
        self.used = taken.stop
        real = torch.ones(texts, count, dtype=torch.bool, device=self.seen.device)
        return Branches(real, padded=True, seen=self.seen, slots=self.slots)

    def keep(self, texts: Int[Tensor, "_"]) -> None:
        """Forget all texts but these."""
        self.seen, self.slots = self.seen[texts], self.slots[texts]
        for past in self.pasts:
            past.pair, past.memory = _each(past.pair, texts), _each(past.memory, texts)

    @property
    def room(self) -> int:
        """How many slots there are, taken or not."""
        return self.slots.shape[-1]

    def _make_room(self, count: int) -> None:
        """Give up the slots that no branch sees any more, and make new ones behind the others."""
        alive = self.seen.any(1)
        kept = int(alive.sum(-1).max())
        order = (~alive).int().argsort(dim=-1, stable=True)[:, :kept]  # B kept
        size = self.step * math.ceil((kept + count + kept // 4) / self.step)
        self.seen = _moved(self.seen, order[:, None].expand(-1, self.seen.shape[1], -1), size)
        self.slots = _moved(self.slots, order, size)
        for past in self.pasts:
            if past.pair is not None:
                past.pair = _resized(past.pair[0], order, size), _resized(past.pair[1], order, size)
        self.used = kept


def _each(pair: Pair | None, texts: Tensor) -> Pair | None:
    return pair and (pair[0][texts], pair[1][texts])


def _moved(x: Tensor, order: Tensor, size: int) -> Tensor:
    """The columns in this order, and empty ones behind them."""
    return functional.pad(x.gather(-1, order), (0, size - order.shape[-1]))


def _resized(x: Tensor, order: Tensor, size: int) -> Tensor:
    """B G S K: the same for keys or values."""
    rows = order[:, None, :, None].expand(-1, x.shape[1], -1, x.shape[-1])
    return functional.pad(x.gather(2, rows), (0, 0, 0, size - order.shape[-1]))
