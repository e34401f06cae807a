"""A matrix as lines of text: words around numbers, cut where the terminal ends."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from rich.cells import cell_len
from rich.text import Text

from pellucid.views.choice import Matrix
from pellucid.views.labels import right
from pellucid.views.lines import FAINT, ROWS, WORD, ends
from pellucid.views.numbers import HIDDEN, Write, shade, writer

GAP, EDGES = " …", "  "  # between columns; left and right of them all

# decimals, and how far a column may widen for its word: the first that fits is taken
ATTEMPTS = ((3, 12), (3, 0), (2, 0))


@dataclass(frozen=True)
class Grid:
    """A matrix, and how its columns are written."""

    matrix: Matrix
    decimals: int
    words: int  # cells that a column may widen to for its word
    labels: int  # cells for the words of the rows

    @cached_property
    def rows(self) -> list[int | None]:
        return ends(len(self.matrix.rows), ROWS)

    @cached_property
    def cells(self) -> list[float]:
        shown = (self.matrix.numbers[at] for at in self.rows if at is not None)
        return list(chain.from_iterable(shown))

    @cached_property
    def write(self) -> Write:
        return writer(self.cells, self.decimals)

    @cached_property
    def largest(self) -> float:
        return max((abs(x) for x in self.cells if math.isfinite(x)), default=0.0)

    @cached_property
    def column(self) -> int:
        """Cells for a number; one more stands before it."""
        numbers = max((cell_len(self.write(x)) for x in self.cells), default=1)
        words = max(map(cell_len, self.matrix.columns), default=0)
        return max(numbers, min(words, self.words), 2)

    @property
    def width(self) -> int:
        return self.labels + len(self.matrix.columns) * (self.column + 1) + len(EDGES)

    def lines(self, width: int) -> list[Text]:
        """The grid in so many cells."""
        columns = ends(len(self.matrix.columns), self._room(width))
        return [self._head(columns), *(self._row(at, columns) for at in self.rows)]

    def _room(self, width: int) -> int:
        """How many columns fit; if not all do, the gap takes its cells from them."""
        gap = len(GAP) if self.width > width else 0
        return (width - self.labels - gap - len(EDGES)) // (self.column + 1)

    def _head(self, columns: Sequence[int | None]) -> Text:
        line = Text(" " * (self.labels + 1))
        for at in columns:
            word = "" if at is None else right(self.matrix.columns[at], self.column)
            line.append(f" {word}" if word else GAP, WORD if word else FAINT)
        return line

    def _row(self, row: int | None, columns: Sequence[int | None]) -> Text:
        if row is None:
            return Text(right("⋮", self.labels), FAINT)
        line = Text().append(f"{right(self.matrix.rows[row], self.labels)} ", WORD)
        for at in columns:
            line.append_text(self._cell(row, at))
        return line.append(" ", line.spans[-1].style)

    def _cell(self, row: int, column: int | None) -> Text:
        if column is None:
            return Text(GAP, HIDDEN)
        x = self.matrix.numbers[row][column]
        return Text(f" {right(self.write(x), self.column)}", shade(x, self.largest))


def grid(matrix: Matrix, width: int) -> Grid:
    """The matrix with as many digits, and as wide, as fits into `width` cells."""
    longest = max(map(cell_len, matrix.rows), default=0)
    labels = min(longest, max(width // 5, 6), 14)
    grids = (Grid(matrix, decimals, words, labels) for decimals, words in ATTEMPTS)
    *better, last = grids
    return next((each for each in better if each.width <= width), last)
