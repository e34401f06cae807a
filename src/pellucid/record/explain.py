"""Explaining one number: its formula, its operands, and so back to the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Size, Tensor

from pellucid.errors import UsageError
from pellucid.formula.operation import Index, Numbers, Place, number
from pellucid.record.tokens import Tokens
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
    sentence = _sentence(trace, name, index)
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
        roads=tuple(road for o in far if (road := _road(trace, o, sentence))),
    )


def _sentence(trace: Trace, name: str, index: Index) -> int:
    """The sentence that a cell belongs to; the first where it belongs to all."""
    return index[0] if trace.node(name).axes.startswith("B") and index else 0


def _operands(trace: Trace, name: str, index: Index, known: dict[str, Tensor]) -> Iterator[Operand]:
    if (formula := trace.node(name).formula) is None:
        return
    values = [trace.value(parent, known) for parent in formula.parents]
    for which, place in formula.reads(index, *(value.shape for value in values)):
        yield Operand(formula.parents[which], place, _numbers(values[which][place]))


def _numbers(found: Tensor) -> Numbers:
    """What stands at a place: one number, or all of a row, a column or more, in order."""
    return found.flatten().tolist() if found.dim() else found.item()


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
    if name not in trace.nodes or isinstance(operand.numbers, bool):
        return ""
    while parents := [p for p in trace.nodes[name].parents if p in trace.nodes]:
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
            return repr(_label(trace, operand.name, letter, at, sentence)) + _span(tokens, at)
    return "all tokens"


def _span(tokens: Tokens, at: int) -> str:
    if at >= len(tokens):
        return ""
    start, end = tokens.offsets[at]
    return f" (characters {start} to {end})"


def _where(trace: Trace, name: str, index: Index) -> str:
    """An index in words: head 5, bank, river."""
    axes, sentence = trace.node(name).axes.split(), _sentence(trace, name, index)
    return ", ".join(
        _label(trace, name, letter, at, sentence)
        for letter, at in zip(axes, index, strict=True)
        if letter not in "B1"
    )


def _label(trace: Trace, name: str, letter: str, at: int, sentence: int) -> str:
    tokens = trace.tokens(name, letter, sentence)
    if tokens is not None:
        return tokens.label(at) if at < len(tokens) else "padding"
    return f"head {at}" if letter in "HG" else str(at)


def locate(trace: Trace, name: str, shape: Size, cell: Cell) -> Index:
    """The index of a cell that is given in words, checked against the value's shape."""
    axes = trace.node(name).axes.split()
    given: dict[str, str | int] = {"B": cell.sentence, "H": cell.head, "G": cell.head, "1": 0}
    rest = [axis for axis in axes if axis not in given]
    given |= zip(rest, (cell.row, cell.column), strict=False)
    _check_axes(name, axes, cell, len(rest))
    index: Index = ()
    for axis, size in zip(axes, shape, strict=True):
        at = given[axis]
        if isinstance(at, str):
            at = _find(trace, name, axis, at, _sentence(trace, name, index))
        index += (_within(at, size, f"{name} along {axis}"),)
    return index


def _check_axes(name: str, axes: Sequence[str], cell: Cell, along: int) -> None:
    """Refuse to say which head, row or column where a value has none."""
    has = {"head": not {"H", "G"}.isdisjoint(axes), "row": along > 0, "column": along > 1}
    for what, there in has.items():
        if not there and getattr(cell, what) != 0:
            raise UsageError(
                f"{name} has no {what}s, so there is no {what} {getattr(cell, what)!r}; "
                f"it goes along {' '.join(axes)}."
            )


def _within(at: int, size: int, where: str) -> int:
    if not -size <= at < size:
        raise UsageError(f"{where} goes from 0 to {size - 1}; {at} is beyond.")
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
