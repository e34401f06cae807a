"""Where arithmetic is most easily wrong: tails, hidden rows, thresholds, groups."""

import math
from collections.abc import Callable

import pytest
import scipy.special
import torch
from formula_cases import EDGES, T5_BOTH, T5_PAST
from formula_sheet import Values, as_numbers
from torch import Tensor

from pellucid.formula import OPERATIONS

HIDDEN = float("-inf")
ALONE: dict[str, Callable[[float], float]] = {
    "relu": lambda x: max(x, 0.0),
    "gelu": lambda x: float(x * scipy.special.ndtr(x)),
    "silu": lambda x: float(x * scipy.special.expit(x)),
    "tanh": math.tanh,
}
each_alone = pytest.mark.parametrize("name", ALONE)


def close(name: str, found: Tensor, tolerance: float) -> None:
    """Cell by cell, however small a number is."""
    for x, value in zip(EDGES, found.flatten().tolist(), strict=True):
        assert math.isclose(value, ALONE[name](x), rel_tol=tolerance), (x, value)


@each_alone
def test_the_browser_is_right_in_the_tails(name: str, browsed: dict[str, list[Tensor]]) -> None:
    close(name, browsed[f"{name} fixed"][0], 1e-12)


@each_alone
def test_the_spreadsheet_is_right_in_the_tails(
    name: str, calculated: dict[str, list[Values]]
) -> None:
    close(name, as_numbers(calculated[f"{name} fixed"][0]), 1e-10)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_a_hidden_row_has_no_gradient(name: str) -> None:
    rows = torch.tensor([[HIDDEN] * 3, [HIDDEN, 1.0, 800.0]], dtype=torch.float64)
    rows.requires_grad_()
    result = OPERATIONS[name].compute(rows)
    result[result.isfinite()].square().sum().backward()
    assert rows.grad.isfinite().all()
    assert not rows.grad[0].any()


def test_a_hidden_row_gives_nothing() -> None:
    rows = torch.full((2, 3), HIDDEN)
    assert not OPERATIONS["softmax"].compute(rows).any()
    assert (OPERATIONS["log_softmax"].compute(rows) == HIDDEN).all()


def test_a_row_that_shows_something_is_torchs_own() -> None:
    rows = torch.tensor([[HIDDEN, 1.0, 800.0], [0.5, -2.0, 3.0]])
    exact = rows.double()
    assert OPERATIONS["softmax"].compute(rows).equal(exact.softmax(-1).float())
    assert OPERATIONS["log_softmax"].compute(rows).equal(exact.log_softmax(-1).float())


def test_what_a_mask_hides_has_no_gradient() -> None:
    scores = torch.randn(1, 1, 2, 3, requires_grad=True)
    allowed = torch.tensor([[[[True, False, True], [False, False, False]]]])
    hidden = OPERATIONS["mask"].compute(scores, allowed)
    OPERATIONS["softmax"].compute(hidden).square().sum().backward()
    assert scores.grad.isfinite().all()
    assert not scores.grad[~allowed].any()
    assert scores.grad[allowed].all()


@pytest.mark.parametrize("name", ["product", "product_transposed"])
def test_grouped_heads_are_repeated_heads(name: str) -> None:
    a, b = torch.randn(2, 6, 4, 5), torch.randn(2, 3, 5, 5)
    compute = OPERATIONS[name].compute
    assert compute(a, b).equal(compute(a, b.repeat_interleave(2, dim=1)))


@pytest.mark.parametrize(("thresholds", "direction"), [(T5_BOTH, "both"), (T5_PAST, "past")])
def test_buckets_are_those_of_t5(thresholds: list[int], direction: str) -> None:
    query, keys = torch.tensor([[200]]), torch.arange(401)[None]
    compute = OPERATIONS["bucket"].compute
    found = compute(query, keys, thresholds=thresholds, direction=direction)
    assert found[0, 0].tolist() == [t5(key - 200, direction) for key in range(401)]


def t5(ahead: int, direction: str, buckets: int = 32, farthest: int = 128) -> int:
    """T5's bucket of one distance, as its authors' code computes it."""
    first, distance = 0, max(0, -ahead)
    if direction == "both":
        buckets //= 2
        first, distance = buckets * (ahead > 0), abs(ahead)
    exact = buckets // 2
    if distance < exact:
        return first + distance
    growth = math.log(distance / exact) / math.log(farthest / exact) * (buckets - exact)
    return first + min(exact + int(growth), buckets - 1)
