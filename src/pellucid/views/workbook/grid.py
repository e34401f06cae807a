"""One block drawn into a sheet: its caption, its words, its numbers, its formulas, its colours."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import torch
from torch import Tensor
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from pellucid.formula.sheet import LOWEST, Range
from pellucid.views.workbook.formulas import check, difference
from pellucid.views.workbook.places import Block
from pellucid.views.workbook.styles import Styles, heat

UNKNOWN = "?"  # what a check shows until somebody has recalculated
WRONG = "#NUM!"  # what a spreadsheet has for NaN and for infinity
CAPTIONS = ("by formula", "the model's own", "difference")

# digits of a float32: nine tell it from all others; what is computed with has some more
STORED, TYPED = 9, 12

Numbers = list[list[float]]


@dataclass(frozen=True)
class Grid:
    """A block with the numbers and the words that belong to it."""

    sheet: Worksheet
    styles: Styles
    block: Block
    tensor: Tensor
    rows: list[str]
    columns: list[str]

    def typed(self) -> None:
        """Write the numbers as they are."""
        self._words()
        self._type(self.block.cells, self._rounded(TYPED), "typed")

    def computed(self, formulas: Iterable[tuple[Range, str]]) -> None:
        """Write the formulas that fill the block, with the model's own numbers in store."""
        self._words()
        style = self._format("result")
        for cells, text in formulas:
            array(self.sheet, cells, text, self._stored(cells), style)
        self._colour(self.block.cells)
        if self.block.own and self.block.difference:
            self._type(self.block.own, self._rounded(TYPED), "own")
            self._compare(self.block.difference)

    @cached_property
    def numbers(self) -> Numbers:
        """Row by row, in as few digits as tell the model's own to the bit."""
        return self._rounded(STORED)

    def _rounded(self, digits: int) -> Numbers:
        """As lists of rows; minus infinity is the lowest number."""
        lists: Numbers = self.tensor.double().clamp(min=float(LOWEST)).tolist()
        if self.tensor.dtype == torch.float64:
            return lists
        return [[float(f"{x:.{digits}g}") for x in row] for row in lists]

    def _words(self) -> None:
        title, left = self.block.title, self.block.cells.left
        self.sheet.write_string(self.block.title_row, 0, title, self.styles["caption"])
        for cells, caption in zip(self.block.parts(), CAPTIONS, strict=False):
            below = cells.left == left
            if self.block.own:
                self.sheet.write_string(cells.top - 2, cells.left, caption, self.styles["aside"])
            for at, word in enumerate(self.columns):
                self.sheet.write_string(cells.top - 1, cells.left + at, word, self.styles["column"])
            for at, word in enumerate(self.rows if below else ()):
                self.sheet.write_string(cells.top + at, 0, word, self.styles["row"])

    def _type(self, cells: Range, numbers: Numbers, kind: str) -> None:
        style = self._format(kind)
        for at, row in enumerate(numbers):
            for along, x in enumerate(row):
                self.sheet.write_number(cells.top + at, cells.left + along, x, style)
        self._colour(cells)

    def _colour(self, cells: Range) -> None:
        if self.tensor.dtype == torch.int64:  # ids have no size
            return
        if scale := heat(chain.from_iterable(self.numbers)):
            self.sheet.conditional_format(*corners(cells), self.styles.hidden)
            self.sheet.conditional_format(*corners(cells), scale)

    def _compare(self, cells: Range) -> None:
        zeros = [[0.0] * cells.width] * cells.height
        array(self.sheet, cells, difference(self.block), zeros, self.styles["difference"])
        row, column = self.block.check
        formula, style = f"={check(self.block)}", self.styles["check"]
        self.sheet.write_array_formula(row, column, row, column, formula, style, UNKNOWN)

    def _stored(self, cells: Range) -> Numbers:
        """The model's own numbers for some of the cells."""
        own = self.block.cells
        down = slice(cells.top - own.top, cells.top - own.top + cells.height)
        across = slice(cells.left - own.left, cells.left - own.left + cells.width)
        return [row[across] for row in self.numbers[down]]

    def _format(self, kind: str) -> Format:
        exact = not self.tensor.is_floating_point()
        return self.styles.number(kind, chain.from_iterable(self.numbers), exact=exact)


def array(sheet: Worksheet, cells: Range, text: str, stored: Numbers, style: Format) -> None:
    """An array formula; each of its cells has a result in store."""
    sheet.write_array_formula(*corners(cells), f"={text}", style, kept(stored[0][0]))
    for at, row in enumerate(stored):
        for along, x in enumerate(row):
            if at or along:
                sheet.write_number(cells.top + at, cells.left + along, x, style)


def kept(x: float) -> float | str:
    """A number that can be a formula's stored result."""
    return x if math.isfinite(x) else WRONG


def corners(cells: Range) -> tuple[int, int, int, int]:
    """First and last row and column, as XlsxWriter has them."""
    return cells.top, cells.left, cells.top + cells.height - 1, cells.left + cells.width - 1
