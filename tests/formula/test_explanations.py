"""What an operation says that a cell is made of is true: all of it, and nothing else."""

import math
import re
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from formula_cases import TABLE, Case, cases
from scipy.special import ndtr
from torch import Generator, Tensor

from pellucid.formula.operation import Index, Reading

each_operation = pytest.mark.parametrize("name", TABLE)

# The row of a table is known only with the id, so the table itself is not among the places read.
LOOKED_UP = {"gather", "pick"}
# Here a place that is read makes no difference now and then, or often:
SOMETIMES = {
    **dict.fromkeys(["mask", "softmax", "log_softmax"], "what is hidden"),
    **dict.fromkeys(["column_mean", "column_deviation", "text_mean"], "padding"),
    **dict.fromkeys(["first", "last", "positions"], "padding"),
    **dict.fromkeys(["gather", "pick", "bucket"], "another id or place, but the same row"),
    **dict.fromkeys(["rotate", "sinusoid", "alibi"], "the same place drawn again; distance 0"),
    "deviation": "a row of one number",
    "relu": "below zero",
    "tanh": "large numbers",
}
# Here a cell is explained in words; the others give a sum that one can do by hand.
IN_WORDS = {"mask", "gather", "reach", "rotate", "sinusoid", "bucket", "pick"}
SIGNS = {"−": "-", "·": "*", "²": "**2", "³": "**3", "½": "0.5", "π": "pi", "∞": "inf", "ln": "log"}
POWER = r"e\^(-?(?:inf|[\d.]+(?:e[+-]\d+)?))"
MATHEMATICS: dict[str, Any] = {**vars(math), "Φ": ndtr, "max": max, "abs": abs}


def some_cells(
    case: Case, random: Generator, most: int = 3
) -> Iterator[tuple[Index, list[Reading]]]:
    """A few cells of a result, and what they are made of."""
    shapes = [x.shape for x in case.operands]
    for at in torch.randperm(case.expected.numel(), generator=random)[:most]:
        index = tuple(int(i) for i in torch.unravel_index(at, case.expected.shape))
        yield index, list(case.formula.reads(index, *shapes))


def differ(a: Tensor, b: Tensor) -> bool:
    a, b = a.double(), b.double()
    return bool(a != b) and not math.isclose(a, b, rel_tol=1e-12)


def replaced(case: Case, which: int, where: Tensor, other: Tensor) -> list[Tensor]:
    """The operands, one of them with other values at some places."""
    operands = list(case.operands)
    operands[which] = torch.where(where, other, operands[which])
    return operands


@each_operation
def test_what_is_not_read_makes_no_difference(name: str) -> None:
    random = Generator().manual_seed(0)
    for case in cases(name):
        for index, readings in some_cells(case, random):
            read = [torch.zeros(x.shape).bool() for x in case.operands]
            for which, place in readings:
                read[which][place] = True
            if name in LOOKED_UP:
                read[0][:] = True
            others = [case.redraw(which, random) for which in range(len(read))]
            found = case.formula.compute(*map(torch.where, read, case.operands, others))
            assert not differ(found[index], case.expected[index]), (case.name, index)


@each_operation
def test_each_place_that_is_read_makes_a_difference(name: str) -> None:
    random = Generator().manual_seed(0)
    changes: dict[int, list[bool]] = {}
    for case in cases(name)[1:]:
        for index, readings in some_cells(case, random):
            for at, (which, place) in enumerate(readings):
                one = one_of(place, case.operands[which], random)
                operands = replaced(case, which, one, case.redraw(which, random))
                changed = differ(case.formula.compute(*operands)[index], case.expected[index])
                changes.setdefault(at, []).append(changed)
    enough = 0.2 if name in SOMETIMES else 1.0
    shares = {at: sum(changed) / len(changed) for at, changed in changes.items()}
    assert min(shares.values()) >= enough, shares


def one_of(place: tuple[int | slice, ...], x: Tensor, random: Generator) -> Tensor:
    """One cell of a place, marked."""
    inside = torch.zeros(x.shape).bool()
    inside[place] = True
    cells = inside.nonzero()
    one = cells[int(torch.randint(len(cells), (), generator=random))]
    inside[:] = False
    inside[tuple(one)] = True
    return inside


@pytest.mark.parametrize("name", sorted(LOOKED_UP))
def test_only_the_row_looked_up_makes_a_difference(name: str) -> None:
    random = Generator().manual_seed(0)
    for case in cases(name)[1:]:
        table = case.operands[0]
        for index, [(which, place)] in some_cells(case, random):
            row = torch.zeros(table.shape).bool()
            row[case.operands[which][place]] = True
            for where, expected in ((row, True), (~row, False)):
                operands = replaced(case, 0, where, table + 1)
                found = case.formula.compute(*operands)
                assert differ(found[index], case.expected[index]) == expected


def numbers(case: Case, readings: list[Reading]) -> list[float | list[float]]:
    """The numbers that stand at the places."""
    found = [case.operands[which][place].double() for which, place in readings]
    return [x.flatten().tolist() if x.dim() else x.item() for x in found]


def by_hand(text: str) -> float:
    """The value of arithmetic as a person reads it."""
    for sign, written in SIGNS.items():
        text = text.replace(sign, written)
    text = re.sub(POWER, r"exp(\1)", text).replace("e^(", "exp(")
    text = re.sub(r"√(\d+)", r"sqrt(\1)", text).replace("√(", "sqrt(")
    text = re.sub(r"\|([^|]*)\|", r"abs(\1)", text)
    return float(eval(text, {"__builtins__": {}}, MATHEMATICS))


@pytest.mark.parametrize("name", sorted(TABLE.keys() - IN_WORDS))
def test_the_arithmetic_done_by_hand_gives_the_cell(name: str) -> None:
    random, done = Generator().manual_seed(0), 0
    tame = [case for case in cases(name) if "wild" not in case.kinds]
    for case in tame:
        for index, readings in some_cells(case, random, most=8):
            text = case.formula.plain(*numbers(case, readings))
            value = float(case.expected[index])
            if "…" in text or not math.isfinite(value) or "∞" in text or "800" in text:
                continue
            scale = float(case.expected[case.expected.isfinite()].abs().max())
            assert math.isclose(by_hand(text), value, rel_tol=0.01, abs_tol=0.01 * scale), text
            done += 1
    assert done > 5


@pytest.mark.parametrize("name", sorted(IN_WORDS))
def test_words_say_something(name: str) -> None:
    random = Generator().manual_seed(0)
    for case in cases(name):
        for _, readings in some_cells(case, random):
            assert case.formula.plain(*numbers(case, readings)).strip()
