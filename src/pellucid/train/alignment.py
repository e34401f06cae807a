"""What was given, what should be said and what it cost, token by token, side by side.

    given     target    loss
    <pad>     Ein       3.1250
    Ein       Mann      1.8077

Where targets are shifted twice, or not at all, it is seen here at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from pellucid.models.model import Model
from pellucid.record.printed import aligned
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


@torch.no_grad()
def alignment(model: Model, batch: Batch, term: str = "words") -> list[Line]:
    """The targets of a batch, with the tokens at which they are to be said."""
    targets = batch.targets[term]
    stream = batch.inputs["target_ids" if "target_ids" in batch.inputs else "ids"]
    assert stream is not None
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
