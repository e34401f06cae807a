"""The trace's names as a table: what there is, how large, and how it follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pellucid.formula.written import plain, symbol

if TYPE_CHECKING:
    from pellucid.record.node import Node
    from pellucid.record.trace import Trace


@dataclass(frozen=True)
class Row:
    """One name: its shape, its axes' letters, its formula in plain characters, its kind."""

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
        widths = [max(map(len, column), default=0) for column in zip(*cells, strict=True)]
        return "\n".join(
            "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
            for line in cells
        )


def grow(trace: Trace, pattern: str) -> Tree:
    """The rows for all names that fit the pattern."""
    return Tree(
        Row(name, trace.shape(name), trace.nodes[name].axes, written(trace, name), trace.kind(name))
        for name in trace.names(pattern)
    )


def written(trace: Trace, name: str) -> str:
    """A value's formula in plain characters: `softmax(masked)`; empty for what is given."""
    node = trace.node(name)
    if node.formula is None:
        return ""
    return plain(node.formula.latex(*(called(parent, node) for parent in node.parents)))


def called(parent: str, node: Node) -> str:
    """A parent's symbol: from within the same layer its own name is enough."""
    return symbol(parent.removeprefix(f"{node.place}."))
