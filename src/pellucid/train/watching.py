"""Watching a model at work: what its layers make and where they look, by the names of a trace.

A student is watched while it learns, with gradients; its teacher without.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

import torch
from torch import Tensor, nn

from pellucid.models.heads import Output
from pellucid.models.model import Model
from pellucid.record.note import listening
from pellucid.record.recorder import Recorder
from pellucid.record.trace import Trace
from pellucid.train.body import Given, look

STACKS = ("encoder", "decoder")
What = Literal["states", "attention"]
NAMES: Mapping[What, str] = {"states": "output", "attention": "attention.weights"}

Layers = Mapping[str, Sequence[int]]  # of each stack


@dataclass(frozen=True, eq=False)
class Watched(Output):
    """A run's output, and by stack what was watched: vectors of layers, B T L D, and attention
    weights of all their heads, B T (L·H) S. An encoder's T is not its decoder's.
    """

    states: Mapping[str, Tensor] = field(default_factory=dict)
    attention: Mapping[str, Tensor] = field(default_factory=dict)


def depths(model: Model) -> dict[str, int]:
    """How many layers each stack of a model has."""
    stacks = ((stack, getattr(model, stack, None)) for stack in STACKS)
    return {stack: len(cast(Any, found).layers) for stack, found in stacks if found is not None}


def every(layers: int, of: int) -> list[int]:
    """So many of a teacher's layers, evenly, the last one among them: 2 of 6 are 2 and 5."""
    return [(at + 1) * of // layers - 1 for at in range(layers)]


def watch(
    model: Model, inputs: Mapping[str, Given], layers: Layers, whats: Sequence[What]
) -> Watched:
    """Run the model up to its words, and keep what these layers made."""
    recorder = Recorder()
    with listening(recorder):
        output = look(model, inputs)
    trace = Trace.of(recorder, {}, {})
    seen: dict[str, Any] = {
        what: {stack: told(trace, what, stack, numbers) for stack, numbers in layers.items()}
        for what in whats
    }
    return Watched(**vars(output), **seen)


def told(trace: Trace, what: What, stack: str, layers: Sequence[int]) -> Tensor:
    """Values of several layers: vectors side by side, or the weights of all heads."""
    known: dict[str, Tensor] = {}
    names = (f"{stack}.{layer}.{NAMES[what]}" for layer in layers)
    values = [trace.value(name, known) for name in names]
    if what == "states":
        return torch.stack(values, 2)
    return torch.cat(values, 1).transpose(1, 2)


class Pupil(nn.Module):
    """A student while it is taught: its own parts under their own names, and what only teaching
    needs.

    `shares` say how much each term counts. `projections` bring vectors of another width to the
    teacher's, a matrix a layer; they are learned, and not kept.
    """

    def __init__(
        self,
        student: Model,
        temperature: float,
        shares: Mapping[str, float],
        whats: Sequence[What] = (),
        width: int = 0,
    ) -> None:
        super().__init__()
        for name, part in student.named_children():
            self.add_module(name, part)
        self.__dict__["student"] = student  # no part of it: its parts are
        self.temperature, self.shares, self.whats = temperature, dict(shares), tuple(whats)
        own = student.config.width
        wanted = "states" in self.whats and width != own
        self.projections = nn.ModuleDict(
            {
                stack: nn.ModuleList(nn.Linear(own, width, bias=False) for _ in range(count))
                for stack, count in (depths(student).items() if wanted else ())
            }
        )

    def forward(self, **inputs: Given) -> Output:
        student: Model = self.__dict__["student"]
        if not (self.whats and self.training):
            return look(student, inputs)
        layers = {stack: list(range(count)) for stack, count in depths(student).items()}
        return watch(student, inputs, layers, self.whats)

    def train(self, mode: bool = True) -> "Pupil":
        super().train(mode)
        self.__dict__["student"].train(mode)
        return self
