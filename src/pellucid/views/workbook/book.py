"""The workbook of a trace, or of a layer or a head of it."""

from collections.abc import Callable, Iterator
from pathlib import Path

from xlsxwriter import Workbook
from xlsxwriter.exceptions import FileCreateError

from pellucid.errors import PellucidError
from pellucid.record.store import Wish
from pellucid.record.trace import Trace
from pellucid.views.choice import depths
from pellucid.views.workbook import charts, likely, searched
from pellucid.views.workbook.contents import TITLE, Contents, facts_of
from pellucid.views.workbook.layout import NEXT, SEARCH, Layout
from pellucid.views.workbook.part import Part, check_sentence
from pellucid.views.workbook.plan import Plan
from pellucid.views.workbook.sheets import Sheets
from pellucid.views.workbook.styles import Styles
from pellucid.views.workbook.waves import WAVES, with_waves

CELLS = 10_000_000  # in a workbook: what Google Sheets opens
ROWS, COLUMNS = 1_048_576, 16_384  # in a sheet
# what sheets show beside the values of the trace
EXTRAS = {NEXT: likely.write, SEARCH: searched.write, WAVES: charts.write}
OPTIONS = {"nan_inf_to_errors": True, "strings_to_formulas": False, "strings_to_urls": False}


def fill(trace: Trace, path: Path, wish: Wish) -> None:
    """Write the workbook; `wish` says which layer and head, and hears how far it is."""
    check_sentence(trace, wish.sentence)
    trace = with_waves(trace) if wish.layer is wish.head is None else trace
    plan = Plan(trace, Part.of(trace, wish.layer, wish.head, wish.sentence))
    check_size(plan)
    layout = Layout(plan)
    check_sheets(layout)
    book = Workbook(path, OPTIONS)
    compose(book, layout, wish.told)
    wish.told("the file")
    close(book)


def close(book: Workbook) -> None:
    """Write the file; what the system says of it is an OSError."""
    try:
        book.close()
    except FileCreateError as error:  # it carries what the system said
        raise error.args[0] from error


def compose(book: Workbook, layout: Layout, told: Callable[[str], object]) -> None:
    """The contents, the values and the weights, and what some sheets show beside."""
    styles = Styles(book)
    contents = Contents(book.add_worksheet(TITLE), styles)
    sheets = Sheets(book, layout, styles)
    sheets.write(told)
    for title, extra in EXTRAS.items():
        if title in sheets.made:
            extra(sheets, sheets.made[title])
    contents.write(facts_of(layout.plan), list(layout.pages.values()))


def check_size(plan: Plan) -> None:
    """Refuse more cells than a workbook holds, and say what would fit."""
    if plan.size <= CELLS:
        return
    smaller = (f"{said} ({size:,})" for said, size in _smaller(plan) if size <= CELLS)
    instead = next(smaller, None)
    do = f"write less with {instead}" if instead else "shorten the text"
    raise PellucidError(
        f"Of {plan.part} a workbook would have {plan.size:,} cells with numbers, and "
        f"{CELLS:,} is the most that every spreadsheet opens; {do}."
    )


def _smaller(plan: Plan) -> Iterator[tuple[str, int]]:
    trace, part = plan.trace, plan.part
    layer = max(depths(trace.about["config"])) - 1 if part.layer is None else part.layer
    if part.layer is None:
        yield f"--layer {layer}", Plan(trace, Part(layer, None, part.sentence)).size
    if part.head is None:
        yield f"--layer {layer} --head 0", Plan(trace, Part(layer, 0, part.sentence)).size


def check_sheets(layout: Layout) -> None:
    """Refuse a matrix that is larger than a sheet."""
    for page in layout.pages.values():
        if page.filled > ROWS or page.width > COLUMNS:
            raise PellucidError(
                f"The sheet {page.title!r} would have {page.filled:,} rows and {page.width:,} "
                f"columns; a sheet holds {ROWS:,} and {COLUMNS:,}. Write a layer (--layer) or a "
                "head (--head) instead."
            )
