"""Curves of a run in the terminal: the first as a line of braille dots, others as marks on it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.style import Style
from rich.text import Text

from pellucid.train.history import Curve
from pellucid.views.labels import right
from pellucid.views.lines import FAINT, between, heading, printed, with_margin
from pellucid.views.numbers import writer

Panel = Mapping[str, Curve]
Cells = dict[tuple[int, int], tuple[str, Style]]  # what stands where, by row and column

ROWS = 8
AXIS = 10  # cells for the numbers at the left
BRAILLE = 0x2800
DOTS = np.array([[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]])  # by column and row
MARKS = "●▲■◆"
LINE, *MARKED = (Style(color=name) for name in ("#4f9bd9", "#d57f2a", "#3a9d6e", "#b25fb8"))


def show(panels: Mapping[str, Panel]) -> None:
    """Print the panels one below another: as wide as the terminal."""
    printed(lambda width: draw(panels, width))


def draw(panels: Mapping[str, Panel], width: int) -> Iterator[Text]:
    """The lines, each of at most `width` cells; of at least forty."""
    return with_margin(
        line for title, panel in panels.items() for line in plot(title, panel, between(width))
    )


def plot(title: str, panel: Panel, width: int) -> Iterator[Text]:
    """A heading, the curves within their axes, and which mark is which."""
    finite = {name: each for name, curve in panel.items() if (each := curve.finite()).steps}
    yield heading(title, "  ".join(legend(finite)), width)
    if not finite:
        yield Text("nothing to draw", FAINT)
        return
    frame = Frame.around(finite, width - AXIS - 1)
    cells = frame.cells(finite)
    for row in range(ROWS):
        line = Text().append(f"{right(frame.label(row), AXIS)}", FAINT).append("│", FAINT)
        for column in range(frame.width):
            line.append(*cells.get((row, column), (" ", Style())))
        yield line
    last = f"step {frame.last:,.0f}"
    yield Text(f"{frame.first:>{AXIS + 1},.0f}{last:>{frame.width}}", FAINT)


def legend(panel: Panel) -> Iterator[str]:
    """The name of each curve after its mark."""
    for mark, name in zip(f"─{MARKS}", panel, strict=False):
        yield f"{mark} {name}"


@dataclass(frozen=True)
class Frame:
    """From steps and values to places in so many cells."""

    width: int
    first: float
    last: float
    least: float
    most: float

    @classmethod
    def around(cls, panel: Panel, width: int) -> "Frame":
        """Just large enough for all curves."""
        steps = [step for curve in panel.values() for step in curve.steps]
        values = [value for curve in panel.values() for value in curve.values]
        return cls(width, min(steps), max(steps), min(values), max(values))

    def label(self, row: int) -> str:
        """The largest number at the top, the smallest at the bottom."""
        write = writer([self.least, self.most], 4)
        return {0: write(self.most), ROWS - 1: write(self.least)}.get(row, "")

    def cells(self, panel: Panel) -> Cells:
        """What stands in each cell; where curves meet, the later one."""
        line, *others = panel.values()
        cells = self._line(line)
        for mark, style, curve in zip(MARKS, MARKED, others, strict=False):
            columns, rows = self._places(curve, 1, 1)
            places = zip(rows.tolist(), columns.tolist(), strict=True)
            cells |= dict.fromkeys(places, (mark, style))
        return cells

    def _line(self, curve: Curve) -> Cells:
        """Dots at the curve's points, and between them where there is room."""
        columns, rows = self._places(self._filled(curve), 2, 4)
        dots: dict[tuple[int, int], int] = {}
        for column, row in zip(columns.tolist(), rows.tolist(), strict=True):
            cell = row // 4, column // 2
            dots[cell] = dots.get(cell, 0) | int(DOTS[column % 2, row % 4])
        return {cell: (chr(BRAILLE + bits), LINE) for cell, bits in dots.items()}

    def _filled(self, curve: Curve) -> Curve:
        between = np.linspace(curve.steps[0], curve.steps[-1], 2 * self.width)
        values = np.interp(between, curve.steps, curve.values)
        return Curve([*curve.steps, *between.tolist()], [*curve.values, *values.tolist()])

    def _places(
        self, curve: Curve, across: int, down: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Columns and rows of its points, in so many parts of a cell; the top row is 0."""
        right, low = across * self.width - 1, down * ROWS - 1
        columns = share(curve.steps, self.first, self.last) * right
        rows = low - share(curve.values, self.least, self.most) * low
        return columns.round().astype(np.int64), rows.round().astype(np.int64)


def share(numbers: list[float], least: float, most: float) -> NDArray[np.float64]:
    """How far numbers are on the way from the least to the most; all the same are halfway."""
    if least == most:
        return np.full(len(numbers), 0.5)
    return (np.array(numbers) - least) / (most - least)
