"""The sheet of a search: every candidate, and a sum that adds up from token to token.

A trace has it if `about["search"]` is the search's tree as plain data (`Tree.to_json()`).
"""

from collections.abc import Mapping
from typing import Any

from xlsxwriter.worksheet import Worksheet

from pellucid.formula.sheet import address
from pellucid.views.workbook.sheets import Sheets
from pellucid.views.workbook.text import shown

TOP = 4  # the row of the first candidate
COLUMNS = ("number", "step", "after", "token", "log-probability", "with rules", "sum")
COLUMNS += ("the model's own", "difference", "what became of it", "score")
VALUE, SUM, OWN = 5, 6, 7
ROOT = -1


def write(sheets: Sheets, sheet: Worksheet) -> None:
    """A candidate a row; its sum is the sum of the candidate before it and its own value."""
    styles = sheets.styles
    candidates = sheets.layout.plan.trace.about["search"]["candidates"]
    for column, heading in enumerate(COLUMNS):
        sheet.write_string(TOP - 1, column, heading, styles["column"])
    sheet.set_column(0, 2, 8)
    sheet.set_column(3, len(COLUMNS), 16)
    sheet.freeze_panes(TOP, 4)
    totals = [candidate["total"] for candidate in candidates]
    result = styles.number("result", totals, exact=False)
    for at, candidate in enumerate(candidates):
        row = TOP + at
        _typed(sheets, sheet, row, at, candidate)
        sheet.write_formula(row, SUM, _sum(row, candidate), result, candidate["total"])
        own = f"={address(row, SUM)}-{address(row, OWN)}"
        sheet.write_formula(row, OWN + 1, own, styles["difference"], 0)


def _sum(row: int, candidate: Mapping[str, Any]) -> str:
    before = candidate["parent"]
    start = "" if before == ROOT else f"{address(TOP + before, SUM)}+"
    return f"={start}{address(row, VALUE)}"


def _typed(
    sheets: Sheets, sheet: Worksheet, row: int, at: int, candidate: Mapping[str, Any]
) -> None:
    """What the model said of the candidate, and what became of it."""
    styles, text = sheets.styles, sheets.styles["text"]
    numbers = [candidate["log_probability"], candidate["value"]]
    typed = styles.number("typed", numbers, exact=False)
    for column, number in ((0, at), (1, candidate["step"])):
        sheet.write_number(row, column, number, text)
    if candidate["parent"] != ROOT:
        sheet.write_number(row, 2, candidate["parent"], text)
    sheet.write_string(row, 3, shown(candidate["piece"]), text)
    for column, number in enumerate(numbers, start=VALUE - 1):
        sheet.write_number(row, column, number, typed)
    own = styles.number("own", [candidate["total"]], exact=False)
    sheet.write_number(row, OWN, candidate["total"], own)
    sheet.write_string(row, OWN + 2, f"{candidate['fate']} {candidate['why']}".strip(), text)
    if candidate["score"] is not None:
        sheet.write_number(row, OWN + 3, candidate["score"], own)
