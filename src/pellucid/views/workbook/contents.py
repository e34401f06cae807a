"""The first sheet: what the book holds, how to read it, and how true it is."""

from dataclasses import dataclass

from xlsxwriter.worksheet import Worksheet

from pellucid.views.workbook.grid import UNKNOWN
from pellucid.views.workbook.layout import Layout
from pellucid.views.workbook.places import Page
from pellucid.views.workbook.styles import A4, Styles
from pellucid.views.workbook.text import pieces, shown

TITLE = "contents"
READING = (
    "Blue numbers are typed in: the ids, the weights, what a layer is given. Change one, and "
    "everything that follows from it changes.",
    "Black numbers are formulas over other cells. Ranges have the names of the paper: Q, K, W_Q.",
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
    layout: Layout
    styles: Styles
    filled: int = 0

    def write(self) -> None:
        """Write it all."""
        self.sheet.hide_gridlines(2)
        self.sheet.set_column(0, 0, LINK)
        self.sheet.set_column(1, 1, 90)
        self.sheet.set_column(2, 2, 12)
        self.sheet.set_landscape()
        self.sheet.set_paper(A4)
        self.sheet.fit_to_pages(1, 0)
        self._line("A model in cells", "title")
        self._facts()
        worst = self.filled - 1
        self.filled += 1
        for line in READING:
            self._line(line, "text")
        self.filled += 1
        first = self.filled + 1
        self._table(list(self.layout.pages.values()))
        self._worst(worst, first, self.filled - 1)

    def _line(self, text: str, style: str) -> None:
        self.sheet.write_string(self.filled, 0, text, self.styles[style])
        self.filled += 1

    def _facts(self) -> None:
        plan = self.layout.plan
        for stream, texts in plan.trace.texts.items():
            name = "text" if stream == "tokens" else stream
            for piece in pieces(texts[plan.part.sentence].text):
                self._fact(name, piece)
        self._fact("model", shown(str(plan.trace.about.get("model", ""))))
        self._fact("shown", str(plan.part))
        self._fact("cells", f"{plan.size:,} numbers")
        self._fact("largest difference", "")

    def _fact(self, name: str, fact: str) -> None:
        self.sheet.write_string(self.filled, 0, name, self.styles["aside"])
        self.sheet.write_string(self.filled, 1, fact, self.styles["wrapped"])
        self.filled += 1

    def _table(self, pages: list[Page]) -> None:
        for column, heading in enumerate(("sheet", "what it shows", "largest Δ")):
            self.sheet.write_string(self.filled, column, heading, self.styles["caption"])
        self.filled += 1
        for page in pages:
            quoted = page.title.replace("'", "''")
            link = f"internal:'{quoted}'!A1"
            self.sheet.write_url(self.filled, 0, link, self.styles["link"], page.title)
            self.sheet.write_string(self.filled, 1, page.shows, self.styles["text"])
            if page.checks:
                # all numbers in that column are checks: words of rows are text, also "0"
                formula = f"=MAX('{quoted}'!$A$1:$A${page.filled})"
                style = self.styles["difference"]
                self.sheet.write_formula(self.filled, 2, formula, style, UNKNOWN)
            self.filled += 1

    def _worst(self, row: int, first: int, last: int) -> None:
        formula = f"=MAX($C${first + 1}:$C${last + 1})"
        self.sheet.write_formula(row, 1, formula, self.styles["worst"], RECALCULATED)
