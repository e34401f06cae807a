"""Two words, number by number: every named value of the one against the same of the other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from itertools import compress
from typing import Any

import torch
from torch import Tensor

from pellucid.errors import UsageError
from pellucid.record.streams import stream_of
from pellucid.record.tokens import Tokens
from pellucid.study.place import Place
from pellucid.study.rounding import rounding

MASKED = ("allowed", "masked", "weights")  # of squares of tokens by tokens; others are unmasked


@dataclass(frozen=True)
class Difference:
    """One name in both traces, at the word.

    `difference` is relative: |a − b| over the mean of |a| and |b| (of a norm's mean: over the size
    of what it is the mean of). Where every head has its own numbers, `head` is the one that differs
    most and `difference` is that head's. `same` says that it is no more than rounding.
    """

    name: str
    difference: float
    same: bool
    head: int | None = None

    def to_json(self) -> dict[str, Any]:
        """The difference as plain data."""
        return dict(vars(self))


@dataclass(frozen=True)
class Unlike:
    """A name that cannot be compared, and why."""

    name: str
    reason: str

    def to_json(self) -> dict[str, Any]:
        """The two as plain data."""
        return dict(vars(self))


@dataclass(frozen=True)
class Side:
    """A value in one of the two traces, and where in it the word is.

    Of its axes along tokens the word stands on the first that runs along its text (`own`); the
    other, if there is one, runs `across`: over whom the word looks at, or who looks at it.
    """

    place: Place
    name: str
    known: dict[str, Tensor]

    @cached_property
    def axes(self) -> list[str]:
        """The value's axes."""
        return self.place.trace.node(self.name).axes.split()

    @cached_property
    def own(self) -> str | None:
        """The axis that the word stands on; none where the value is of another text."""
        return next((axis for axis in self.axes if self.place.stands_along(self.name, axis)), None)

    @cached_property
    def across(self) -> Tokens | None:
        """The text along the other axis."""
        for axis in self.axes:
            if axis in "TS" and axis != self.own:
                texts = self.place.trace.texts
                return texts[stream_of(self.name, axis, texts)][self.place.sentence]
        return None

    @property
    def is_the_words(self) -> bool:
        """Whether the value belongs to the word: to its text, or to none."""
        return self.own is not None or self.across is None

    def at_word(self, others: Sequence[int]) -> Tensor:
        """The word's part, float64, of several pieces the mean; across it these tokens alone."""
        value = self.place.trace.value(self.name, self.known).double()
        for at, axis in reversed([*enumerate(self.axes)]):  # from the last, so that numbers stay
            if axis == "B":
                value = value.select(at, min(self.place.sentence, len(value) - 1))
            elif axis == self.own:
                value = value.index_select(at, _index(self.place.pieces)).mean(at, keepdim=True)
            elif axis in "TS":
                value = value.index_select(at, _index(others))
        return value

    def allowed(self, others: Sequence[int]) -> list[bool]:
        """Which of these tokens one of the word's pieces may look at, or be looked at by."""
        attention = self.name.rpartition(".")[0].replace(".positions", ".0.attention")
        allowed = replace(self, name=f"{attention}.allowed")
        return (allowed.at_word(others) > 0).flatten().tolist()

    def size(self, value: Tensor) -> Tensor:
        """What a difference is measured by: the value; of a word's mean, which may be next to
        nothing, what it is the mean of.
        """
        if self.own is None or not self.name.endswith(".norm.mean"):
            return value
        vector = replace(self, name=self.place.trace.node(self.name).parents[0]).at_word(())
        return vector / vector.numel() ** 0.5


@dataclass(frozen=True)
class Pair:
    """The same word at two places."""

    a: Place
    b: Place

    @cached_property
    def rounding(self) -> float:
        """What two runs of the same numbers may differ by, relative."""
        return max(rounding(place.trace) for place in (self.a, self.b))

    def compare(self) -> Iterator[Difference | Unlike]:
        """All names in the order of the road, then those that only the second has."""
        known: tuple[dict[str, Tensor], dict[str, Tensor]] = {}, {}
        place = ""
        for name, node in self.a.trace.nodes.items():
            if node.place != place:  # what was derived for one layer is not needed in the next
                known, place = ({}, {}), node.place
            if name not in self.b.trace:
                yield Unlike(name, "only the first has it")
            else:
                yield self._difference(Side(self.a, name, known[0]), Side(self.b, name, known[1]))
        for name in self.b.trace.nodes:
            if name not in self.a.trace:
                yield Unlike(name, "only the second has it")

    def _difference(self, first: Side, second: Side) -> Difference | Unlike:
        name = first.name
        if not (first.is_the_words and second.is_the_words):
            return Unlike(name, "not of the word's text")
        try:
            tokens = shared(first, second)
            if first.across and not tokens[0]:
                return Unlike(name, "the texts share no token there")
            a, b = first.at_word(tokens[0]), second.at_word(tokens[1])
            sizes = first.size(a), second.size(b)
        except UsageError:
            return Unlike(name, "not in the record")
        if a.shape != b.shape:
            return Unlike(name, f"{_shape(a)} in the first, {_shape(b)} in the second")
        by_head = bool({"H", "G"} & set(first.axes))
        relative = _relative(a, b, sizes, by_head=by_head)
        head = int(relative.argmax())
        found = relative[head].item()
        return Difference(name, found, found <= self.rounding, head if by_head else None)


def shared(first: Side, second: Side) -> tuple[list[int], list[int]]:
    """Tokens that both texts across have, in the same order: their places in either.

    What comes before a mask counts only where the mask lets it through.
    """
    if first.across is None or second.across is None:
        return [], []
    places = matched(first.across.pieces, second.across.pieces)
    if first.name.rpartition(".")[2] in MASKED:
        return places
    allowed = [side.allowed(at) for side, at in zip((first, second), places, strict=True)]
    kept = [all(both) for both in zip(*allowed, strict=True)]
    return [*compress(places[0], kept)], [*compress(places[1], kept)]


@lru_cache(maxsize=8)
def matched(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[list[int], list[int]]:
    """The same pieces in the same order; their ids are another matter in another vocabulary."""
    blocks = SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
    pairs = [(block.a + at, block.b + at) for block in blocks for at in range(block.size)]
    return [a for a, _ in pairs], [b for _, b in pairs]


def _index(places: Sequence[int]) -> Tensor:
    return torch.tensor(places, dtype=torch.long)


def _relative(a: Tensor, b: Tensor, sizes: tuple[Tensor, Tensor], *, by_head: bool) -> Tensor:
    """How far apart, as a whole or each head; two infinities of a sign are the same."""
    apart = torch.where(a == b, 0.0, a - b)
    rows = (apart, *(size.nan_to_num(0, 0, 0) for size in sizes))
    flat = [row.flatten(1) if by_head else row.reshape(1, -1) for row in rows]
    top, left, right = (row.norm(dim=1) for row in flat)
    relative = top / ((left + right) / 2).clamp(min=torch.finfo(top.dtype).tiny)
    return torch.where(top == 0, 0.0, relative)


def _shape(x: Tensor) -> str:
    return "×".join(map(str, x.shape)) or "one number"
