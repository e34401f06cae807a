"""Each operation says the same on tensors, in the browser, in a spreadsheet and as mathematics."""

import re
from typing import Any

import pytest
import torch
from formula_cases import SEEDS, TABLE, Case, cases, everything, make, matrices
from formula_sheet import WRONG, Book, Values, as_numbers, flat, read
from torch import Tensor

from pellucid.formula import OPERATIONS
from pellucid.formula.sheet import LOWEST

each_operation = pytest.mark.parametrize("name", TABLE)

# what Excel 2010, LibreOffice and Google Sheets share, of what is used
FUNCTIONS = set(
    "ABS COLUMN COLUMNS COS EXP IF INDEX LN MATCH MAX MIN MMULT NORMSDIST PI ROW ROWS SIN SQRT"
    " SUM TANH TRANSPOSE".split()
)
LONGEST = 8192  # characters in a formula of Excel's
MINUS_BEFORE_POWER = re.compile(r"(?:^|[(,=<>*/+-])-[^-+*/(),]+\^")  # Excel: -2^2 is 4

COMMANDS = set(
    "Phi cdot cos frac infty log mathrm max min odot pi sigma sin sqrt tanh text tfrac top".split()
)
SYMBOLS = ("A^Q", "B^Q", "C^Q", "Z^Q")
IN_WORDS = re.compile(r"\\(?:text|mathrm)\{[a-z ,]+\}|\\[A-Za-z]+")


def distance(found: list[Tensor], expected: Tensor | list[Tensor]) -> float:
    """The largest difference, relative to the largest magnitude; −∞ must be where it is."""
    a, b = (torch.stack(flat(x)).double() for x in (found, expected))
    assert a.shape == b.shape
    hidden = b == float("-inf")
    assert torch.equal(a <= float(LOWEST), hidden)
    error = (a - b)[~hidden].abs()
    return float(error.max() / b[~hidden].abs().max()) if error.any() else 0.0


def as_matrices(case: Case) -> Tensor | list[Tensor]:
    return matrices(case.expected, case.formula.axes)


def in_float32(x: Tensor) -> Tensor:
    return x.float() if x.is_floating_point() else x


def sentence(case: Case, which: int) -> list[Tensor]:
    """The operands of one sentence of a batch."""
    return [
        x[which : which + 1] if axes.startswith("B") else x
        for x, axes in zip(case.operands, case.axes, strict=True)
    ]


def test_the_table_has_every_operation() -> None:
    assert set(TABLE) == set(OPERATIONS)


def test_the_browser_has_every_operation(answer: dict[str, Any]) -> None:
    assert set(answer["names"]) == set(OPERATIONS)


@each_operation
def test_float32_agrees(name: str) -> None:
    for case in cases(name):
        found = case.formula.compute(*map(in_float32, case.operands))
        assert distance([found], [case.expected]) <= 1e-5, case.name


@each_operation
def test_the_browser_agrees(name: str, browsed: dict[str, list[Tensor]]) -> None:
    for case in cases(name):
        assert distance(browsed[case.name], as_matrices(case)) <= 1e-12, case.name


@each_operation
def test_the_spreadsheet_agrees(name: str, calculated: dict[str, list[Values]]) -> None:
    for case in cases(name):
        found = [*map(as_numbers, calculated[case.name])]
        assert distance(found, as_matrices(case)) <= 1e-10, case.name


def test_a_workbook_that_nobody_calculated_is_noticed(workbook: Book) -> None:
    shown = read(workbook.path, workbook.places)
    assert all(shown[case.name][0][0][0] == WRONG for case in everything())


def test_formulas_are_what_all_spreadsheets_understand(workbook: Book) -> None:
    for text in workbook.texts:
        bare = re.sub(r"'(?:[^']|'')+'!", "", text)
        assert set(re.findall(r"[A-Z]+(?=\()", bare)) <= FUNCTIONS, text
        assert bare == bare.upper(), text
        assert bare.count("(") == bare.count(")"), text
        assert len(text) <= LONGEST, text
        assert not MINUS_BEFORE_POWER.search(bare), text


@each_operation
def test_a_batch_is_its_sentences(name: str) -> None:
    """But for the statistics of batch norm, whose result has no sentences."""
    batches = (make(name, at, seed, batch=2) for at in range(len(TABLE[name])) for seed in SEEDS)
    for case in batches:
        if case.formula.axes.startswith("B"):
            found = [case.formula.compute(*sentence(case, which)) for which in range(2)]
            assert distance(found, [*case.expected.split(1)]) <= 1e-12, case.name


@each_operation
def test_mathematics_is_well_formed(name: str) -> None:
    for case in cases(name):
        text = case.formula.latex(*SYMBOLS[: len(case.operands)])
        depths = [text[:at].count("{") - text[:at].count("}") for at in range(len(text) + 1)]
        assert min(depths) == depths[-1] == 0, text
        assert set(re.findall(r"\\([A-Za-z]+)", text)) <= COMMANDS, text
        assert not re.search(r"[A-Za-z]{2,}|\de", IN_WORDS.sub("", text)), text
        assert "{}" not in text, text
        assert not re.search(r"\^(?:\w|\{[^{}]*\})\^", text), text


@each_operation
def test_mathematics_names_all_that_is_read(name: str) -> None:
    for case in cases(name):
        text = case.formula.latex(*SYMBOLS[: len(case.operands)])
        index = (0,) * case.expected.dim()
        shapes = [x.shape for x in case.operands]
        for which, _ in case.formula.reads(index, *shapes):
            assert SYMBOLS[which] in text, text
