"""What was given, what should be said and what it cost, token by token, side by side.

    given     target    loss
    <pad>     Ein       3.1250
    Ein       Mann      1.8077

Where targets are shifted twice, or not at all, it is seen here at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from pellucid.models.model import Model
from pellucid.record.node import Node
from pellucid.record.note import listening
from pellucid.record.printed import aligned
from pellucid.record.recorder import Recorder
from pellucid.record.trace import Trace
from pellucid.text.tokenizer import Tokenizer
from pellucid.train.batches import Batch
from pellucid.train.body import look
from pellucid.train.loss import chosen


@dataclass(frozen=True)
class Line:
    """One target: its row and place in the batch, the id given there, the target's, the loss."""

    row: int
    place: int
    given: int
    target: int
    loss: float


AXES = "B T"


@torch.no_grad()
def trace_of(model: Model, batch: Batch) -> Trace:
    """All numbers of a batch as in `model.see`, and what is learned at each token.

    `loss.given` are the ids that were given, `loss.target` those that should be said there,
    `loss.counted` is 1 where there is a target, and `loss.nats` what each costs; all B T.
    """
    recorder = Recorder()
    with listening(recorder):
        output = model(**batch.inputs)
    targets, stream = batch.targets["words"], stream_of(batch)
    nats = nn.functional.cross_entropy(output.logits.mT, targets.ids, reduction="none")
    trace = Trace.of(recorder, {}, {"model": model.name, "config": dict(vars(model.config))})
    values = {"given": stream, "target": targets.ids, "counted": targets.counted.long()}
    for name, value in {**values, "nats": nats * targets.counted}.items():
        trace.include(Node(f"loss.{name}", None, AXES), value)
    return trace


def stream_of(batch: Batch) -> Int[Tensor, "B T"]:
    """The ids at which targets are to be said."""
    stream = batch.inputs["target_ids" if "target_ids" in batch.inputs else "ids"]
    assert stream is not None
    return stream


@torch.no_grad()
def alignment(model: Model, batch: Batch, term: str = "words") -> list[Line]:
    """The targets of a batch, with the tokens at which they are to be said."""
    targets = batch.targets[term]
    stream = stream_of(batch)
    losses = each_loss(model, look(model, batch.inputs).hidden, batch, term)
    places = targets.counted.nonzero().tolist()
    return [
        Line(row, place, int(stream[row, place]), int(targets.ids[row, place]), float(loss))
        for (row, place), loss in zip(places, losses, strict=True)
    ]


def each_loss(model: Model, hidden: Tensor, batch: Batch, term: str) -> Float[Tensor, "N"]:
    """The plain loss of each target."""
    targets = batch.targets[term]
    (logits,) = model.heads.words(chosen(hidden, targets.counted)[None])
    ids = chosen(targets.ids, targets.counted)
    return nn.functional.cross_entropy(logits, ids, reduction="none")


def shown(lines: Sequence[Line], tokenizer: Tokenizer) -> str:
    """The lines as a person reads them."""
    cells = [
        (tokenizer.piece(each.given), tokenizer.piece(each.target), f"{each.loss:.4f}")
        for each in lines
    ]
    return aligned([("given", "target", "loss"), *cells])


def see(model: Model, batch: Batch) -> str:
    """The alignment of a batch in words."""
    tokenizer = model.tokenizer.target if "target_ids" in batch.inputs else model.tokenizer
    return shown(alignment(model, batch), tokenizer)
