"""Results of a long study as Parquet files, written whole or not at all."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from pellucid.errors import PellucidError, UsageError
from pellucid.record.files import write
from pellucid.study.tally import Tally

NONE: Mapping[str, str] = {}
TOKENS = " tokens"  # ends the name of a column: over how many tokens a sum goes


def arrow() -> Any:
    """The library, where it is installed."""
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise UsageError("Parquet files need pyarrow: pip install 'pellucid[parquet]'.") from error
    return parquet


def write_part(path: Path, tally: Tally, about: Mapping[str, str]) -> None:
    """A row for each head: sub-layer, head, each measure's sum and over how many tokens it goes.

    The header says what they are of, and how many texts they are.
    """
    header = {**about, "texts read": str(tally.texts), "left out": str(tally.left_out)}
    counts = {
        f"{name}{TOKENS}": count[:, None].expand_as(tally.sums[name])
        for name, count in tally.counts.items()
    }
    table = columns(tally.places, tally.sums | counts)
    write(path, lambda beside: store(beside, table, header), "replace")


def store(path: Path, table: Mapping[str, list[Any]], header: Mapping[str, str] = NONE) -> None:
    """Write columns as a Parquet file."""
    parquet = arrow()
    import pyarrow

    parquet.write_table(pyarrow.table(table).replace_schema_metadata(header), path)


def columns(places: tuple[str, ...], values: Mapping[str, Tensor]) -> dict[str, list[Any]]:
    """Sub-layer, head, and a column for each table [L H]."""
    heads = next(iter(values.values())).shape[1] if values else 0
    return {
        "place": [place for place in places for _ in range(heads)],
        "head": [*range(heads)] * len(places),
        **{name: value.flatten().tolist() for name, value in values.items()},
    }


def read_part(path: Path, about: Mapping[str, str]) -> Tally:
    """What `write_part` wrote, if it is of the same model and texts."""
    try:
        table = arrow().read_table(path)
        header = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
        texts, left_out = int(header["texts read"]), int(header["left out"])
    except (OSError, KeyError, ValueError) as error:
        raise PellucidError(f"{path} is no part of such a study; delete it ({error}).") from error
    for what, value in about.items():
        if header.get(what) != value:
            raise UsageError(
                f"{path} is of another run: its {what} was {header.get(what)!r}, not {value!r}; "
                "name another folder."
            )
    rows = table.to_pydict()
    places, heads = tuple(dict.fromkeys(rows.pop("place"))), max(rows.pop("head"), default=-1) + 1
    sums: dict[str, Tensor] = {}
    counts: dict[str, Tensor] = {}
    for name, column in rows.items():
        if name.endswith(TOKENS):
            counts[name.removesuffix(TOKENS)] = torch.tensor(column).view(-1, heads)[:, 0]
        else:
            sums[name] = torch.tensor(column, dtype=torch.float64).view(-1, heads)
    return Tally(places, sums, counts, texts, left_out)
