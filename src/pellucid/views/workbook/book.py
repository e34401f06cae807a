"""The workbook of a trace, or of a layer or a head of it."""

from collections.abc import Iterator
from pathlib import Path

from xlsxwriter import Workbook

from pellucid.errors import PellucidError
from pellucid.record.store import Wish
from pellucid.record.trace import Trace
from pellucid.views.choice import depths
from pellucid.views.workbook import likely
from pellucid.views.workbook.contents import TITLE, Contents
from pellucid.views.workbook.layout import NEXT, Layout
from pellucid.views.workbook.part import Part, check_sentence
from pellucid.views.workbook.plan import Plan
from pellucid.views.workbook.sheets import Sheets
from pellucid.views.workbook.styles import Styles
from pellucid.views.workbook.waves import with_waves

CELLS = 10_000_000  # in a workbook: what Google Sheets opens
ROWS, COLUMNS = 1_048_576, 16_384  # in a sheet
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
    try:
        styles = Styles(book)
        contents = Contents(book.add_worksheet(TITLE), layout, styles)
        sheets = Sheets(book, layout, styles)
        sheets.write(wish.told)
        if NEXT in sheets.made:
            likely.write(sheets, sheets.made[NEXT])
        contents.write()
    finally:
        wish.told("the file")
        book.close()


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
