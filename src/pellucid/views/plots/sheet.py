"""Matrices side by side in a figure, placed to the inch, so that no word meets another."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from pellucid.views.plots.matrices import Matrix, draw, extent, word_size
from pellucid.views.plots.style import settings

GAP, PAD, TITLE, EDGE = 0.3, 0.08, 0.3, 0.15  # inches
WIDEST = 4.0  # inches of a matrix whose columns have no words


@dataclass(frozen=True)
class Panel:
    """A matrix and the room that it takes with its words, in inches."""

    matrix: Matrix
    cells: tuple[float, float]
    left: float
    below: float

    @property
    def width(self) -> float:
        return self.left + self.cells[0]

    @property
    def height(self) -> float:
        return TITLE + self.cells[1] + self.below


def side_by_side(
    rows: Sequence[Sequence[Matrix]],
    own: dict[str, Any],
    title: str = "",
    room: tuple[float, float] = (0.0, 0.0),
) -> Figure:
    """Rows of matrices as a figure as large as they need, and at least as wide as the `room`.

    The room, so many inches wide and high, is left empty above them.
    """
    figure = Figure()
    FigureCanvasAgg(figure)
    panels = [[_panel(figure, matrix, own) for matrix in row] for row in rows]
    widths = [sum(panel.width + GAP for panel in row) - GAP for row in panels]
    heights = [max(panel.height for panel in row) for row in panels]
    head = (TITLE if title else 0.0) + room[1]
    width = max([*widths, length(figure, [title], None), room[0]]) + 2 * EDGE
    height = sum(heights) + GAP * max(len(rows) - 1, 0) + head + 2 * EDGE
    figure.set_size_inches(width, height)
    if title:
        figure.text(
            EDGE / width, 1 - EDGE / height, title, va="top", size=settings()["axes.titlesize"] + 2
        )
    top = height - EDGE - head
    for row, tall in zip(panels, heights, strict=True):
        left = EDGE
        for panel in row:
            _place(figure, panel, (left, top), own)
            left += panel.width + GAP
        top -= tall + GAP
    return figure


def _place(figure: Figure, panel: Panel, corner: tuple[float, float], own: dict[str, Any]) -> None:
    width, height = figure.get_size_inches()
    left, top = corner[0] + panel.left, corner[1] - TITLE - panel.cells[1]
    across, down = panel.cells
    axes = figure.add_axes((left / width, top / height, across / width, down / height))
    draw(axes, panel.matrix, own)


def _panel(figure: Figure, matrix: Matrix, own: dict[str, Any]) -> Panel:
    size = word_size(own["cell"])
    left = length(figure, matrix.rows or (), size) + PAD
    below = length(figure, matrix.columns or (), size) + PAD
    across, down = _cells(figure, matrix, own["cell"])
    titled = length(figure, [matrix.title + 3 * " " + extent(matrix)], "axes.titlesize")
    return Panel(matrix, (max(across, titled - left), down), left, below)


def _cells(figure: Figure, matrix: Matrix, cell: float) -> tuple[float, float]:
    """Inches of all cells: squares, but for those with texts inside, or without words."""
    rows, columns = matrix.numbers.shape
    if matrix.texts:
        words = [text for row in matrix.texts for text in row]
        return columns * (length(figure, words, word_size(cell)) + 2 * PAD), rows * cell
    across = columns * cell
    return across if matrix.columns else min(across, WIDEST), rows * cell


def length(figure: Figure, words: Sequence[str], size: Any) -> float:
    """Inches that the longest word takes."""
    points = settings()[size] if isinstance(size, str) else size
    texts = (Text(0, 0, word, fontsize=points, figure=figure) for word in words)
    return max((text.get_window_extent().width / figure.dpi for text in texts), default=0.0)
