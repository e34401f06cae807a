"""What a page says of a layer in few numbers, where the layer's own would be too many."""

from typing import Any

import torch
from torch import Tensor

from pellucid.record.stream import Known, had, stations, strongest
from pellucid.record.trace import Trace
from pellucid.views.attentions import Attention

STREAM = {"length": "‖x‖ after each layer", "turn": "cos(x, x one layer before)"}


def in_short(trace: Trace, shown: list[Attention]) -> dict[str, Tensor]:
    """Of the shown layers: the norms' means and deviations, the strongest hidden units."""
    layers = dict.fromkeys(f"{each.stack}.{each.layer}" for each in shown)
    known: Known = {}
    return _streams(trace, known) | {
        name: value
        for layer in layers
        for name, value in {**_norms(trace, layer, known), **_units(trace, layer, known)}.items()
    }


def _norms(trace: Trace, layer: str, known: Known) -> dict[str, Tensor]:
    names = [*trace.names(f"{layer}.*.norm.mean"), *trace.names(f"{layer}.*.norm.deviation")]
    per_token = [name for name in names if trace.nodes[name].axes == "B T 1"]
    found = {name: had(trace, name, known) for name in per_token}
    return {name: value for name, value in found.items() if value is not None}


def _units(trace: Trace, layer: str, known: Known) -> dict[str, Tensor]:
    place = f"{layer}.feedforward"
    if (found := strongest(trace, f"{place}.activated", known)) is None:
        return {}
    return {f"{place}.units": found[0], f"{place}.strongest": found[1]}


def _streams(trace: Trace, known: Known) -> dict[str, Tensor]:
    """How long the residual stream's vectors are and how far they turn, B L T."""
    return {
        f"{stack}.stream.{what}": torch.stack([getattr(each, what) for each in road], dim=1)
        for stack, road in stations(trace, known).items()
        for what in STREAM
    }


def nodes(names: list[str]) -> list[dict[str, Any]]:
    """Nodes for what is no value of the trace, but a view of several."""
    return [
        {"name": name, "axes": "B L T", "written": STREAM[what]}
        for name in names
        if (what := name.rpartition(".")[2]) in STREAM
    ]
