"""Ranges of a spreadsheet, and the ways an operation fills them.

Only functions that Excel 2010 and later, LibreOffice and Google Sheets share are written.
A tensor with heads is a list of ranges, one a head. Minus infinity, which no cell can hold,
is the number `LOWEST`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

LOWEST = "-1E+300"


@dataclass(frozen=True)
class Range:
    """A rectangle of cells; rows and columns count from zero. Written as an absolute address."""

    sheet: str
    top: int
    left: int
    height: int
    width: int

    def row(self, at: int) -> "Range":
        """One row of it (a single row stands for all)."""
        return self if self.height == 1 else replace(self, top=self.top + at, height=1)

    def columns(self, first: int, last: int) -> "Range":
        """The columns from `first` up to, not including, `last`."""
        return replace(self, left=self.left + first, width=last - first)

    def __str__(self) -> str:
        start = address(self.top, self.left)
        end = address(self.top + self.height - 1, self.left + self.width - 1)
        quoted = self.sheet.replace("'", "''")
        where = f"'{quoted}'!" if quoted else ""
        return where + (start if start == end else f"{start}:{end}")


Cells = Range | list[Range]
Writer = Callable[..., Iterator[tuple[Range, str]]]


def address(row: int, column: int) -> str:
    """The absolute address of a cell: (0, 0) is $A$1."""
    letters, column = "", column + 1
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"${letters}${row + 1}"


def each_head(write: Writer) -> Writer:
    """Write one head at a time where there are several; each sees its own share of operands."""

    def write_all(out: Cells, *operands: Cells, **settings: Any) -> Iterator[tuple[Range, str]]:
        heads = out if isinstance(out, list) else [out]
        for head, cells in enumerate(heads):
            yield from write(cells, *(share(x, head, len(heads)) for x in operands), **settings)

    return write_all


def share(cells: Cells, head: int, heads: int) -> Range:
    """What one of `heads` heads reads: its own range, its group's, or the only one there is."""
    return cells[head * len(cells) // heads] if isinstance(cells, list) else cells


def by_matrix(formula: Callable[..., str]) -> Writer:
    """One array formula for the whole result."""

    @each_head
    def write(out: Range, *operands: Range, **settings: Any) -> Iterator[tuple[Range, str]]:
        yield out, formula(*operands, **settings)

    return write


def by_row(formula: Callable[..., str], *, whole: int = 0) -> Writer:
    """One array formula a row; the first `whole` operands are seen in full by each."""

    @each_head
    def write(out: Range, *operands: Range, **settings: Any) -> Iterator[tuple[Range, str]]:
        for at in range(out.height):
            rows = [range.row(at) for range in operands[whole:]]
            yield out.row(at), formula(*operands[:whole], *rows, **settings)

    return write


def by_head(out: Cells, x: Cells, heads: int) -> Iterator[tuple[Range, str]]:
    """Columns to heads or heads to columns: each head is copied to its place."""
    for head in range(heads):
        yield block(out, head, heads), str(block(x, head, heads))


def block(cells: Cells, head: int, heads: int) -> Range:
    """One head's range: its own, or its share of the columns."""
    if isinstance(cells, list):
        return cells[head]
    width = cells.width // heads
    return cells.columns(head * width, (head + 1) * width)


def literal(value: int | float) -> str:
    """A number as spreadsheets write it: 1e-05 is 1E-05."""
    return repr(value).upper()


def row_mean(values: object, x: Range) -> str:
    """The means of rows, as a column; the values are an expression with the columns of `x`."""
    return f"MMULT({values},TRANSPOSE(COLUMN({x})^0))/COLUMNS({x})"
