"""Arithmetic about places: looking up rows, cutting heads, positions, and what may be seen."""

import torch
from torch import Size, Tensor
from torch.nn import functional

from pellucid.formula.operation import Index, Operation, Reading, cell, number
from pellucid.formula.sheet import Range, by_head, by_matrix, by_row


def split(x: Tensor, heads: int) -> Tensor:
    """B T (H K) → B H T K."""
    apart: Tensor = x.unflatten(-1, (heads, -1))
    return apart.transpose(-3, -2)


def merge(x: Tensor) -> Tensor:
    """B H T K → B T (H K)."""
    return x.transpose(-3, -2).flatten(-2)


def one_head(index: Index, x: Size, heads: int) -> tuple[Reading, ...]:
    *lead, head, at, column = index
    return ((0, (*lead, at, head * (x[-1] // heads) + column)),)


def all_heads(index: Index, x: Size, heads: int) -> tuple[Reading, ...]:
    *lead, at, column = index
    head, within = divmod(column, x[-1])
    return ((0, (*lead, head, at, within)),)


def looked_up(index: Index, _table: Size, ids: Size) -> tuple[Reading, ...]:
    return ((1, cell(index[:-1], ids)),)


def reachable(query: Tensor, real: Tensor, pattern: str) -> Tensor:
    """B 1 T S: which keys each query may see; the last query sees the last key.

    Where `real` numbers documents (0 is padding), each sees its own only.
    """
    rows, columns = query.shape[-2], real.shape[-1]
    keys = (real != 0)[:, None, None, :].expand(-1, -1, rows, -1)
    if real.dtype != torch.bool:
        keys = keys & (real[:, None, -rows:, None] == real[:, None, None, :])
    if pattern == "full":
        return keys
    earlier = torch.ones(rows, columns, dtype=torch.bool, device=real.device)
    return keys & earlier.tril(columns - rows)


def seen_key(index: Index, query: Size, real: Size, pattern: str) -> tuple[Reading, ...]:
    """The key's flag; none where the key comes later than the query."""
    *_, row, column = index
    later = pattern == "causal" and column > row + real[-1] - query[-2]
    return () if later else ((1, (index[0], column)),)


def reachable_cells(query: Range, real: Range, pattern: str) -> str:
    seen = f"(TRANSPOSE({real})>0)"
    if pattern == "full":
        return f"{seen}*(ROW({query})>0)"
    row, column = f"(ROW({query})-MIN(ROW({query})))", f"TRANSPOSE(ROW({real})-MIN(ROW({real})))"
    return f"{seen}*({column}<={row}+ROWS({real})-ROWS({query}))"


def first_real(x: Tensor, real: Tensor) -> Tensor:
    """B T D → B D: the vector at each sentence's first real position."""
    start = real.int().argmax(dim=-1)
    return x[torch.arange(x.shape[0], device=x.device), start]


def last_real(x: Tensor, real: Tensor) -> Tensor:
    """B T D → B D: the vector at each sentence's last real position."""
    end = real.shape[-1] - 1 - real.int().flip(-1).argmax(dim=-1)
    return x[torch.arange(x.shape[0], device=x.device), end]


def last_cells(x: Range, real: Range) -> str:
    numbered = f"MAX(({real}>0)*(ROW({real})-MIN(ROW({real}))+1))"
    return f"INDEX({x},IF({numbered}=0,ROWS({real}),{numbered}),0)"


def count(real: Tensor) -> Tensor:
    """Positions count the real tokens only, so padding on any side changes nothing.

    Where `real` numbers documents (0 is padding), each begins at 0.
    """
    places = (real != 0).long().cumsum(dim=-1) - 1
    if real.dtype != torch.bool:
        begins = real != functional.pad(real, (1, 0))[..., :-1]
        places = places - torch.where(begins, places, 0).cummax(dim=-1).values
    return places.clamp(min=0)


def count_cells(real: Range) -> str:
    earlier = f"(ROW({real})>=TRANSPOSE(ROW({real})))"
    counted = f"MMULT({earlier}*1,{real}*1)-1"
    return f"IF({counted}<0,0,{counted})"


positions = Operation(
    "positions",
    compute=count,
    latex=lambda real: rf"\max(0, \mathrm{{cumsum}}({real}) - 1)",
    cells=by_matrix(count_cells),
    plain=lambda row: f"{max(0, sum(map(bool, row)) - 1)}",
    reads=lambda index, _real: ((0, (*index[:-1], slice(0, index[-1] + 1))),),
)

gather = Operation(
    "gather",
    compute=lambda table, ids: functional.embedding(ids, table),
    latex=lambda table, ids: rf"{table}[{ids}]",
    cells=by_row(lambda table, ids: f"INDEX({table},{ids}+1,0)", whole=1),
    plain=lambda row: f"row {row:g} of the table",
    reads=looked_up,
)

split_heads = Operation(
    "split_heads",
    compute=split,
    latex=lambda x, heads: rf"\mathrm{{split}}_{{{heads}}}({x})",
    cells=by_head,
    plain=lambda x, heads: number(x),
    reads=one_head,
)

merge_heads = Operation(
    "merge_heads",
    compute=lambda x, heads: merge(x),
    latex=lambda x, heads: rf"\mathrm{{merge}}_{{{heads}}}({x})",
    cells=by_head,
    plain=lambda x, heads: number(x),
    reads=all_heads,
)

# which keys a query may see, from the padding mask (True = real) and a pattern
reach = Operation(
    "reach",
    compute=reachable,
    latex=lambda query, real, pattern: rf"\mathrm{{{pattern}}}({real})",
    cells=by_matrix(reachable_cells),
    plain=lambda *real, pattern: ("real" if real[0] else "padding") if real else "later",
    reads=seen_key,
)

first = Operation(
    "first",
    compute=first_real,
    latex=lambda x, real: rf"\mathrm{{first}}_{{{real}}}({x})",
    cells=by_matrix(lambda x, real: f"INDEX({x},MATCH(MAX({real}),{real},0),0)"),
    plain=lambda column, real: number(column[real.index(max(real))]),
    reads=lambda index, x, real: (
        (0, (index[0], slice(None), index[-1])),
        (1, (index[0], slice(None))),
    ),
)

last = Operation(
    "last",
    compute=last_real,
    latex=lambda x, real: rf"\mathrm{{last}}_{{{real}}}({x})",
    cells=by_matrix(last_cells),
    plain=lambda column, real: number(column[len(real) - 1 - real[::-1].index(max(real))]),
    reads=first.reads,
)
