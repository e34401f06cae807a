"""The sheet of a search: every candidate with a sum that adds up, and the answers' scores.

A trace has it where the model has said something first (`decode.seen`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from xlsxwriter.worksheet import Worksheet

from pellucid.formula.sheet import Range, address
from pellucid.views.workbook.grid import UNKNOWN
from pellucid.views.workbook.layout import SEARCH_CHECK
from pellucid.views.workbook.sheets import Sheets
from pellucid.views.workbook.text import shown

TOP = 4  # the row of the first answer
ANSWERS = ("answer", "sum", "divisor", "score", "the model's own", "difference", "ended by")
CANDIDATES = (
    *("number", "step", "after", "token", "log-probability", "with rules", "sum"),
    *("the model's own", "difference", "what became of it"),
)
VALUE, SUM, OWN = 5, 6, 7
SCORE = 4  # of an answer, the model's own
ROOT = -1

Data = Mapping[str, Any]


def write(sheets: Sheets, sheet: Worksheet) -> None:
    """The answers, the best first; below them the candidates, step by step."""
    found = sheets.layout.plan.trace.about["generation"]
    candidates = found["tree"]["candidates"]
    Search(sheets, sheet, candidates, TOP + len(found["answers"]) + 2).write(found["answers"])


class Search:
    """Candidates from row `top` on."""

    def __init__(
        self, sheets: Sheets, sheet: Worksheet, candidates: Sequence[Data], top: int
    ) -> None:
        self.sheet, self.styles = sheet, sheets.styles
        self.candidates, self.top = candidates, top
        numbers = [candidate["total"] for candidate in candidates]
        self.formats = {
            kind: self.styles.number(kind, numbers, exact=False)
            for kind in ("typed", "own", "result")
        }

    def write(self, answers: Sequence[Data]) -> None:
        """Write it all."""
        self.sheet.set_column(0, 2, 14)
        self.sheet.set_column(3, len(CANDIDATES), 16)
        self._heads(TOP - 1, ANSWERS)
        self._heads(self.top - 1, CANDIDATES)
        self._check(len(answers))
        for number, answer in enumerate(answers):
            self._answer(TOP + number, answer)
        for number, candidate in enumerate(self.candidates):
            self._candidate(self.top + number, number, candidate)

    def _heads(self, row: int, heads: Sequence[str]) -> None:
        for column, head in enumerate(heads):
            self.sheet.write_string(row, column, head, self.styles["column"])

    def _answer(self, row: int, answer: Data) -> None:
        """A score is the sum of the answer's last token over a divisor for its length."""
        self._text(row, 0, answer["text"])
        terms, end = answer["terms"], self._last(answer["ids"])
        total = f"={address(self.top + end, SUM)}"
        self._result(row, 1, total, self.candidates[end]["total"])
        self.sheet.write_number(row, 2, terms["divisor"], self.formats["typed"])
        self._result(row, 3, f"={address(row, 1)}/{address(row, 2)}", answer["score"])
        self._compare(row, SCORE, answer["score"])
        self._text(row, 6, answer["finish"])

    def _check(self, answers: int) -> None:
        """The largest difference of all scores and sums, over the largest of them."""
        title = self.sheet.get_name()
        owns = [
            Range(title, TOP, SCORE, answers, 1),
            Range(title, self.top, OWN, len(self.candidates), 1),
        ]
        beside = [replace(own, left=own.left + 1) for own in owns]
        largest = [",".join(f"MAX(ABS({each}))" for each in of) for of in (beside, owns)]
        formula = f"=MAX({largest[0]})/MAX({largest[1]})"
        row, column = SEARCH_CHECK
        style = self.styles["check"]
        self.sheet.write_array_formula(row, column, row, column, formula, style, UNKNOWN)

    def _last(self, ids: Sequence[int]) -> int:
        """The candidate that is an answer's last token."""
        paths = {tuple(self._path(number)): number for number in range(len(self.candidates))}
        return paths[tuple(ids)]

    def _path(self, number: int) -> list[int]:
        candidate = self.candidates[number]
        before = candidate["parent"]
        return [*(self._path(before) if before != ROOT else []), candidate["id"]]

    def _candidate(self, row: int, number: int, candidate: Data) -> None:
        """Its sum is the sum of the candidate before it, and its own value."""
        before = candidate["parent"]
        self.sheet.write_number(row, 0, number, self.styles["text"])
        self.sheet.write_number(row, 1, candidate["step"], self.styles["text"])
        if before != ROOT:
            self.sheet.write_number(row, 2, before, self.styles["text"])
        self._text(row, 3, candidate["piece"])
        self.sheet.write_number(row, 4, candidate["log_probability"], self.formats["typed"])
        self.sheet.write_number(row, VALUE, candidate["value"], self.formats["typed"])
        start = "" if before == ROOT else f"{address(self.top + before, SUM)}+"
        self._result(row, SUM, f"={start}{address(row, VALUE)}", candidate["total"])
        self._compare(row, OWN, candidate["total"])
        score = "" if candidate["score"] is None else f" {candidate['score']:.4f}"
        self._text(row, OWN + 2, f"{candidate['fate']}{score} {candidate['why']}".strip())

    def _text(self, row: int, column: int, text: str) -> None:
        self.sheet.write_string(row, column, shown(text), self.styles["text"])

    def _result(self, row: int, column: int, formula: str, stored: float) -> None:
        self.sheet.write_formula(row, column, formula, self.formats["result"], stored)

    def _compare(self, row: int, column: int, own: float) -> None:
        """The model's own value beside the result, then the difference."""
        self.sheet.write_number(row, column, own, self.formats["own"])
        formula = f"={address(row, column - 1)}-{address(row, column)}"
        self.sheet.write_formula(row, column + 1, formula, self.styles["difference"], 0)
