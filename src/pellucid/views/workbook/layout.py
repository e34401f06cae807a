"""The layout: every value and every weight of a plan has its place on a sheet."""

from dataclasses import dataclass, field

from pellucid.formula.sheet import Cells, Range, address
from pellucid.record.tree import written
from pellucid.views.workbook.boxes import Box
from pellucid.views.workbook.names import part_of, short_names
from pellucid.views.workbook.places import Block, Page, Table
from pellucid.views.workbook.plan import Plan
from pellucid.views.workbook.stages import SHOWN, Stage, fitting, stage, titles

PROBABILITIES, NEXT, SEARCH = "head.probabilities", "next word", "search"
GENERATION = "generation"
SEARCH_CHECK = 2, 0  # the cell of that sheet which tells the largest difference
WEIGHT = "learned: change a number and watch it flow"


@dataclass
class Layout:
    """Pages by their titles; blocks by the names of values, one a head; names of ranges.

    `tables` are weights of which only some rows are there, `lookups` say which row each token has.
    """

    plan: Plan
    pages: dict[str, Page] = field(default_factory=dict)
    blocks: dict[str, list[Block]] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    lookups: dict[str, Block] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.names = short_names([*self.plan.values, *self.plan.weights])
        stages = {name: stage(name) for name in self.plan.values}
        title = titles(stages.values())
        for name in self._in_order(stages):
            of = stages[name]
            page = self.pages.setdefault(title[of], Page(title[of], of.shows))
            self._place(name, page)
        if self._ends_in_words():
            self.pages[NEXT] = Page(NEXT, SHOWN[NEXT])
        if self.plan.part.layer is None and GENERATION in self.plan.trace.about:
            self.pages[SEARCH] = Page(SEARCH, SHOWN[SEARCH], check=address(*SEARCH_CHECK))
        for together in self._modules().values():
            self._place_weights(together)

    def _in_order(self, stages: dict[str, Stage]) -> list[str]:
        """Stage by stage; on each sheet what is typed in stands first."""
        turn = {of: at for at, of in enumerate(dict.fromkeys(stages.values()))}
        return sorted(stages, key=lambda n: (turn[stages[n]], self.plan.formula(n) is not None))

    def _place(self, name: str, page: Page) -> None:
        formula, form = self.plan.formula(name), self.plan.form(name)
        heads, height, width = form.counts(self.plan.boxes[name])
        if formula and formula.operation.name == "gather" and self._table_of(name):
            self.lookups[name] = page.place(f"{self.names[name]}: the row of each token", height, 1)
        room = page.compare if formula else page.place
        first = 0 if form.head is None else self.plan.boxes[name][form.head].start
        self.blocks[name] = [
            room(self._title(name, head), height, width, self._range_name(name, head, heads))
            for head in range(first, first + heads)
        ]

    def _ends_in_words(self) -> bool:
        """Whether there is one row of probabilities: what a decoder says after its last word."""
        blocks = self.blocks.get(PROBABILITIES, [])
        return bool(blocks) and blocks[0].cells.height == 1

    def _title(self, name: str, head: int) -> str:
        formula = written(self.plan.trace, name) if self.plan.formula(name) else ""
        of_head = f", head {head}" if self.plan.form(name).head is not None else ""
        return f"{name}{of_head}" + (f" = {formula}" if formula else "")

    def _range_name(self, name: str, head: int, heads: int) -> str:
        return self.names[name] + (f"_head{head}" if heads > 1 else "")

    def _table_of(self, name: str) -> str:
        """The weight that a look-up reads, if only some of its rows are there; else nothing."""
        formula = self.plan.formula(name)
        table = self.plan.own(formula.parents[0]) if formula else ""
        return table if table in self.plan.tables else ""

    def _modules(self) -> dict[str, list[str]]:
        """Weights that stand together: a matrix and its bias."""
        modules: dict[str, list[str]] = {}
        for name in self.plan.weights:
            modules.setdefault(name.rpartition(".")[0], []).append(name)
        return {at: sorted(names, reverse=True) for at, names in modules.items()}

    def _place_weights(self, names: list[str]) -> None:
        title = fitting(", ".join(self.names[name] for name in names), self.pages)
        page = self.pages[title] = Page(title, f"{names[0].rpartition('.')[0]}: {WEIGHT}")
        for name in names:
            if name in self.plan.tables:
                height, width = len(self.plan.tables[name]), self.plan.shape(name)[-1]
                self.tables[name] = page.table(name, height, width, self.names[name])
                self.blocks[name] = [self.tables[name].block]
                continue
            _, height, width = self.plan.form(name).counts(self.plan.boxes[name])
            self.blocks[name] = [page.place(name, height, width, self.names[name])]

    def cells(self, name: str, box: Box | None = None) -> Cells:
        """Where a value stands, or the part of it that is in the box; a list where it has heads."""
        form = self.plan.form(name)
        found = [block.cells for block in self.blocks[name]]
        if box is not None and name not in self.tables:
            own = self.plan.boxes[name]
            heads, rows, columns = (
                within(form.along(box, axis), form.along(own, axis))
                for axis in (form.head, form.row, form.column)
            )
            found = [part_of(cells, rows, columns) for cells in found[heads.start : heads.stop]]
        return found[0] if form.head is None else found

    def looked_up(self, name: str) -> Range | None:
        """The rows of its table that a look-up takes, where the table is not all there."""
        return self.lookups[name].cells if name in self.lookups else None


def within(part: range, whole: range) -> range:
    """Where a part lies in a whole, counted from the whole's beginning."""
    return range(part.start - whole.start, part.stop - whole.start)
