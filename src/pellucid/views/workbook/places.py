"""Places: where on its sheet each matrix stands, with its words, its check and its formula.

A sheet is filled from top to bottom. A result that is narrow has the model's own value and the
difference beside it, a wide one has them below.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from pellucid.formula.sheet import Range
from pellucid.views.workbook.names import Named

TOP, LEFT = 3, 1  # rows for the title and its line; a column for the words of rows
HEAD, GAP = 2, 1  # rows above a matrix: its title, words for its columns; cells between two
NARROW = 20  # columns up to which a result has the model's own beside it, not below


@dataclass(frozen=True)
class Block:
    """One matrix: its cells, and where it is compared with the model's own."""

    title: str
    cells: Range
    own: Range | None = None
    difference: Range | None = None

    @property
    def title_row(self) -> int:
        """Where its title stands: where it is compared, a row of captions lies between."""
        return self.cells.top - HEAD - (1 if self.own else 0)

    @property
    def check(self) -> tuple[int, int]:
        """Row and column of the cell that tells the largest difference."""
        return self.cells.top - 1, 0

    def parts(self) -> Iterator[Range]:
        """All matrices of the block."""
        yield from (each for each in (self.cells, self.own, self.difference) if each)


@dataclass(frozen=True)
class Table:
    """Some rows of a table, and the cells that say which rows of the model's they are."""

    block: Block
    ids: Range


@dataclass
class Page:
    """A sheet in the making."""

    title: str
    shows: str
    check: str = ""
    blocks: list[Block] = field(default_factory=list)
    filled: int = TOP

    def place(self, title: str, height: int, width: int, name: str = "") -> Block:
        """Room for a matrix that is typed in."""
        return self._add(Block(title, self._room(height, width, name)))

    def table(self, title: str, height: int, width: int, name: str = "") -> Table:
        """Room for some rows of a table, and for the number of each."""
        cells = self._room(height, width, name)
        ids = Range(self.title, cells.top, LEFT, height, 1)
        return Table(self._add(Block(title, replace(cells, left=LEFT + 1 + GAP))), ids)

    def compare(self, title: str, height: int, width: int, name: str = "") -> Block:
        """Room for a result, for the model's own value, and for the difference."""
        self.filled += 1
        cells = self._room(height, width, name)
        bare = Range(self.title, cells.top, cells.left, height, width)
        if width <= NARROW:
            own = replace(bare, left=bare.left + width + GAP)
            difference = replace(own, left=own.left + width + GAP)
        else:
            own, difference = self._room(height, width), self._room(height, width)
        return self._add(Block(title, cells, own, difference))

    def _add(self, block: Block) -> Block:
        self.blocks.append(block)
        return block

    def _room(self, height: int, width: int, name: str = "") -> Range:
        top = self.filled + HEAD
        self.filled = top + height + 1
        if name:
            return Named(self.title, top, LEFT, height, width, name)
        return Range(self.title, top, LEFT, height, width)

    @property
    def checks(self) -> str:
        """The cells that tell differences; none where nothing is compared.

        All numbers in the first column are checks: words of rows are text, also "0".
        """
        compared = self.check or any(block.own for block in self.blocks)
        return self.check or (f"$A$1:$A${self.filled}" if compared else "")

    @property
    def width(self) -> int:
        """How many columns are filled."""
        parts = (part for block in self.blocks for part in block.parts())
        return max((part.left + part.width for part in parts), default=LEFT)
