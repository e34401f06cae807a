"""Sums of products: everything a Transformer learns goes through one of these."""

from typing import Any

from torch import Size, Tensor

from pellucid.formula.linear import linear
from pellucid.formula.operation import Index, Operation, Place, Reading, number, raised, terms
from pellucid.formula.sheet import by_matrix

TOP = r"\top"  # transposed, in LaTeX


def share(heads: Tensor, like: Tensor) -> Tensor:
    """Repeat each head for its group of heads in `like` (grouped heads, Ainslie et al. 2023)."""
    if heads.dim() < 3 or heads.shape[-3] in (1, like.shape[-3]):
        return heads
    return heads.repeat_interleave(like.shape[-3] // heads.shape[-3], dim=-3)


def dot(a: list[float], b: list[float]) -> str:
    """A dot product, its first terms written out."""
    return terms([f"{number(x)}·{number(y)}" for x, y in zip(a, b, strict=True)])


def group(index: Index, left: Size, right: Size) -> Index:
    """Where the right operand's matrix lies: its own sentence (or the only one), its group."""
    lead = list(index[len(index) - len(right) : -2])
    if len(right) >= 3:
        lead[-1] = lead[-1] * right[-3] // left[-3]
    return tuple(0 if size == 1 else at for at, size in zip(lead, right[:-2], strict=True))


def own_row(index: Index) -> Place:
    """The row that the cell stands in."""
    return (*index[:-1], slice(None))


def row_by_column(index: Index, a: Size, b: Size) -> tuple[Reading, ...]:
    return (0, own_row(index)), (1, (*group(index, a, b), slice(None), index[-1]))


def row_by_row(index: Index, a: Size, b: Size) -> tuple[Reading, ...]:
    return (0, own_row(index)), (1, (*group(index, a, b), index[-1], slice(None)))


def row_by_weights(index: Index, *shapes: Size) -> tuple[Reading, ...]:
    places: list[Place] = [own_row(index), (index[-1], slice(None)), (index[-1],)]
    return tuple(enumerate(places[: len(shapes)]))


def affine_plain(x: list[float], weights: list[float], *bias: float) -> str:
    return " + ".join([dot(x, weights), *map(number, bias)])


def affine_latex(x: str, weights: str, *bias: str) -> str:
    return " + ".join([rf"{x}\,{raised(weights, TOP)}", *bias])


def affine_spreadsheet(x: Any, weights: Any, *bias: Any) -> str:
    return "+".join([f"MMULT({x},TRANSPOSE({weights}))", *map(str, bias)])


product = Operation(
    "product",
    compute=lambda a, b: a @ share(b, a),
    latex=lambda a, b: rf"{a}\,{b}",
    cells=by_matrix(lambda a, b: f"MMULT({a},{b})"),
    plain=dot,
    reads=row_by_column,
)

product_transposed = Operation(
    "product_transposed",
    compute=lambda a, b: a @ share(b, a).transpose(-1, -2),
    latex=lambda a, b: rf"{a}\,{raised(b, TOP)}",
    cells=by_matrix(lambda a, b: f"MMULT({a},TRANSPOSE({b}))"),
    plain=dot,
    reads=row_by_row,
)

# x Wᵀ + b: the weights lie (out, in), as `torch.nn.Linear` stores them
affine = Operation(
    "affine",
    compute=linear,
    latex=affine_latex,
    cells=by_matrix(affine_spreadsheet),
    plain=affine_plain,
    reads=row_by_weights,
)
