"""Two words, number by number: every named value of the one against the same of the other."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from pellucid.errors import UsageError
from pellucid.study.place import Place

SAME = 1e-6  # relative: two runs of the same numbers may differ in their last bit


@dataclass(frozen=True)
class Difference:
    """One name in both traces, at the word.

    `difference` is relative: |a − b| over the mean of |a| and |b|. Where every head has its own
    numbers, `head` is the one that differs most and `difference` is that head's.
    """

    name: str
    difference: float
    head: int | None = None

    @property
    def same(self) -> bool:
        """Whether the two are the same, but for rounding."""
        return self.difference <= SAME

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
class Pair:
    """The same word at two places."""

    a: Place
    b: Place

    @cached_property
    def shared(self) -> tuple[list[int], list[int]]:
        """Tokens that both texts have, in the same order: their places in the one and the other."""
        matcher = SequenceMatcher(None, self.a.tokens.ids, self.b.tokens.ids, autojunk=False)
        blocks = [block for block in matcher.get_matching_blocks() if block.size]
        first = [block.a + at for block in blocks for at in range(block.size)]
        second = [block.b + at for block in blocks for at in range(block.size)]
        return first, second

    def compare(self) -> Iterator[Difference | Unlike]:
        """All names in the order of the road, then those that only the second has."""
        known: tuple[dict[str, Tensor], dict[str, Tensor]] = {}, {}
        place = ""
        for name, node in self.a.trace.nodes.items():
            if node.place != place:  # what was derived for one layer is not needed in the next
                known, place = ({}, {}), node.place
            if name not in self.b.trace:
                yield Unlike(name, "only the first has it")
            elif (found := self._difference(name, *known)) is not None:
                yield found
        for name in self.b.trace.nodes:
            if name not in self.a.trace:
                yield Unlike(name, "only the second has it")

    def _difference(
        self, name: str, known_a: dict[str, Tensor], known_b: dict[str, Tensor]
    ) -> Difference | Unlike | None:
        first, second = self.shared
        try:
            a = at_word(self.a, name, known_a, first)
            b = at_word(self.b, name, known_b, second)
        except UsageError:
            return Unlike(name, "not in the record")
        if a is None or b is None:
            return None
        if a.shape != b.shape:
            return Unlike(name, f"{_shape(a)} in the first, {_shape(b)} in the second")
        return _measured(name, a, b, by_head=self._is_by_head(name))

    def _is_by_head(self, name: str) -> bool:
        return bool({"H", "G"} & set(self.a.trace.node(name).axes.split()))


def at_word(place: Place, name: str, known: dict[str, Tensor], shared: list[int]) -> Tensor | None:
    """The part of a value that belongs to the word, float64: of several pieces the mean.

    Of a square of tokens by tokens it is the word's row, at the tokens which both texts share.
    None where the value belongs to another text.
    """
    axes = place.trace.node(name).axes.split()
    along = [axis for axis in axes if place.stands_along(name, axis)]
    if not along and {"T", "S"} & set(axes):
        return None
    value = place.trace.value(name, known).double()
    for axis in reversed(axes):  # from the last, so that those before keep their numbers
        if axis == "B":
            value = value.select(axes.index("B"), min(place.sentence, len(value) - 1))
        elif along and axis == along[0]:
            value = value.index_select(axes.index(axis), _index(place.pieces))
            value = value.mean(axes.index(axis), keepdim=True)
        elif axis in along:
            value = value.index_select(axes.index(axis), _index(tuple(shared)))
        elif axis in "TS":
            return None
    return value


def _index(places: tuple[int, ...]) -> Tensor:
    return torch.tensor(places, dtype=torch.long)


def _measured(name: str, a: Tensor, b: Tensor, *, by_head: bool) -> Difference:
    """How far apart; two infinities of a sign are the same."""
    apart = torch.where(a == b, 0.0, a - b)
    rows = (apart, a.nan_to_num(0, 0, 0), b.nan_to_num(0, 0, 0))
    sizes = [row.flatten(1) if by_head else row.reshape(1, -1) for row in rows]
    top, left, right = (size.norm(dim=1) for size in sizes)
    relative = top / ((left + right) / 2).clamp(min=torch.finfo(top.dtype).tiny)
    relative = torch.where(top == 0, 0.0, relative)
    head = int(relative.argmax())
    return Difference(name, relative[head].item(), head if by_head else None)


def _shape(x: Tensor) -> str:
    return "×".join(map(str, x.shape)) or "one number"
