"""The residual stream in short: how long the vectors are, where they turn, what a layer finds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn import functional

from pellucid.errors import UsageError

if TYPE_CHECKING:
    from pellucid.record.trace import Trace

STATION = re.compile(r"(?:(?P<side>source|target)\.)?embed\.output|(?P<stack>\w+)\.\d+\.output")


@dataclass(frozen=True)
class Station:
    """The vectors [B T D] at one point of the road.

    `length` [B T] are their Euclidean norms, `turn` [B T] the cosines between them and those of
    the station before; at the first there is none before, and all are one.
    """

    name: str
    length: Tensor
    turn: Tensor


Known = dict[str, Tensor]


@torch.no_grad()
def stations(trace: Trace, known: Known) -> dict[str, list[Station]]:
    """For each stack its stations: what the embedding gives, then what each layer gives.

    `known` takes what had to be derived on the way.
    """
    roads = dict[str, list[Station]]()
    before = dict[str, Tensor]()
    for name, found in ((name, STATION.fullmatch(name)) for name in trace.nodes):
        if not found or (value := had(trace, name, known)) is None:
            continue
        stack, now = found["stack"] or _stack(trace, found["side"]), value.float()
        if before.get(stack, now).shape != now.shape:  # wider than before: another stream begins
            del roads[stack], before[stack]
        turn = functional.cosine_similarity(before.get(stack, now), now, dim=-1)
        roads.setdefault(stack, []).append(Station(name, now.norm(dim=-1), turn))
        before[stack] = now
    return roads


def had(trace: Trace, name: str, known: Known) -> Tensor | None:
    """The value; None where the record lacks what it is made of."""
    try:
        return trace.value(name, known)
    except UsageError:
        return None


def _stack(trace: Trace, side: str | None) -> str:
    """The stack that an embedding leads to."""
    alone = "encoder" if trace.names("encoder.*") else "decoder"
    return {"source": "encoder", "target": "decoder"}.get(side or "", alone)


@torch.no_grad()
def strongest(trace: Trace, name: str, known: Known, most: int = 6) -> tuple[Tensor, Tensor] | None:
    """The columns of a value [B T F] furthest from zero, and their numbers; both [B T most].

    None where the value cannot be had. `known` is not added to: such values are wide.
    """
    if name not in trace or (value := had(trace, name, dict(known))) is None:
        return None
    columns = value.abs().topk(min(most, value.shape[-1]), dim=-1).indices
    return columns, value.gather(-1, columns)
