"""Arithmetic on a whole row (softmax, the statistics of a norm) or a whole column."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Size, Tensor

from pellucid.formula.operation import (
    Index,
    Operation,
    Reading,
    base,
    constant,
    number,
    raised,
    terms,
)
from pellucid.formula.sheet import LOWEST, Range, by_matrix, by_row, literal, row_mean
from pellucid.formula.sums import own_row


def whole_row(index: Index, _x: Size, **_settings: Any) -> tuple[Reading, ...]:
    return ((0, own_row(index)),)


def row_and_cell(index: Index, _x: Size) -> tuple[Reading, ...]:
    return (0, own_row(index)), (0, index)


def whole_column(index: Index, x: Size, real: Size, **_settings: Any) -> tuple[Reading, ...]:
    everywhere = (slice(None),) * len(real)
    return (0, (*everywhere, index[-1])), (1, everywhere)


def without_empty(x: Tensor, function: Callable[..., Tensor], instead: float) -> Tensor:
    """The function along each row; a row of nothing but −∞ gives `instead`, and no gradient.

    Sums run in float64: over a vocabulary, float32 would lose the fifth digit.
    """
    empty = (x == float("-inf")).all(dim=-1, keepdim=True)
    exact = function(x.masked_fill(empty, 0), dim=-1, dtype=torch.float64)
    return exact.to(x.dtype).masked_fill(empty, instead)


def softmax_cells(x: Range) -> str:
    # the condition is asked of each cell: Google Sheets does not spread a single answer
    return f"IF({x}<={LOWEST},0,EXP({x}-MAX({x}))/SUM(EXP({x}-MAX({x}))))"


def log_softmax_cells(x: Range) -> str:
    return f"IF({x}<={LOWEST},{LOWEST},{x}-MAX({x})-LN(SUM(EXP({x}-MAX({x})))))"


def exponents(row: list[float]) -> str:
    return terms([f"e^{number(x)}" for x in row])


def centre(x: Tensor) -> Tensor:
    """The mean, summed in float64: near zero, float32 would lose most of its digits."""
    return x.mean(dim=-1, keepdim=True, dtype=torch.float64).to(x.dtype)


def spread(x: Tensor, epsilon: float) -> Tensor:
    return (x.var(dim=-1, correction=0, keepdim=True) + epsilon).sqrt()


def root_mean_square(x: Tensor, epsilon: float) -> Tensor:
    return (x.square().mean(dim=-1, keepdim=True) + epsilon).sqrt()


def spread_cells(x: Range, epsilon: float) -> str:
    return f"SQRT({row_mean(f'({x}-{row_mean(x, x)})^2', x)}+{literal(epsilon)})"


def root_mean_square_cells(x: Range, epsilon: float) -> str:
    return f"SQRT({row_mean(f'{x}^2', x)}+{literal(epsilon)})"


def real_mean(x: Tensor, real: Tensor) -> Tensor:
    """The mean of each column over the real positions of all sentences."""
    rows = x.masked_fill(~real[..., None], 0)
    return rows.flatten(0, -2).sum(dim=0) / real.sum().clamp(min=1)


def real_variance(x: Tensor, real: Tensor) -> Tensor:
    """The biased variance that belongs to `real_mean`."""
    return real_mean((x - real_mean(x, real)).square(), real)


def text_average(x: Tensor, real: Tensor) -> Tensor:
    """B T D → B D: the mean of each sentence's real positions; zero where it has none."""
    rows = x.masked_fill(~real[..., None], 0)
    return rows.sum(dim=-2) / real.sum(dim=-1, keepdim=True).clamp(min=1)


def own_column(index: Index, _x: Size, _real: Size) -> tuple[Reading, ...]:
    sentence, column = index
    return (0, (sentence, slice(None), column)), (1, (sentence, slice(None)))


def column_spread(x: Tensor, real: Tensor, epsilon: float) -> Tensor:
    return (real_variance(x, real) + epsilon).sqrt()


