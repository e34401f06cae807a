"""The trace's names as a table: what there is, how large, and how it follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pellucid.formula.written import plain, symbol, word
from pellucid.record.printed import aligned

if TYPE_CHECKING:
    from pellucid.record.trace import Trace


@dataclass(frozen=True)
class Row:
    """One name: its shape, its axes' letters, its formula in plain characters, its kind.

    The shape is empty where the value is missing.
    """

    name: str
    shape: tuple[int, ...]
    axes: str
    formula: str
    kind: str


class Tree(list[Row]):
    """Rows that print as an aligned table."""

    def __str__(self) -> str:
        cells = [
            (row.name, "×".join(map(str, row.shape)), row.axes, row.kind, row.formula)
            for row in self
        ]
        return aligned(cells)


def grow(trace: Trace, pattern: str) -> Tree:
    """The rows for all names that fit the pattern."""
    return Tree(_row(trace, name) for name in trace.names(pattern))


def _row(trace: Trace, name: str) -> Row:
    kind = trace.kind(name)
    shape = () if kind == "missing" else trace.shape(name)
    return Row(name, shape, trace.nodes[name].axes, written(trace, name), kind)


def written(trace: Trace, name: str) -> str:
    """A value's formula in plain characters: `softmax(masked)`; empty for what is given."""
    node = trace.node(name)
    if node.formula is None:
        return ""
    symbols = (called(trace, parent, node.place) for parent in node.parents)
    return plain(node.formula.latex(*symbols))


def called(trace: Trace, parent: str, place: str) -> str:
    """A parent's symbol: from within the same layer its own name will do. Weights have letters."""
    local = parent.removeprefix(f"{place}.")
    return word(local) if parent in trace.nodes else symbol(local)
