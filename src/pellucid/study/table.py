"""Parts of a long study as Parquet files, written whole or not at all."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from pellucid.errors import PellucidError, UsageError
from pellucid.record.files import write

Sums = dict[str, Tensor]
Counts = dict[str, int]


def arrow() -> Any:
    """The library, where it is installed."""
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise UsageError(
            "Parquet files need pyarrow: pip install 'pellucid[parquet]', or leave out the folder."
        ) from error
    return parquet


def write_part(
    path: Path, tally: tuple[Sums, Counts, Mapping[str, int]], about: Mapping[str, str]
) -> None:
    """A row for each head: layer, head, the measures' sums; and in the header what they are of."""
    import pyarrow

    parquet = arrow()
    sums, counts, numbers = tally
    header = {**about, "counts": json.dumps(counts), "numbers": json.dumps(dict(numbers))}
    table = pyarrow.table(columns(sums)).replace_schema_metadata(header)
    write(path, lambda beside: parquet.write_table(table, beside), "replace")


def columns(sums: Sums) -> dict[str, list[float]]:
    """Layer, head, and a column a measure."""
    layers, heads = next(iter(sums.values())).shape if sums else (0, 0)
    places = [(layer, head) for layer in range(layers) for head in range(heads)]
    return {
        "layer": [layer for layer, _ in places],
        "head": [head for _, head in places],
        **{name: total.flatten().tolist() for name, total in sums.items()},
    }


def read_part(path: Path, about: Mapping[str, str]) -> tuple[Sums, Counts, dict[str, int]]:
    """What `write_part` wrote, if it is of the same model and texts."""
    try:
        table = arrow().read_table(path)
        header = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
        numbers: dict[str, int] = json.loads(header["numbers"])
        counts: dict[str, int] = json.loads(header["counts"])
    except (OSError, KeyError, ValueError) as error:
        raise PellucidError(f"{path} is no part of such a study; delete it ({error}).") from error
    for what, value in about.items():
        if header.get(what) != value:
            raise UsageError(
                f"{path} is of another run: its {what} was {header.get(what)!r}, not {value!r}; "
                "name another folder."
            )
    rows = table.to_pydict()
    layers, heads = (max(rows.pop(name), default=-1) + 1 for name in ("layer", "head"))
    sums = {
        name: torch.tensor(column, dtype=torch.float64).view(layers, heads)
        for name, column in rows.items()
    }
    return sums, counts, numbers
