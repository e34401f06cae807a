"""An operation: one kind of arithmetic, described once and rendered four ways.

It computes itself on tensors, writes itself as mathematics, fills spreadsheet cells, and has a
twin of the same name in `algebra.js`. A layer's numbers are described with nothing else.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from torch import Size, Tensor

from pellucid.formula.sheet import Cells, Range, by_matrix

Index = tuple[int, ...]
Place = tuple[int | slice, ...]  # a cell, a row or a column of a tensor
Reading = tuple[int, Place]  # which operand, and where in it
Number = int | float
Numbers = Number | list[Number]  # what stands at a place


@dataclass(frozen=True)
class Formula:
    """An operation on named values: `softmax("masked")`.

    `axes` names the dimensions of the result in the package's shape alphabet ("B H T S").
    """

    operation: "Operation"
    parents: tuple[str, ...]
    axes: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    def compute(self, *operands: Tensor) -> Tensor:
        """The result for these operands, in their own precision."""
        return self.operation.compute(*operands, **self.settings)

    def latex(self, *symbols: str) -> str:
        """The right-hand side as LaTeX; symbols stand for the parents."""
        return self.operation.latex(*(symbols or self.parents), **self.settings)

    def cells(self, out: Cells, *operands: Cells) -> Iterator[tuple[Range, str]]:
        """Pairs of a range and the array formula that fills it."""
        return self.operation.cells(out, *operands, **self.settings)

    def reads(self, index: Index, *shapes: Size) -> tuple[Reading, ...]:
        """What the cell at `index` is made of: places in operands of these shapes."""
        return self.operation.reads(index, *shapes, **self.settings)

    def plain(self, *numbers: Numbers) -> str:
        """One cell's arithmetic with its actual numbers: `1.2·0.4 + 0.3·0.1`."""
        return self.operation.plain(*numbers, **self.settings)

    def __str__(self) -> str:
        settings = [f"{key}={value}" for key, value in self.settings.items()]
        return f"{self.operation.name}({', '.join([*self.parents, *settings])})"


def cell(index: Index, shape: Size) -> Place:
    """The cell of a smaller tensor that is broadcast to `index`."""
    own = index[len(index) - len(shape) :]
    return tuple(0 if size == 1 else at for at, size in zip(own, shape, strict=True))


def same_cell(index: Index, *shapes: Size, **_settings: Any) -> tuple[Reading, ...]:
    """Element by element: the same cell of each operand, a single row or column repeated."""
    return tuple((which, cell(index, shape)) for which, shape in enumerate(shapes))


@dataclass(frozen=True)
class Operation:
    """One kind of arithmetic; calling it with names makes a `Formula`."""

    name: str
    compute: Callable[..., Tensor]
    latex: Callable[..., str]
    cells: Callable[..., Iterator[tuple[Range, str]]]
    plain: Callable[..., str]
    reads: Callable[..., tuple[Reading, ...]] = same_cell

    def __call__(self, *parents: str, axes: str, **settings: Any) -> Formula:
        return Formula(self, parents, axes, settings)


def elementwise(
    name: str,
    compute: Callable[..., Tensor],
    latex: Callable[..., str],
    spreadsheet: Callable[..., str],
    plain: Callable[..., str],
) -> Operation:
    """An operation that treats each cell alone; the spreadsheet needs one array formula."""
    return Operation(name, compute, latex, by_matrix(spreadsheet), plain)


def number(value: Number) -> str:
    """Four significant digits, a true minus sign, and ∞ by name."""
    if value in (float("inf"), float("-inf")):
        return "∞" if value > 0 else "−∞"
    return f"{value:.4g}".replace("-", "−")


def base(value: Number) -> str:
    """A number that a power is taken of: −2² would be −4."""
    return f"({number(value)})" if value < 0 else number(value)


def constant(value: Number) -> str:
    """A setting as LaTeX, with a power of ten where it has one: 1e-05 is 10^{-5}."""
    digits, _, power = f"{value:g}".partition("e")
    if not power:
        return digits
    factor = "" if digits == "1" else rf"{digits} \cdot "
    return f"{factor}10^{{{int(power)}}}"


def raised(symbol: str, power: str) -> str:
    """A symbol to a power, as LaTeX; W^Q goes in braces, since a power has no power."""
    return f"{{{symbol}}}^{power}" if "^" in symbol else f"{symbol}^{power}"


def terms(parts: list[str], shown: int = 3) -> str:
    """A sum written out, its middle left out when it is long."""
    if len(parts) <= shown + 1:
        return " + ".join(parts)
    return " + ".join([*parts[:shown], f"… ({len(parts)} terms)"])
