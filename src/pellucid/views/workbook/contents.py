"""The first sheet: what the book holds, how to read it, and how true it is."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from xlsxwriter.worksheet import Worksheet

from pellucid.views.workbook.grid import UNKNOWN
from pellucid.views.workbook.places import Page
from pellucid.views.workbook.plan import Plan
from pellucid.views.workbook.styles import A4, Styles
from pellucid.views.workbook.text import pieces, shown

TITLE = "contents"
READING = (
    "Blue numbers are typed in: ids, weights, vectors that are given. Change one, and everything "
    "that follows from it changes.",
    "Black numbers are formulas over other cells. Ranges have names: of the paper, as Q, K, W_Q.",
    "Beside or below each result stand the model's own value, in grey, and the difference.",
    "Δ at a matrix's corner is its largest difference, over the largest number of the matrix.",
    "−∞ is the number -1E+300, since no cell can hold it.",
    "A ? is a check that this program has not recalculated yet (Ctrl+Shift+F9).",
)
RECALCULATED = "not recalculated yet"
LINK = 24  # characters


@dataclass
class Contents:
    """The sheet, filled from top to bottom."""

    sheet: Worksheet
    styles: Styles
    title: str = "A model in cells"
    filled: int = 0

    def write(self, facts: Iterable[tuple[str, str]], pages: Sequence[Page]) -> None:
        """Write it all: what there is to know, how to read it, and what the sheets show."""
        self.sheet.hide_gridlines(2)
        self.sheet.set_column(0, 0, LINK)
        self.sheet.set_column(1, 1, 90)
        self.sheet.set_column(2, 2, 12)
        self.sheet.set_landscape()
        self.sheet.set_paper(A4)
        self.sheet.fit_to_pages(1, 0)
        self._line(self.title, "title")
        for name, fact in (*facts, ("largest difference", "")):
            self._fact(name, fact)
        worst = self.filled - 1
        self.filled += 1
        for line in READING:
            self._line(line, "text")
        self.filled += 1
        first = self.filled + 1
        self._table(pages)
        self._worst(worst, first, self.filled - 1)

    def _line(self, text: str, style: str) -> None:
        self.sheet.write_string(self.filled, 0, text, self.styles[style])
        self.filled += 1

    def _fact(self, name: str, fact: str) -> None:
        self.sheet.write_string(self.filled, 0, name, self.styles["aside"])
        self.sheet.write_string(self.filled, 1, fact, self.styles["wrapped"])
        self.filled += 1

    def _table(self, pages: Sequence[Page]) -> None:
        for column, heading in enumerate(("sheet", "what it shows", "largest Δ")):
            self.sheet.write_string(self.filled, column, heading, self.styles["caption"])
        self.filled += 1
        for page in pages:
            quoted = page.title.replace("'", "''")
            link = f"internal:'{quoted}'!A1"
            self.sheet.write_url(self.filled, 0, link, self.styles["link"], page.title)
            self.sheet.write_string(self.filled, 1, page.shows, self.styles["text"])
            if page.checks:
                formula = f"=MAX('{quoted}'!{page.checks})"
                style = self.styles["difference"]
                self.sheet.write_formula(self.filled, 2, formula, style, UNKNOWN)
            self.filled += 1

    def _worst(self, row: int, first: int, last: int) -> None:
        formula = f"=MAX($C${first + 1}:$C${last + 1})"
        self.sheet.write_formula(row, 1, formula, self.styles["worst"], RECALCULATED)


def facts_of(plan: Plan) -> Iterator[tuple[str, str]]:
    """What there is to know of a trace: its texts, its model, and which part of it is here."""
    for stream, texts in plan.trace.texts.items():
        name = "text" if stream == "tokens" else stream
        yield from ((name, piece) for piece in pieces(texts[plan.part.sentence].text))
    yield "model", shown(str(plan.trace.about.get("model", "")))
    yield "shown", str(plan.part)
    yield "cells", f"{plan.size:,} numbers"
