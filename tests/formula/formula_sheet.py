"""The cases in a workbook: operands as numbers, results as formulas."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import openpyxl
import torch
import xlsxwriter
from formula_cases import Case, matrices
from torch import Tensor
from xlsxwriter.worksheet import Worksheet

from pellucid.formula.sheet import LOWEST, Cells, Range

Values = list[tuple[Any, ...]]
WRONG = 123456789.0  # what a file shows that nobody has recalculated


@dataclass
class Page:
    """A worksheet that is filled from top to bottom."""

    sheet: Worksheet
    filled: int = 0
    texts: list[str] = field(default_factory=list)

    def place(self, x: Tensor | list[Tensor]) -> Cells:
        """Room for a matrix, or for one a head."""
        if isinstance(x, list):
            return [self.place(head) for head in x]
        height, width = x.shape
        cells = Range(self.sheet.get_name(), self.filled, 2, height, width)
        self.filled += height + 1
        return cells

    def fill(self, x: Tensor | list[Tensor]) -> Cells:
        """A matrix as numbers; −∞ is the lowest number."""
        cells = self.place(x)
        for place, matrix in zip(flat(cells), flat(x), strict=True):
            for i, numbers in enumerate(lowest(matrix).tolist()):
                self.sheet.write_row(place.top + i, place.left, numbers)
        return cells

    def calculate(self, case: Case) -> Cells:
        """A case: its name, its operands, its result as array formulas."""
        self.sheet.write_string(self.filled, 0, case.name)
        operands = [*map(self.fill, map(matrices, case.operands, case.axes))]
        out = self.place(matrices(case.expected, case.formula.axes))
        for cells, text in case.formula.cells(out, *operands):
            bottom, right = cells.top + cells.height - 1, cells.left + cells.width - 1
            place = (cells.top, cells.left, bottom, right)
            self.sheet.write_array_formula(*place, f"={text}", value=WRONG)
            self.texts.append(text)
        return out


@dataclass
class Book:
    """A workbook, where each case's result lies in it, and all its formulas."""

    path: Path
    places: dict[str, Cells]
    texts: list[str]


def flat(x: Any) -> list[Any]:
    return x if isinstance(x, list) else [x]


def lowest(x: Tensor) -> Tensor:
    return torch.where(x == float("-inf"), float(LOWEST), x.double())


def write(path: Path, cases: Iterable[Case]) -> Book:
    """Write all cases, a sheet an operation."""
    pages: dict[str, Page] = {}
    places = {}
    with xlsxwriter.Workbook(path) as book:
        for case in cases:
            name = f"{case.formula.operation.name}'s own"  # a name that must be quoted with care
            if name not in pages:
                pages[name] = Page(book.add_worksheet(name))
            places[case.name] = pages[name].calculate(case)
    return Book(path, places, [text for page in pages.values() for text in page.texts])


def read(path: Path, places: dict[str, Cells]) -> dict[str, list[Values]]:
    """What stands at each place, a matrix a head."""
    book = openpyxl.load_workbook(path, data_only=True)
    values = {sheet.title: list(sheet.values) for sheet in book}
    return {
        name: [inside(values[cells.sheet], cells) for cells in flat(place)]
        for name, place in places.items()
    }


def inside(rows: Values, cells: Range) -> Values:
    across = slice(cells.left, cells.left + cells.width)
    return [each[across] for each in rows[cells.top : cells.top + cells.height]]


def as_numbers(values: Values) -> Tensor:
    """As a tensor; an error in a cell fails."""
    wrong = {each for each in chain(*values) if type(each) not in (int, float)}
    assert not wrong, wrong
    return torch.tensor(values, dtype=torch.float64)
