"""Packing: several texts in one row, none of which sees another."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from pellucid.checks.rows import Rows, compare
from pellucid.checks.run import Run, Sentence, alone, listened
from pellucid.checks.sentences import Batches, arguments, batches, draw
from pellucid.models.batch import Batch
from pellucid.models.model import Model

GAP = 2  # positions of padding between two texts: packing need not be dense


@dataclass(frozen=True, eq=False)
class Packed(Run):
    """A run of one row with several texts; `documents` [1 T] numbers them, 0 is padding."""

    documents: Tensor

    @property
    def sentences(self) -> list[Sentence]:
        return [Sentence(self, number) for number in range(int(self.documents.max()))]

    @cached_property
    def places(self) -> dict[str, list[Tensor]]:
        numbers = range(1, int(self.documents.max()) + 1)
        return {"tokens": [(self.documents[0] == n).nonzero().flatten() for n in numbers]}


def packed(model: Model, seed: int = 0) -> Rows:
    """Texts packed into one row give what each gives alone; a source has no packing."""
    if model.streams != ("tokens",):
        return Rows()
    sentences = draw(model, seed)
    each = [batches({"tokens": [row]}) for row in sentences["tokens"]]
    run = together(model, each)
    names = [name for name in run.values if run.streams(name)]
    pairs = zip(run.sentences, alone(model, sentences), strict=True)
    return compare("packed = padded", names, pairs)


def together(model: Model, each: list[Batches]) -> Packed:
    """One row with all of them."""
    rows = [arguments(model, one) for one in each]
    named = {name: joined([row[name] for row in rows]) for name in rows[0] if name != "mask"}
    numbers = (torch.full_like(one["tokens"].ids, n) for n, one in enumerate(each, 1))
    documents = joined(numbers)
    trace = listened(model, {**named, "documents": documents})
    causes = {name: value for name, value in trace.held.items() if value.is_floating_point()}
    return Packed(causes, trace.nodes, {"tokens": Batch(named["ids"], None)}, documents)


def joined(rows: Iterable[Tensor | None]) -> Tensor:
    """One after another, with gaps."""
    gap = torch.zeros(1, GAP, dtype=torch.long)
    return torch.cat([part for row in rows if row is not None for part in (row, gap)], dim=-1)