def column_mean_cells(x: Range, real: Range) -> str:
    return f"MMULT(TRANSPOSE({real}*1),{x})/SUM({real}*1)"


def column_spread_cells(x: Range, real: Range, epsilon: float) -> str:
    squares = f"({x}-{column_mean_cells(x, real)})^2"
    return f"SQRT(MMULT(TRANSPOSE({real}*1),{squares})/SUM({real}*1)+{literal(epsilon)})"


def average(row: list[float]) -> str:
    return f"({terms([number(x) for x in row])})/{len(row)}"


def average_of_squares(row: list[float]) -> str:
    return f"({terms([f'{base(x)}²' for x in row])})/{len(row)}"


def average_of_distances(row: list[float]) -> str:
    mean = sum(row) / len(row)
    return f"({terms([f'({number(x)} − {number(mean)})²' for x in row])})/{len(row)}"


softmax = Operation(
    "softmax",
    compute=lambda x: without_empty(x, torch.softmax, 0.0),
    latex=lambda x: rf"\mathrm{{softmax}}({x})",
    cells=by_row(softmax_cells),
    plain=lambda row, x: f"e^{number(x)} / ({exponents(row)})",
    reads=row_and_cell,
)

log_softmax = Operation(
    "log_softmax",
    compute=lambda x: without_empty(x, torch.log_softmax, float("-inf")),
    latex=lambda x: rf"\log \mathrm{{softmax}}({x})",
    cells=by_row(log_softmax_cells),
    plain=lambda row, x: f"{number(x)} − ln({exponents(row)})",
    reads=row_and_cell,
)

mean = Operation(
    "mean",
    compute=centre,
    latex=lambda x: rf"\mathrm{{mean}}({x})",
    cells=by_matrix(lambda x: row_mean(x, x)),
    plain=average,
    reads=whole_row,
)

# biased variance, ε inside the root (Ba et al. 2016)
deviation = Operation(
    "deviation",
    compute=spread,
    latex=lambda x, epsilon: rf"\sqrt{{\mathrm{{var}}({x}) + {constant(epsilon)}}}",
    cells=by_matrix(spread_cells),
    plain=lambda row, epsilon: f"√({average_of_distances(row)} + {epsilon:g})",
    reads=whole_row,
)

# the norm without a mean (Zhang and Sennrich 2019)
rms = Operation(
    "rms",
    compute=root_mean_square,
    latex=lambda x, epsilon: rf"\sqrt{{\mathrm{{mean}}({raised(x, '2')}) + {constant(epsilon)}}}",
    cells=by_matrix(root_mean_square_cells),
    plain=lambda row, epsilon: f"√({average_of_squares(row)} + {epsilon:g})",
    reads=whole_row,
)

# the statistics of batch norm while it learns: over all real positions of all sentences
column_mean = Operation(
    "column_mean",
    compute=real_mean,
    latex=lambda x, real: rf"\mathrm{{mean}}_{{{real}}}({x})",
    cells=by_matrix(column_mean_cells),
    plain=lambda column, real: average([x for x, r in zip(column, real, strict=True) if r]),
    reads=whole_column,
)

column_deviation = Operation(
    "column_deviation",
    compute=column_spread,
    latex=lambda x, real, epsilon: (
        rf"\sqrt{{\mathrm{{var}}_{{{real}}}({x}) + {constant(epsilon)}}}"
    ),
    cells=by_matrix(column_spread_cells),
    plain=lambda column, real, epsilon: (
        f"√({average_of_distances([x for x, r in zip(column, real, strict=True) if r])}"
        f" + {epsilon:g})"
    ),
    reads=whole_column,
)

# one vector for a text: the mean of its tokens'
text_mean = Operation(
    "text_mean",
    compute=text_average,
    latex=column_mean.latex,
    cells=by_matrix(column_mean_cells),
    plain=column_mean.plain,
    reads=own_column,
)
