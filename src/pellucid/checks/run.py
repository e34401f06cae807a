"""A run that was looked at, and each of its sentences without the padding."""

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from pellucid.checks.sentences import Batches, Sentences, apart, arguments, batches, real
from pellucid.errors import UsageError
from pellucid.models.model import Model
from pellucid.record.node import Node
from pellucid.record.note import listening
from pellucid.record.recorder import Recorder
from pellucid.record.streams import stream_of
from pellucid.record.trace import Trace


@dataclass(frozen=True, eq=False)
class Run:
    """Values by name, the nodes that name their dimensions, and which positions are real."""

    values: Mapping[str, Tensor]
    nodes: Mapping[str, Node]
    batches: Batches

    @property
    def sentences(self) -> "list[Sentence]":
        """The run's sentences, one after another."""
        count = len(next(iter(self.batches.values())).ids)
        return [Sentence(self, number) for number in range(count)]

    @cached_property
    def places(self) -> dict[str, list[Tensor]]:
        """Where the real tokens of each stream's sentences are."""
        return {
            stream: [row.nonzero().flatten() for row in real(batch)]
            for stream, batch in self.batches.items()
        }

    def streams(self, name: str) -> dict[str, str]:
        """The axes of a value that stand for tokens, and of which stream."""
        axes = self.nodes[name].axes.split()
        return {axis: stream_of(name, axis, self.batches) for axis in axes if axis in ("T", "S")}


@dataclass(frozen=True, eq=False)
class Sentence(Mapping[str, Tensor]):
    """The values of one sentence at its real tokens: padding, on any side, is gone.

    `first` leaves only so many tokens.
    """

    run: Run
    number: int
    first: int | None = None

    def __getitem__(self, name: str) -> Tensor:
        value, streams = self.run.values[name], self.run.streams(name)
        for dim, axis in reversed(list(enumerate(self.run.nodes[name].axes.split()))):
            if axis in streams:
                places = self.run.places[streams[axis]][self.number]
                value = value.index_select(dim, places[: self.first])
            elif axis == "B":  # a value that is the same for all sentences may come once
                value = value.select(dim, min(self.number, value.shape[dim] - 1))
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self.run.values)

    def __len__(self) -> int:
        return len(self.run.values)


def look(model: Model, given: Batches) -> Run:
    """Run the model on these ids; recorded are its causes."""
    trace = see(model, given)
    causes = {name: value for name, value in trace.held.items() if value.is_floating_point()}
    return Run(causes, trace.nodes, given)


def alone(model: Model, sentences: Sentences) -> list[Sentence]:
    """Each sentence from a run of its own."""
    return [look(model, batches(each)).sentences[0] for each in apart(sentences)]


def see(model: Model, given: Batches) -> Trace:
    """Run the model on these ids and record it all."""
    return listened(model, arguments(model, given))


def listened(model: Model, named: Mapping[str, Tensor | None]) -> Trace:
    """Run the model on these arguments and record it all."""
    recorder = Recorder()
    run(model, named, recorder)
    return Trace.of(recorder, {}, {"dtype": str(model.dtype).removeprefix("torch.")})


def answers(model: Model, given: Batches, recorder: Recorder | None = None) -> dict[str, Tensor]:
    """What the model answers, by name, with somebody looking or without."""
    return run(model, arguments(model, given), recorder)


@torch.no_grad()
def run(
    model: Model, named: Mapping[str, Tensor | None], recorder: Recorder | None = None
) -> dict[str, Tensor]:
    """The same for the arguments of its `forward`."""
    if model.training:
        raise UsageError(
            "The model is learning, and dropout makes each run another: call model.eval() first."
        )
    with listening(recorder) if recorder else nullcontext():
        output = model(**named)
    return {name: value for name, value in vars(output).items() if value is not None}
