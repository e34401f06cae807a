"""What a row says, and how rows are told."""

import json
from math import inf, nan

import pytest
import torch

from pellucid.checks.rows import EXACT, TOLERANCE, Row, Rows, compare, differ

FINE = Row("alone", "encoder.3.attention.q", 1e-6, TOLERANCE, 2e-5, "layer.3.query")
FAR = Row("padded", "encoder.11.attention.q", 0.25, TOLERANCE, 0.5, "layer.11.query")
HEAD = Row("alone", "head.logits", 0.0, EXACT)


def test_a_difference_is_relative_to_the_largest_number() -> None:
    truth = torch.tensor([[4.0, -200.0], [1.0, 0.0]])
    assert differ(truth + torch.tensor([[0.0, 0.0], [0.0, 0.5]]), truth) == (0.0025, 0.5)
    assert differ(truth, truth) == (0.0, 0.0)


def test_what_cannot_be_equal_is_infinitely_far() -> None:
    x = torch.ones(2, 3)
    assert differ(x, torch.ones(3, 2)) == (inf, inf)
    assert differ(torch.full((2,), nan), torch.ones(2))[0] == inf
    assert differ(torch.tensor([-inf, 1.0]), torch.tensor([-inf, 1.0])) == (0.0, 0.0)
    assert differ(torch.tensor([0.0, 1.0]), torch.tensor([-inf, 1.0]))[0] == inf


def test_a_row_passes_up_to_its_tolerance() -> None:
    assert FINE.passed
    assert HEAD.passed
    assert not FAR.passed
    assert Row("", "", TOLERANCE, TOLERANCE).passed
    assert not Row("", "", 1e-30, EXACT).passed
    assert not Row("", "", nan, TOLERANCE).passed


def test_rows_are_grouped_by_kind_and_the_furthest_is_shown() -> None:
    rows = Rows([FINE, HEAD, FAR])
    assert [row.kind for row in rows] == ["encoder.*.attention.q", "head.logits", rows[0].kind]
    assert rows.failed == [FAR]
    assert rows.worst is FAR
    head, first, second = rows.kinds().splitlines()
    assert head.split() == ["numbers", "difference", "allowed", "the", "furthest"]
    assert first.split(maxsplit=5) == (
        ["encoder.*.attention.q", "2", "2.5e-01", "1e-05", "DIFFERENT", "layer 11, padded"]
    )
    assert second.split() == ["head.logits", "1", "0.0e+00", "0e+00", "equal", "alone"]
    assert [line.split()[0] for line in str(rows).splitlines()[1:]] == ["alone", "padded"]
    assert len(rows.listed().splitlines()) == 4
    assert str(FAR) == (
        "encoder.11.attention.q differs by 2.5e-01 from layer.11.query, allowed is 1e-05 (padded)"
    )


def test_the_furthest_of_all_pairs_counts() -> None:
    one, two = {"x": torch.tensor([1.0])}, {"x": torch.tensor([2.0])}
    (row,) = compare("check", ["x"], [(one, one), (one, two), (two, two)], against={"x": "y"})
    assert row == Row("check", "x", 0.5, TOLERANCE, 1.0, "y")


@pytest.mark.parametrize("row", [FINE, FAR, HEAD, Row("", "", inf, TOLERANCE, inf)])
def test_a_row_is_valid_json(row: Row) -> None:
    data = json.loads(json.dumps(row.to_json(), allow_nan=False))
    assert data["passed"] == row.passed
    assert data["difference"] == (None if row.difference == inf else row.difference)
