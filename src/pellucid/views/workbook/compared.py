"""The workbook of a comparison: a word's two vectors layer by layer, and what parted them.

Typed in are the vectors: the word's own after each layer, and what each part added to their
difference. Distances, angles and shares are formulas over them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from xlsxwriter import Workbook
from xlsxwriter.worksheet import Worksheet

from pellucid.formula.sheet import Range
from pellucid.record.store import Wish
from pellucid.study.account import Account, Part
from pellucid.study.compare import Comparison, Step
from pellucid.study.place import Place
from pellucid.views.workbook.book import OPTIONS, close
from pellucid.views.workbook.contents import TITLE, Contents
from pellucid.views.workbook.grid import Grid
from pellucid.views.workbook.names import Named
from pellucid.views.workbook.places import LEFT, Block, Page
from pellucid.views.workbook.sheets import LONGEST_WORD, TITLE_ROWS, prepare
from pellucid.views.workbook.styles import NEGATIVE, Styles
from pellucid.views.workbook.text import pieces, shown

SHOWS = {
    "road": "how far apart the word's two vectors are after each layer",
    "vectors": "the word's vector after each layer, in the first text and in the second",
    "account": "each part's share of the difference of the two last vectors: part · difference / "
    "|difference|²; all shares together are 1",
    "parts": "what each part added to the difference of the two last vectors; they sum to it",
    "neighbours": "each token's share: what all heads of all layers took from it",
    "taken": "what was taken from each token, as vectors; with all else they sum to the difference",
    "numbers": "every number that both have, at the word: |a − b| over the mean of |a| and |b|",
}
ROAD = ("distance", "relative", "angle", "size 1", "size 2")
KINDS = {"output": "feed-forward"}
CHARTS = {"angle": 2, "distance": 0}  # and their columns
ELSE = "all that was taken from no token"

Key = Callable[[Part], Any]


def fill(comparison: Comparison, path: Path, wish: Wish) -> None:
    """Write the workbook."""
    book = Workbook(path, OPTIONS)
    contents = book.add_worksheet(TITLE)
    sheets = Compared(book, comparison)
    sheets.write()
    told = Contents(contents, sheets.styles, "One word at two places, in cells")
    told.write(facts(comparison), list(sheets.pages.values()))
    close(book)


def facts(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """The texts, the word in each, the models, and why there is no account where there is none."""
    for which, place in (("first", comparison.a), ("second", comparison.b)):
        yield from ((f"{which} text", piece) for piece in pieces(place.tokens.text))
        mean = f", the mean of {len(place.pieces)} pieces" if len(place.pieces) > 1 else ""
        yield f"{which} word", shown(place.text) + mean
        yield f"{which} model", shown(str(place.trace.about.get("model", "")))
    if comparison.no_account:
        yield "no account", comparison.no_account
    elif comparison.account is not None and not comparison.account.shares.any():
        yield "no account", "the two last vectors are the same"


@dataclass
class Compared:
    """The sheets, filled from top to bottom, one after the other."""

    book: Workbook
    comparison: Comparison
    pages: dict[str, Page] = field(default_factory=dict)
    widest: dict[str, int] = field(default_factory=dict)  # word of a row, sheet by sheet
    ends: list[Range] = field(default_factory=list)  # the word's two last vectors

    @cached_property
    def styles(self) -> Styles:
        return Styles(self.book)

    def write(self) -> None:
        """Write all sheets that this comparison has something for."""
        if self.comparison.layers:
            self._road()
        account = self.comparison.account
        if account is not None and account.shares.any():
            self._account(account, ("account", "parts"), _of_part)
            self._account(account, ("neighbours", "taken"), self._of_token)
        self._numbers()

    def _road(self) -> None:
        """The formulas stand on the first sheet; what they read stands on the second."""
        road, vectors = self._page("road"), self._page("vectors")
        steps = self.comparison.layers
        words = [step.name for step in steps]
        both = [_vectors(place, steps) for place in (self.comparison.a, self.comparison.b)]
        width = both[0].shape[1]
        placed = [vectors.place(f"text {n}", len(steps), width, f"text_{n}") for n in (1, 2)]
        block = road.compare("distance, angle in degrees, and sizes", len(steps), len(ROAD))
        own = torch.tensor([_row(step) for step in steps], dtype=torch.float64)
        cells = [each.cells for each in placed if isinstance(each.cells, Named)]
        self.ends = [each.bare.row(len(steps) - 1) for each in cells]
        self._grid(block, own, words, list(ROAD)).computed(_measures(block.cells, *cells))
        for each, numbers in zip(placed, both, strict=True):
            self._grid(each, numbers, words, [str(at) for at in range(width)]).typed()
        for at, (title, column) in enumerate(CHARTS.items()):
            self._chart(block, title, column, road.filled + 2 + at * 16)

    def _account(self, account: Account, titles: tuple[str, str], key: Key) -> None:
        """Shares on one sheet, the vectors they follow from on another, and what they sum to."""
        shares, vectors = map(self._page, titles)
        parts, own = account.vectors_by(key), account.by(key)
        words, rows = list(parts), torch.stack(list(parts.values()))
        height, width = rows.shape
        numbered = [str(at) for at in range(width)]
        added = vectors.place("added", height, width, titles[1])
        whole = vectors.compare("the sum of all", 1, width, f"{titles[1]}_sum")
        apart = vectors.compare("the first text's last vector less the second's", 1, width)
        share = shares.compare("share", height, 1, f"{titles[0]}_shares")
        together = shares.compare("together", 1, 1)
        along = f"MMULT({added.cells},TRANSPOSE({whole.cells}))/SUMSQ({whole.cells})"
        numbers = torch.tensor([*own.values()], dtype=torch.float64)[:, None]
        self._result(share, numbers, words, ["share"], along)
        self._result(together, numbers.sum(0)[None], ["sum"], ["share"], f"SUM({share.cells})")
        self._grid(added, rows, words, numbered).typed()
        summed = f"MMULT(TRANSPOSE(ROW({added.cells})^0),{added.cells})"
        self._result(whole, account.whole[None], ["sum"], numbered, summed)
        less = "-".join(map(str, self.ends))
        self._result(apart, account.whole[None], ["less"], numbered, less)

    def _numbers(self) -> None:
        names = self.comparison.names
        if not names:
            return
        words = [n.name + ("" if n.head is None else f", most in head {n.head}") for n in names]
        numbers = torch.tensor([[each.difference] for each in names], dtype=torch.float64)
        block = self._page("numbers").place("in the order of the road", len(names), 1)
        self._grid(block, numbers, words, ["relative"]).typed()

    def _of_token(self, part: Part) -> str:
        if part.token is None:
            return ELSE
        place = (self.comparison.a, self.comparison.b)[part.text]
        token = place.trace.texts[part.stream][place.sentence].label(part.token)
        stream = "" if part.stream == "tokens" else f" {part.stream}"
        return f"text {part.text + 1}{stream}, {part.token}: {token}"

    def _page(self, title: str) -> Page:
        self.pages[title] = Page(title, SHOWS[title])
        return self.pages[title]

    def _result(
        self, block: Block, own: Tensor, rows: list[str], columns: list[str], formula: str
    ) -> None:
        self._grid(block, own, rows, columns).computed([(block.cells, formula)])

    def _grid(self, block: Block, numbers: Tensor, rows: list[str], columns: list[str]) -> Grid:
        sheet = self._sheet(self.pages[block.cells.sheet])
        widest = self.widest[block.cells.sheet] = max(
            self.widest.get(block.cells.sheet, 12), *(len(row) + 2 for row in rows)
        )
        sheet.set_column(0, 0, min(widest, 2 * LONGEST_WORD))
        if isinstance(block.cells, Named):
            self.book.define_name(block.cells.name, f"={block.cells.bare}")
        return Grid(sheet, self.styles, block, numbers, list(map(shown, rows)), columns)

    def _sheet(self, page: Page) -> Worksheet:
        if found := self.book.get_worksheet_by_name(page.title):
            return found
        made = self.book.add_worksheet(page.title)
        prepare(made, page, self.styles)
        made.freeze_panes(TITLE_ROWS, LEFT)
        return made

    def _chart(self, block: Block, title: str, column: int, row: int) -> None:
        cells, sheet = block.cells, self._sheet(self.pages["road"])
        last = cells.top + cells.height - 1
        chart = self.book.add_chart({"type": "line"})
        along = cells.left + column
        chart.add_series(
            {
                "name": title,
                "categories": [cells.sheet, cells.top, 0, last, 0],
                "values": [cells.sheet, cells.top, along, last, along],
                "line": {"color": NEGATIVE, "width": 2.25},
                "marker": {"type": "circle", "fill": {"color": NEGATIVE}},
            }
        )
        chart.set_title({"name": title, "name_font": {"size": 11, "bold": False}})
        chart.set_legend({"none": True})
        sheet.insert_chart(row, LEFT, chart)


def _measures(out: Range, first: Range, second: Range) -> Iterator[tuple[Range, str]]:
    """Of each layer, from its two vectors; the angle by its half, exact also near zero."""
    for at in range(out.height):
        a, b = first.row(at), second.row(at)
        cells = [out.row(at).columns(column, column + 1) for column in range(out.width)]
        far, _, _, one, other = cells
        u, v = (f"{x}/IF({size}=0,1,{size})" for x, size in ((a, one), (b, other)))
        formulas = (
            f"SQRT(SUM(({a}-{b})^2))",
            f"{far}/IF({one}+{other}=0,1,({one}+{other})/2)",
            f"2*ATAN2(SQRT(SUM(({u}+{v})^2)),SQRT(SUM(({u}-{v})^2)))*180/PI()",
            f"SQRT(SUM({a}^2))",
            f"SQRT(SUM({b}^2))",
        )
        yield from zip(cells, formulas, strict=True)


def _row(step: Step) -> list[float]:
    return [step.distance, step.relative, step.angle, *step.sizes]


def _vectors(place: Place, steps: Sequence[Step]) -> Tensor:
    known: dict[str, Tensor] = {}
    return torch.stack([place.vector(step.name, known) for step in steps])


def _of_part(part: Part) -> str:
    if part.head is not None:
        return f"{part.place}, head {part.head}"
    return f"{part.place}, {KINDS.get(part.what, part.what)}"
