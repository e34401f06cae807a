"""Positions as numbers: waves, rotations, and biases that depend on distance."""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Size, Tensor
from torch.nn import functional

from pellucid.formula.operation import Index, Operation, Place, Reading, cell, constant, number
from pellucid.formula.sheet import Range, by_matrix, each_head, literal

Columns = Iterator[tuple[Range, str]]

# where the two members of each pair of columns lie
Pair = Callable[[int, int], tuple[int, int]]
PAIRS: dict[str, Pair] = {
    "interleaved": lambda at, half: (2 * at, 2 * at + 1),
    "half-split": lambda at, half: (at, at + half),
}


def halves(x: Tensor, layout: str) -> tuple[Tensor, Tensor]:
    """All first and all second members of the pairs."""
    if layout == "half-split":
        first, second = x.chunk(2, dim=-1)
        return first, second
    return x[..., 0::2], x[..., 1::2]


def join(first: Tensor, second: Tensor, layout: str) -> Tensor:
    """The inverse of `halves`."""
    if layout == "half-split":
        return torch.cat([first, second], dim=-1)
    return torch.stack([first, second], dim=-1).flatten(-2)


def turn(x: Tensor, positions: Tensor, frequencies: Tensor, layout: str) -> Tensor:
    """Turn each pair of columns by position × frequency; columns beyond are left alone.

    Angles are never computed in less than float32.
    """
    exact = torch.promote_types(x.dtype, torch.float32)
    angle = positions.to(exact)[:, None, :, None] * frequencies.to(exact)
    turning, rest = x.split([2 * len(frequencies), x.shape[-1] - 2 * len(frequencies)], dim=-1)
    a, b = halves(turning.to(exact), layout)
    turned = join(a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos(), layout)
    return torch.cat([turned.to(x.dtype), rest], dim=-1)


@each_head
def turn_cells(out: Range, x: Range, positions: Range, frequencies: Range, layout: str) -> Columns:
    half = frequencies.width
    for at in range(half):
        first, second = PAIRS[layout](at, half)
        a, b = column(x, first), column(x, second)
        angle = f"{positions}*{column(frequencies, at)}"
        yield column(out, first), f"{a}*COS({angle})-{b}*SIN({angle})"
        yield column(out, second), f"{a}*SIN({angle})+{b}*COS({angle})"
    if x.width > 2 * half:
        yield out.columns(2 * half, x.width), str(x.columns(2 * half, x.width))


def column(cells: Range, at: int) -> Range:
    return cells.columns(at, at + 1)


def turned_pair(
    index: Index, x: Size, places: Size, frequencies: Size, layout: str
) -> tuple[Reading, ...]:
    *lead, at = index
    half = frequencies[-1]
    if at >= 2 * half:
        return ((0, index),)
    which = at // 2 if layout == "interleaved" else at % half
    first, second = PAIRS[layout](which, half)
    pair: Place = (*lead, slice(first, second + 1, second - first))
    return (0, pair), (1, cell((index[0], index[-2]), places)), (2, (which,))


def turned_plain(pair: Any, *angle: int | float, layout: str) -> str:
    if not angle:
        return number(pair)
    place, frequency = angle
    return f"({number(pair[0])}, {number(pair[1])}) turned by {place:g}·{number(frequency)}"


def waves(places: Tensor, width: int, base: float, layout: str) -> Tensor:
    """Sine for even, cosine for odd columns, in float64 (Vaswani et al. 2017, section 3.5)."""
    powers = torch.arange(0, width, 2, device=places.device, dtype=torch.float64) / width
    angle = places[..., None].double() / base**powers
    return join(angle.sin(), angle.cos(), layout)


