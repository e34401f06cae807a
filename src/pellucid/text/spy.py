"""The matrix as a picture: where it is not zero."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from pellucid.errors import PellucidError, UsageError
from pellucid.record.files import Existing, check_writable, write
from pellucid.text.counting import Tally

SIDE = 400  # cells at most, each way
ROWS = 1 << 14  # that are counted at once
INCHES = (7.0, 6.0)


def density(matrix: csr_array, side: int = SIDE) -> NDArray[np.float64]:
    """The share of numbers that are not zero in each cell of a grid over the matrix.

    Columns stand in order of how many texts have them, the commonest at the left.
    """
    rows, columns = matrix.shape
    high, wide = min(rows, side), min(columns, side)
    place = np.empty(columns, np.int64)
    place[np.argsort(-having(matrix), kind="stable")] = np.arange(columns) * wide // columns
    grid = np.zeros(high * wide, np.int64)
    for first in range(0, rows, ROWS):
        part = matrix[first : first + ROWS]
        number = np.repeat(np.arange(first, first + part.shape[0]), np.diff(part.indptr))
        cell = number * high // rows * wide + place[part.indices]
        grid += np.bincount(cell, minlength=len(grid))
    return grid.reshape(high, wide) / np.outer(held(rows, high), held(columns, wide))


def having(matrix: csr_array) -> NDArray[np.int64]:
    """In how many rows each column is not zero."""
    tally = Tally()
    for first in range(0, matrix.shape[0], ROWS):
        tally.add(matrix[first : first + ROWS])
    return tally.having


def held(count: int, cells: int) -> NDArray[np.int64]:
    """How many of `count` rows or columns fall into each of so many cells."""
    return np.bincount(np.arange(count) * cells // count, minlength=cells)


def check_picture(path: Path, existing: Existing) -> None:
    """Say early why a picture could not be drawn."""
    endings = _figure().canvas.get_supported_filetypes()
    if path.suffix.removeprefix(".") not in endings:
        raise UsageError(f"{path} is no picture; end its name in .png, .svg or .pdf.")
    check_writable(path, existing)


def spy(matrix: csr_array, path: Path, existing: Existing = "refuse") -> None:
    """Draw where the matrix is not zero; the file's ending says as what."""
    figure = _figure()
    axes = figure.add_subplot()
    shares = np.ma.masked_equal(density(matrix), 0)
    image = axes.imshow(shares, norm="log", cmap="viridis_r", aspect="auto", interpolation="none")
    image.set_extent((0, matrix.shape[1], matrix.shape[0], 0))
    axes.set(xlabel="terms, the commonest first", ylabel="documents")
    figure.colorbar(image, label="share that is not zero")
    ending = path.suffix.removeprefix(".")
    write(path, lambda beside: figure.savefig(beside, format=ending, dpi=200), existing)


def _figure() -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise PellucidError("Pictures need matplotlib: pip install 'pellucid[figures]'.") from error
    return Figure(figsize=INCHES, layout="constrained")
