"""The cases that every rendering of every operation is tried on, laid out as a table.

An operand is described by its axes, and by its kind where it is no plain number: "B S flags".
Sizes are drawn anew for each seed; with seed 0 all are one. A setting "H" is the size of H.
Numbers are exact in float32, so that both precisions start from the same.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

import torch
from torch import Generator, Tensor

from pellucid.formula import OPERATIONS, Formula

SEEDS = range(8)
# where small numbers must keep all their digits, and large ones must not overflow
EDGES = (-800, -37, -20, -8, -5, -3, -2.5, -1, -1e-3, -1e-8, 0, 1e-8, 0.5, 2.5, 5, 8, 800)
VECTORS, INNER, SQUARE = "B T D", "B T F", "B H T S"
T5_BOTH = [*range(1, 9), 12, 16, 23, 32, 46, 64, 91]
T5_PAST = [*range(1, 17), 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]


@dataclass(frozen=True)
class Row:
    operands: tuple[str, ...]
    axes: str
    settings: Mapping[str, Any]


def row(*operands: str, to: str = VECTORS, **settings: Any) -> Row:
    return Row(operands, to, settings)


def alone(*settings: Mapping[str, Any]) -> list[Row]:
    """An operation that treats each number of one operand alone."""
    kinds = (VECTORS, f"{VECTORS} wild")
    return [row(kind, **each) for each in settings or ({},) for kind in kinds]


TABLE: dict[str, list[Row]] = {
    "same": alone(),
    "add": [
        row(VECTORS, VECTORS),
        row(VECTORS, VECTORS, VECTORS, "D"),
        row(SQUARE, "B 1 T S", to=SQUARE),
    ],
    "multiply": [row(INNER, INNER, to=INNER), row(VECTORS, "D")],
    "scale": alone({"by": 0.125}, {"by": -3.5e-05}, {"by": 22.627416997969522}),
    "shift": [*alone({"by": -0.5}, {"by": 1e-05}), row("B T places", to="B T", by=2)],
    "over_root": [row(SQUARE, to=SQUARE, of=64), row(f"{SQUARE} wild", to=SQUARE, of=3)],
    "mask": [
        row(SQUARE, "B 1 T S flags", to=SQUARE),
        row(f"{SQUARE} wild", "B 1 T S flags", to=SQUARE),
    ],
    "rescale": [row(VECTORS, "D"), row(VECTORS, "D", "D")],
    "divide": [row(VECTORS, "B T 1 positive"), row(VECTORS, "D positive")],
    "normalise": [row(VECTORS, "B T 1", "B T 1 positive"), row(VECTORS, "D", "D positive")],
    "root": [row("D positive", to="D", epsilon=each) for each in (0.0, 1e-12, 1e-05)],
    "relu": alone(),
    "gelu": alone(),
    "gelu_tanh": alone(),
    "silu": alone(),
    "tanh": alone(),
    "product": [
        row(SQUARE, "B H S K", to="B H T K"),
        row(SQUARE, "B G S K", to="B H T K"),
        row(VECTORS, "D F", to=INNER),
    ],
    "product_transposed": [
        row("B H T K", "B H S K", to=SQUARE),
        row("B H T K", "B G S K", to=SQUARE),
        row(VECTORS, "V D", to="B T V"),
    ],
    "affine": [row(VECTORS, "F D", to=INNER), row(VECTORS, "F D", "F", to=INNER)],
    "softmax": [row(f"{SQUARE} scores", to=SQUARE), row(VECTORS)],
    "log_softmax": [row(f"{SQUARE} scores", to=SQUARE), row(VECTORS)],
    "mean": [row(kind, to="B T 1") for kind in (VECTORS, f"{VECTORS} wild")],
    "deviation": [row(VECTORS, to="B T 1", epsilon=each) for each in (1e-12, 1e-06, 0.1)],
    "rms": [row(VECTORS, to="B T 1", epsilon=each) for each in (1e-12, 1e-06, 0.1)],
    "column_mean": [row(VECTORS, "B T real", to="D")],
    "column_deviation": [row(VECTORS, "B T real", to="D", epsilon=each) for each in (1e-05, 0.001)],
    "text_mean": [row(VECTORS, "B T real", to="B D")],
    "positions": [row("B T flags", to="B T")],
    "gather": [row("V D", "B T ids")],
    "split_heads": [
        row("B T HK", to="B H T K", heads="H"),
        row("B S GK", to="B G S K", heads="G"),
    ],
    "merge_heads": [row("B H T K", to="B T HK", heads="H")],
    "reach": [
        row(query, "B S flags", to="B 1 T S", pattern=pattern)
        for query in (VECTORS, "B H T K")
        for pattern in ("full", "causal")
    ],
    **{
        name: [row(VECTORS, f"B T {kind}", to="B D") for kind in ("real", "flags")]
        for name in ("first", "last")
    },
    "rotate": [
        row(f"{x} {width}", "B T places", "R frequencies", to=f"{x} {width}", layout=layout)
        for x in ("B H T", "B G T")
        for width in ("2R", "3R")
        for layout in ("interleaved", "half-split")
    ],
    "sinusoid": [
        row("B T places", to="B T 2R", width="2R", base=base, layout=layout)
        for base in (10000.0, 100.0)
        for layout in ("interleaved", "half-split")
    ],
    "alibi": [row("B T places", "B S places", "H positive", to=SQUARE)],
    "bucket": [
        row("B T far", "B S far", to="B T S", thresholds=thresholds, direction=direction)
        for thresholds, direction in (
            (T5_BOTH, "both"),
            (T5_PAST, "past"),
            ([3], "both"),
            ([3], "past"),
        )
    ],
    "pick": [row("V H", "B T S ids", to=SQUARE)],
}


def exact(x: Tensor) -> Tensor:
    """Numbers that float32 can hold, in float64."""
    return x.float().double()


def numbers(shape: list[int], random: Generator, _: int) -> Tensor:
    return exact(2 * torch.randn(shape, generator=random))


def wild(shape: list[int], random: Generator, _: int) -> Tensor:
    """From thousandths to thousands, of both signs."""
    return exact(torch.randn(shape, generator=random) * 10 ** (6 * uniform(shape, random) - 3))


def positive(shape: list[int], random: Generator, _: int) -> Tensor:
    return exact(0.1 + 2 * uniform(shape, random))


def scores(shape: list[int], random: Generator, _: int) -> Tensor:
    """Large ones, hidden ones, and in one of two cases a row where all are hidden."""
    x = numbers(shape, random, 0)
    x[uniform(shape, random) < 0.2] = 800.0
    x[uniform(shape, random) < 0.2] = -800.0
    x[uniform(shape, random) < 0.3] = float("-inf")
    if uniform([], random) < 0.5:
        x[..., 0, :] = float("-inf")
    return x


def flags(shape: list[int], random: Generator, _: int) -> Tensor:
    """Padding on the right, on the left, anywhere, everywhere or nowhere."""
    length = shape[-1]
    where = torch.arange(length)
    middle = whole(0, length + 1, [*shape[:-1], 1], random)
    anywhere = uniform(shape, random) < 0.6
    chosen = whole(0, 5, [], random)
    never, always = torch.zeros(shape).bool(), torch.ones(shape).bool()
    return (where < middle, where >= middle, anywhere, never, always)[int(chosen)].expand(shape)


def real(shape: list[int], random: Generator, _: int) -> Tensor:
    """Flags of which at least one a sentence is set."""
    one = torch.arange(shape[-1]) == whole(0, shape[-1], [*shape[:-1], 1], random)
    return flags(shape, random, 0) | one


def frequencies(shape: list[int], random: Generator, _: int) -> Tensor:
    return exact(uniform(shape, random) * 100.0 ** -(torch.arange(shape[0]) / shape[0]))


def uniform(shape: list[int], random: Generator) -> Tensor:
    return torch.rand(shape, generator=random)


def whole(low: int, high: int, shape: list[int], random: Generator) -> Tensor:
    return torch.randint(low, high, shape, generator=random)


KINDS: dict[str, Callable[[list[int], Generator, int], Tensor]] = {
    "numbers": numbers,
    "wild": wild,
    "positive": positive,
    "scores": scores,
    "flags": flags,
    "real": real,
    "frequencies": frequencies,
    "ids": lambda shape, random, words: whole(0, words, shape, random),
    "places": lambda shape, random, _: whole(0, 40, shape, random),
    "far": lambda shape, random, _: whole(0, 300, shape, random),
}


def draw(kind: str, shape: Iterable[int], random: Generator, sizes: Mapping[str, int]) -> Tensor:
    return KINDS[kind]([*shape], random, sizes["V"])


def draw_sizes(random: Generator, seed: int, batch: int) -> dict[str, int]:
    """Sizes for the letters of the alphabet: H is a multiple of G, and S at least T.

    With seed 0 all are one; with an odd seed none is, apart from B.
    """
    most = {"T": 5, "D": 7, "K": 5, "F": 6, "V": 8, "R": 3, "G": 3, "more": 3, "each": 3}
    least = 1 + seed % 2
    drawn = {name: int(whole(least, top + 1, [], random)) for name, top in most.items()}
    if seed == 0:
        drawn = dict.fromkeys(most, 1)
    drawn |= {"B": batch, "H": drawn["G"] * drawn["each"], "S": drawn["T"] + drawn["more"] - 1}
    return drawn


def resolved(value: Any, sizes: Mapping[str, int]) -> Any:
    """The number that a name of sizes stands for: 2R, HK; other values stand for themselves."""
    if not isinstance(value, str) or not re.fullmatch(r"\d*[A-Z]*", value):
        return value
    digits, letters = re.fullmatch(r"(\d*)([A-Z]*)", value).groups()
    return int(digits or 1) * prod(sizes[letter] for letter in letters)


def described(operand: str) -> tuple[str, str]:
    """Axes and kind: "B T D" is "B T D numbers"."""
    axes, kind = re.fullmatch(r"([^a-z]+?)(?: ([a-z]+))?", operand).groups()
    return axes, kind or "numbers"


@dataclass(frozen=True)
class Case:
    """A formula and its operands; those that were drawn say how."""

    name: str
    formula: Formula
    operands: tuple[Tensor, ...]
    axes: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def expected(self) -> Tensor:
        """The result in float64."""
        return self.formula.compute(*self.operands)

    def redraw(self, which: int, random: Generator) -> Tensor:
        """Other values for an operand, of the same kind; flags are turned round."""
        operand, kind = self.operands[which], self.kinds[which]
        if kind == "real":
            return torch.ones_like(operand)
        return ~operand if kind == "flags" else draw(kind, operand.shape, random, self.sizes)


def make(name: str, at: int, seed: int, batch: int = 1) -> Case:
    """The case of the table's row `at` of an operation, drawn with this seed."""
    entry = TABLE[name][at]
    random = Generator().manual_seed(1000 * seed + at)
    sizes = draw_sizes(random, seed, batch)
    axes, kinds = zip(*map(described, entry.operands), strict=True)
    shapes = [[resolved(letter, sizes) for letter in letters.split()] for letters in axes]
    operands = tuple(
        draw(kind, shape, random, sizes) for kind, shape in zip(kinds, shapes, strict=True)
    )
    settings = {key: resolved(value, sizes) for key, value in entry.settings.items()}
    formula = OPERATIONS[name](*entry.operands, axes=entry.axes, **settings)
    return Case(f"{name} {at} seed {seed}", formula, operands, axes, kinds, sizes)


def fixed(name: str, numbers: Iterable[float]) -> Case:
    """A case of an operation that treats each number alone, with these numbers."""
    row_of = torch.tensor([*numbers], dtype=torch.float64)
    return Case(f"{name} fixed", OPERATIONS[name]("x", axes="D"), (row_of,), ("D",))


def cases(name: str) -> list[Case]:
    """All cases of an operation, one sentence each."""
    return [make(name, at, seed) for at in range(len(TABLE[name])) for seed in SEEDS]


def everything() -> list[Case]:
    """All cases of all operations, and the edges."""
    edges = [fixed(name, EDGES) for name in ("relu", "gelu", "silu", "tanh")]
    return edges + [case for name in TABLE for case in cases(name)]


def matrices(x: Tensor, axes: str) -> Tensor | list[Tensor]:
    """One sentence as a matrix, or as a list of matrices where it has heads."""
    letters = axes.split()
    if x.dim() == 1:
        return x[None]
    if letters in (["B", "T"], ["B", "S"]):
        return x[0][:, None]
    if x.dim() == 4:
        return x[0, 0] if letters[1] == "1" else list(x[0])
    return x[0] if x.dim() == 3 else x