def wave_cells(out: Range, places: Range, width: int, base: float, layout: str) -> Columns:
    for at in range(width // 2):
        first, second = PAIRS[layout](at, width // 2)
        angle = f"{places}/{literal(base)}^({2 * at}/{width})"
        yield column(out, first), f"SIN({angle})"
        yield column(out, second), f"COS({angle})"


def far(query: Tensor, key: Tensor, slopes: Tensor) -> Tensor:
    distance = (query[:, :, None] - key[:, None, :]).abs()
    return -slopes[:, None, None] * distance[:, None]


def far_cells(out: list[Range], query: Range, key: Range, slopes: Range) -> Columns:
    for head, cells in enumerate(out):
        yield cells, f"-{column(slopes, head)}*ABS({query}-TRANSPOSE({key}))"


def bucketed(query: Tensor, key: Tensor, thresholds: list[int], direction: str) -> Tensor:
    """How many thresholds the distance reaches; later keys have buckets of their own."""
    ahead = key[:, None, :] - query[:, :, None]
    distance = ahead.abs() if direction == "both" else (-ahead).clamp(min=0)
    limits = torch.tensor(thresholds, device=query.device)
    reached = (distance[..., None] >= limits).sum(dim=-1)
    return reached + (ahead > 0) * (len(thresholds) + 1) if direction == "both" else reached


def bucket_cells(query: Range, key: Range, thresholds: list[int], direction: str) -> str:
    ahead = f"(TRANSPOSE({key})-{query})"
    distance = f"ABS{ahead}" if direction == "both" else f"(-{ahead})"
    reached = "+".join(["0", *(f"({distance}>={limit})" for limit in thresholds)])
    return f"{reached}+({ahead}>0)*{len(thresholds) + 1}" if direction == "both" else reached


def picked(table: Tensor, buckets: Tensor) -> Tensor:
    """B T S → B H T S: each head has its own column of the table."""
    return functional.embedding(buckets, table).movedim(-1, -3)


def picked_cells(out: list[Range], table: Range, buckets: Range) -> Columns:
    for head, cells in enumerate(out):
        values = column(table, head)
        number_of = f"TRANSPOSE(ROW({values})-MIN(ROW({values})))"
        for at in range(cells.height):
            hot = f"(TRANSPOSE({buckets.row(at)})={number_of})*1"
            yield cells.row(at), f"TRANSPOSE(MMULT({hot},{values}))"


def query_and_key(index: Index, query: Size, key: Size, *_: Size, **_s: Any) -> list[Reading]:
    return [
        (0, cell((index[0], index[-2]), query)),
        (1, cell((index[0], index[-1]), key)),
    ]


# rotary positions (Su et al. 2021); layout is "interleaved" or "half-split"
rotate = Operation(
    "rotate",
    compute=turn,
    latex=lambda x, places, frequencies, layout: (
        rf"\mathrm{{rotate}}({x},\ {places} \cdot {frequencies})"
    ),
    cells=turn_cells,
    plain=turned_plain,
    reads=turned_pair,
)

sinusoid = Operation(
    "sinusoid",
    compute=waves,
    latex=lambda places, width, base, layout: (
        rf"\sin / \cos({places} / {constant(base)}^{{2i/{width}}})"
    ),
    cells=wave_cells,
    plain=lambda place, width, base, layout: f"a wave at position {place:g}",
    reads=lambda index, places, **_: ((0, cell(index[:-1], places)),),
)

# a bias that grows with the distance (Press et al. 2021)
alibi = Operation(
    "alibi",
    compute=far,
    latex=lambda query, key, slopes: rf"-{slopes}\,|{query} - {key}|",
    cells=far_cells,
    plain=lambda query, key, slope: f"−{number(slope)}·|{query:g} − {key:g}|",
    reads=lambda index, *shapes: (*query_and_key(index, *shapes), (2, (index[-3],))),
)

# distances in buckets, finer when near (Raffel et al. 2019)
bucket = Operation(
    "bucket",
    compute=bucketed,
    latex=lambda query, key, thresholds, direction: rf"\mathrm{{bucket}}({key} - {query})",
    cells=by_matrix(bucket_cells),
    plain=lambda query, key, thresholds, direction: f"the bucket of {key:g} − {query:g}",
    reads=lambda index, *shapes, **settings: tuple(query_and_key(index, *shapes)),
)

pick = Operation(
    "pick",
    compute=picked,
    latex=lambda table, buckets: rf"{table}[{buckets}]",
    cells=picked_cells,
    plain=lambda bucket: f"row {bucket:g} of the table",
    reads=lambda index, table, buckets: ((1, cell((index[0], *index[-2:]), buckets)),),
)
