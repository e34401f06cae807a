"""Explaining one number: its formula, its operands, and so back to the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Size, Tensor

from pellucid.errors import UsageError
from pellucid.formula.operation import Index, Numbers, Place, number
from pellucid.record.tree import written

if TYPE_CHECKING:
    from pellucid.record.trace import Trace


@dataclass(frozen=True)
class Cell:
    """Where a number stands: sentence, head, row and column; tokens by word or by number."""

    row: str | int
    column: str | int
    head: int = 0
    sentence: int = 0


@dataclass(frozen=True)
class Operand:
    """What a number was made of: a place in a parent, and what stands there."""

    name: str
    place: Place
    numbers: Numbers


@dataclass(frozen=True)
class Explanation:
    """One number, and what it is made of.

    `arithmetic` is the formula with this cell's numbers; `operands` are the places that were
    read; `origins` are the explanations of the single numbers among them.
    """

    name: str
    where: str
    value: float
    formula: str
    arithmetic: str
    operands: tuple[Operand, ...]
    origins: tuple[Explanation, ...]
    roads: tuple[str, ...]

    def chain(self) -> Iterator[Explanation]:
        """This number, then the numbers it follows from, the nearest first."""
        yield self
        for origin in self.origins:
            yield from origin.chain()

    def __str__(self) -> str:
        lines = []
        for link in self.chain():
            lines.append(f"{link.name}[{link.where}] = {number(link.value)}")
            lines += [f"    = {link.formula}", f"    = {link.arithmetic}"] if link.formula else []
            lines += [f"      {step}" for step in link.roads]
        return "\n".join(lines)


@torch.no_grad()
def explain(trace: Trace, name: str, cell: Cell) -> Explanation:
    """Explain one cell of the value of this name."""
    known: dict[str, Tensor] = {}
    index = locate(trace, name, trace.value(name, known).shape, cell)
    return _explain(trace, name, index, known)


def _explain(trace: Trace, name: str, index: Index, known: dict[str, Tensor]) -> Explanation:
    operands = tuple(_operands(trace, name, index, known))
    formula = trace.node(name).formula
    near = [operand for operand in operands if _is_number_nearby(trace, name, operand)]
    followed = {operand.name for operand in near}
    far = [operand for operand in operands if operand.name not in followed]
    return Explanation(
        name=name,
        where=_where(trace, name, index),
        value=trace.value(name, known)[index].item(),
        formula=written(trace, name),
        arithmetic=formula.plain(*(o.numbers for o in operands)) if formula else "",
        operands=operands,
        origins=tuple(_explain(trace, o.name, _index(o.place), known) for o in near),
        roads=tuple(road for o in far if (road := _road(trace, o, index[0]))),
    )


def _operands(trace: Trace, name: str, index: Index, known: dict[str, Tensor]) -> Iterator[Operand]:
    if (formula := trace.node(name).formula) is None:
        return
    values = [trace.value(parent, known) for parent in formula.parents]
    for which, place in formula.reads(index, *(value.shape for value in values)):
        yield Operand(formula.parents[which], place, values[which][place].tolist())


def _is_number_nearby(trace: Trace, name: str, operand: Operand) -> bool:
    """Whether to go on with the operand: one number, of the same layer."""
    nearby = (
        operand.name in trace.nodes and trace.nodes[operand.name].place == name.rpartition(".")[0]
    )
    return nearby and type(operand.numbers) is float


def _index(place: Place) -> Index:
    return tuple(at for at in place if isinstance(at, int))


def _road(trace: Trace, operand: Operand, sentence: int) -> str:
    """The way of an operand back to its token: q[bank] ← encoder.2 ← … ← embed ← "bank"."""
    name, stations = operand.name, [operand.name]
    if name in trace.weights or isinstance(operand.numbers, bool):
        return ""
    while parents := [p for p in trace.nodes[name].parents if p not in trace.weights]:
        name = parents[0]
        stations.append(_station(name))
    return " ← ".join([*dict.fromkeys(stations), _characters(trace, operand, sentence)])


def _station(name: str) -> str:
    """The part of the road a name belongs to: `encoder.2`, `embed`, `tokens`."""
    first, second, *_ = name.split(".")
    return f"{first}.{second}" if second.isdigit() or first in ("source", "target") else first


def _characters(trace: Trace, operand: Operand, sentence: int) -> str:
    """The token whose row was read, and its characters in the text."""
    axes = trace.nodes[operand.name].axes.split()
    for letter, at in zip(axes, operand.place, strict=True):
        tokens = trace.tokens(operand.name, letter, sentence)
        if tokens is not None and isinstance(at, int):
            start, end = tokens.offsets[at]
            return f"{tokens.label(at)!r} (characters {start} to {end})"
    return "all tokens"


def _where(trace: Trace, name: str, index: Index) -> str:
    """An index in words: head 5, bank, river."""
    axes = trace.node(name).axes.split()[-len(index) :]
    return ", ".join(
        _label(trace, name, letter, at, index[0])
        for letter, at in zip(axes, index, strict=True)
        if letter != "B"
    )


def _label(trace: Trace, name: str, letter: str, at: int, sentence: int) -> str:
    tokens = trace.tokens(name, letter, sentence)
    if tokens is not None:
        return tokens.label(at)
    return f"head {at}" if letter in "HG" else str(at)


def locate(trace: Trace, name: str, shape: Size, cell: Cell) -> Index:
    """The index of a cell that is given in words, checked against the value's shape."""
    axes = trace.node(name).axes.split()
    rest = [axis for axis in axes if axis not in "BHG"]
    given = dict(zip(rest, (cell.row, cell.column), strict=False))
    given |= {"B": cell.sentence, "H": cell.head, "G": cell.head}
    numbers = {
        axis: _find(trace, name, axis, at, cell.sentence) if isinstance(at, str) else at
        for axis, at in given.items()
    }
    return tuple(
        _within(numbers[axis], size, f"{name} along {axis}")
        for axis, size in zip(axes, shape, strict=True)
    )


def _within(at: int, size: int, where: str) -> int:
    if size == 1:  # one for all
        return 0
    if not -size <= at < size:
        raise UsageError(f"{where} has {size} places; {at} is beyond them.")
    return at % size


def _find(trace: Trace, name: str, axis: str, word: str, sentence: int) -> int:
    tokens = trace.tokens(name, axis, sentence)
    if tokens is None:
        raise UsageError(f"The axis {axis} of {name} does not stand for tokens; give a number.")
    found = tokens.find(word)
    if len(found) != 1:
        labels = ", ".join(f"{at} {tokens.label(at)}" for at in found or range(len(tokens)))
        what = f"stands at {len(found)} places" if found else "is not in the text"
        raise UsageError(f"{word!r} {what}; give a number: {labels}.")
    return found[0]
