"""Workbooks read back: stored results blanked, recalculated, and compared with float64."""

import re
import warnings
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import openpyxl
import torch
from openpyxl.utils.cell import range_boundaries
from torch import Tensor

from pellucid import Trace
from pellucid.formula.sheet import LOWEST, Range
from pellucid.views.workbook.layout import Layout
from pellucid.views.workbook.part import Part
from pellucid.views.workbook.plan import Plan
from pellucid.views.workbook.waves import with_waves

CELL = re.compile(r'<c r="([A-Z]+)(\d+)"([^>/]*)>(.*?)</c>')
ARRAY = re.compile(r'<f t="array" ref="([A-Z0-9:]+)">')
WRONG = "123456789"


def layout(trace: Trace, layer: int | None = None, head: int | None = None) -> Layout:
    """The same layout that the workbook was written with."""
    whole = with_waves(trace) if layer is head is None else trace
    return Layout(Plan(whole, Part.of(whole, layer, head, 0)))


def blanked(path: Path, to: Path) -> Path:
    """A copy in which every result in store is wrong."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = old.read(name)
            if name.startswith("xl/worksheets/sheet"):
                data = _without_results(data.decode()).encode()
            new.writestr(name, data)
    return to


def _without_results(sheet: str) -> str:
    filled = set(_filled(sheet))

    def without(found: re.Match[str]) -> str:
        column, row, rest, inside = found.groups()
        if (column, int(row)) not in filled and "<f>" not in inside:
            return found[0]
        inside = re.sub("<v>.*?</v>", f"<v>{WRONG}</v>", inside)
        rest = rest.replace(' t="str"', "")
        return f'<c r="{column}{row}"{rest}>{inside}</c>'

    return CELL.sub(without, sheet)


def _filled(sheet: str) -> Iterator[tuple[str, int]]:
    """Columns and rows of all cells that array formulas fill."""
    for reference in ARRAY.findall(sheet):
        left, top, right, bottom = range_boundaries(reference)
        for column in range(left, right + 1):
            letters = openpyxl.utils.get_column_letter(column)
            yield from ((letters, row) for row in range(top, bottom + 1))


def typed(path: Path, to: Path, title: str, cell: str, number: float) -> Path:
    """A copy with another number in a cell, as if a person had typed it."""
    at = 1 + openpyxl.load_workbook(path, read_only=True).sheetnames.index(title)
    pattern = re.compile(rf'(<c r="{cell}"[^>]*><v>)[^<]*')
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = old.read(name)
            if name == f"xl/worksheets/sheet{at}.xml":
                text, count = pattern.subn(rf"\g<1>{number}", data.decode())
                assert count == 1
                data = text.encode()
            new.writestr(name, data)
    return to


class Read:
    """The numbers of a workbook, as a program that does not recalculate shows them."""

    def __init__(self, path: Path) -> None:
        with warnings.catch_warnings(action="ignore"):  # Gnumeric's files have no default style
            self.book = openpyxl.load_workbook(path, data_only=True)
        self.values = cache(lambda title: list(self.book[title].values))

    def matrix(self, cells: Range) -> Tensor:
        rows = self.values(cells.sheet)[cells.top : cells.top + cells.height]
        inside = [row[cells.left : cells.left + cells.width] for row in rows]
        return torch.tensor(inside, dtype=torch.float64)

    def cell(self, title: str, row: int, column: int) -> object:
        return self.values(title)[row][column]


def exactly(plan: Plan) -> dict[str, list[Tensor]]:
    """Every value in float64, from what is typed in, a matrix a head."""

    @cache
    def value(name: str) -> Tensor:
        formula = plan.formula(name)
        if formula is None:
            found = plan.trace.value(name, {})
            return found.double() if found.is_floating_point() else found
        return formula.compute(*map(value, formula.parents))

    return {name: plan.form(name).matrices(value(name), plan.boxes[name]) for name in plan.values}


def apart(found: Tensor, expected: Tensor) -> float:
    """The largest difference, over the largest number; −∞ must be where it is."""
    expected = expected.double()
    hidden = expected == float("-inf")
    assert torch.equal(found <= float(LOWEST), hidden)
    largest = expected[~hidden].abs().max().item() if (~hidden).any() else 1.0
    return ((found - expected)[~hidden].abs().max().item() if (~hidden).any() else 0.0) / (
        largest or 1.0
    )
