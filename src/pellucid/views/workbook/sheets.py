"""Sheets: everything that a layout has places for, written."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import torch
from torch import Tensor
from xlsxwriter import Workbook
from xlsxwriter.worksheet import Worksheet

from pellucid.formula.sheet import Range
from pellucid.views.workbook.formulas import formulas, lookup
from pellucid.views.workbook.grid import Grid
from pellucid.views.workbook.layout import Layout
from pellucid.views.workbook.names import Named
from pellucid.views.workbook.places import LEFT, Block, Page
from pellucid.views.workbook.styles import A4, Styles
from pellucid.views.workbook.words import Words

TITLE_ROWS, TALL = 2, 50  # rows that stay in sight, and that fit on a printed page
PRINTABLE = 80  # columns that can still be read on a page
LONGEST_WORD = 28  # characters of a row's word that the first column is made wide for


@dataclass
class Sheets:
    """All sheets of a workbook but its contents."""

    book: Workbook
    layout: Layout
    styles: Styles
    headings: dict[str, set[tuple[str, ...]]] = field(default_factory=lambda: defaultdict(set))
    row_words: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    known: dict[str, Tensor] = field(default_factory=dict)
    place: str = ""

    @cached_property
    def words(self) -> Words:
        return Words(self.layout.plan)

    @cached_property
    def made(self) -> dict[str, Worksheet]:
        return {title: self.book.add_worksheet(title) for title in self.layout.pages}

    def write(self, told: Callable[[str], object]) -> None:
        """Write everything; `told` hears of each value as its turn comes."""
        for title, page in self.layout.pages.items():
            prepare(self.made[title], page, self.styles)
        for name, blocks in self.layout.blocks.items():
            told(name)
            self._value(name, blocks)
        for name, block in self.layout.lookups.items():
            self._lookup(name, block)
        for name, table in self.layout.tables.items():
            rows = torch.tensor(sorted(self.layout.plan.tables[name]))[:, None]
            self._grid(Block("", table.ids), rows, [""] * len(rows), ["id"]).typed()
        self._name_ranges()
        for title, page in self.layout.pages.items():
            self._freeze(self.made[title], page)

    def _freeze(self, sheet: Worksheet, page: Page) -> None:
        """Keep the words of rows in sight; those of columns where all matrices share them."""
        shared = len(self.headings[page.title]) == 1
        rows = page.blocks[0].cells.top if shared else TITLE_ROWS
        sheet.freeze_panes(rows, LEFT)
        if shared and page.filled > TALL:
            sheet.repeat_rows(0, rows - 1)
        longest = max(map(len, self.row_words[page.title]), default=0)
        sheet.set_column(0, 0, min(max(longest + 2, 12), LONGEST_WORD))

    def _value(self, name: str, blocks: list[Block]) -> None:
        pairs = list(formulas(self.layout, name))
        first = self._first_head(name)
        for head, (block, numbers) in enumerate(zip(blocks, self.matrices(name), strict=True)):
            rows = self.words.rows(name, first + head)
            columns = self.words.columns(name, first + head)
            grid = self._grid(block, numbers, rows, columns)
            if pairs:
                grid.computed([pair for pair in pairs if holds(block.cells, pair[0])])
            else:
                grid.typed()

    def _grid(self, block: Block, numbers: Tensor, rows: list[str], columns: list[str]) -> Grid:
        self.headings[block.cells.sheet].add(tuple(columns))
        self.row_words[block.cells.sheet].update(rows)
        return Grid(self.made[block.cells.sheet], self.styles, block, numbers, rows, columns)

    def _first_head(self, name: str) -> int:
        form = self.layout.plan.form(name)
        return 0 if form.head is None else self.layout.plan.boxes[name][form.head].start

    def matrices(self, name: str) -> list[Tensor]:
        """The model's own numbers, a matrix a head; what was derived on the way is soon let go."""
        plan = self.layout.plan
        if name in plan.trace.nodes and plan.trace.node(name).place != self.place:
            self.known, self.place = {}, plan.trace.node(name).place
        value = plan.trace.value(name, self.known)
        if name in plan.tables:
            return [value[sorted(plan.tables[name])]]
        return plan.form(name).matrices(value, plan.boxes[name])

    def _lookup(self, name: str, block: Block) -> None:
        table, ids = self.layout.plan.trace.node(name).parents
        rows = sorted(self.layout.plan.tables[self.layout.plan.own(table)])
        numbers = torch.tensor([[rows.index(each)] for each in self.layout.plan.ids(ids)])
        words = self.words.rows(self.layout.plan.own(ids), 0)
        grid = self._grid(block, numbers, words, ["row"])
        grid.computed([(block.cells, lookup(self.layout, name))])

    def _name_ranges(self) -> None:
        for blocks in self.layout.blocks.values():
            for block in blocks:
                if isinstance(block.cells, Named):
                    self.book.define_name(block.cells.name, f"={block.cells.bare}")


def prepare(sheet: Worksheet, page: Page, styles: Styles) -> None:
    """A sheet's title, what it shows, and how it is printed."""
    sheet.write_string(0, 0, page.title, styles["title"])
    sheet.write_string(1, 0, page.shows, styles["shows"])
    sheet.hide_gridlines(2)
    sheet.set_column(LEFT, page.width, 9)
    sheet.set_landscape()
    sheet.set_paper(A4)
    sheet.set_footer("&L&F&C&A&R&P / &N")
    if page.width <= PRINTABLE:
        sheet.fit_to_pages(1, 0)
    else:  # where they are not needed, such titles cost LibreOffice half a second a sheet
        sheet.repeat_columns(0, 0)


def holds(cells: Range, part: Range) -> bool:
    """Whether the part lies within the cells."""
    down = cells.top <= part.top < cells.top + cells.height
    return down and cells.left <= part.left < cells.left + cells.width
