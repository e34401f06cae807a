"""A matrix as coloured cells with words around it; every word has a cell's height to itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.image import AxesImage
from numpy.typing import NDArray

POINTS = 72  # in an inch
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Matrix:
    """Numbers, with words for rows and columns (None: there are none to show) or in the cells."""

    title: str
    numbers: Numbers
    rows: Sequence[str] | None = None
    columns: Sequence[str] | None = None
    signed: bool = True
    texts: Sequence[Sequence[str]] | None = None


def draw(axes: Axes, matrix: Matrix, own: dict[str, Any]) -> AxesImage:
    """The matrix as an image; what is −∞ is hatched."""
    finite = np.where(np.isfinite(matrix.numbers), matrix.numbers, np.nan)
    largest = most(matrix) or 1.0
    image = axes.imshow(
        finite,
        cmap=own["signed"] if matrix.signed else own["weights"],
        vmin=-largest if matrix.signed else 0.0,
        vmax=largest,
        aspect="auto",
        interpolation="nearest",
    )
    axes.set_facecolor("#e6e8ee")
    axes.set_title(matrix.title, loc="left")
    axes.set_title(extent(matrix), loc="right", color="#7d8391")
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    _words(axes, matrix, word_size(own["cell"]))
    _texts(axes, matrix, image, word_size(own["cell"]))
    return image


def most(matrix: Matrix) -> float:
    """The largest magnitude, the darkest colour."""
    finite = matrix.numbers[np.isfinite(matrix.numbers)]
    return float(np.abs(finite).max(initial=0.0))


def extent(matrix: Matrix) -> str:
    """What the darkest colours stand for; nothing where there are no words around."""
    if matrix.rows is None or matrix.texts:
        return ""
    return f"{'±' if matrix.signed else '0 to '}{most(matrix):.3g}"


def word_size(cell: float) -> float:
    """Points of a word that fits into a cell of so many inches with room around it."""
    return cell * POINTS * 0.62


def _words(axes: Axes, matrix: Matrix, size: float) -> None:
    """A word a cell; where there are none, no ticks."""
    rows, columns = matrix.rows or (), matrix.columns or ()
    axes.set_yticks(range(len(rows)), rows, fontsize=size)
    axes.set_xticks(range(len(columns)), columns, fontsize=size, rotation=90)


def _texts(axes: Axes, matrix: Matrix, image: AxesImage, size: float) -> None:
    """A text in each cell, light on dark colours."""
    for at, row in enumerate(matrix.texts or ()):
        for along, text in enumerate(row):
            red, green, blue, _ = image.to_rgba(matrix.numbers[at, along])
            ink = "black" if 0.3 * red + 0.59 * green + 0.11 * blue > 0.5 else "white"
            axes.text(along, at, text, size=size, color=ink, ha="center", va="center_baseline")
