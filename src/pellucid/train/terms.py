"""The terms of a loss, hard ones and those of a teacher, by name."""

from collections.abc import Mapping

from torch import nn

from pellucid.train.batches import Batch
from pellucid.train.body import look
from pellucid.train.loss import HARD, Smoothing, Sum, Term
from pellucid.train.teaching import SOFT

TERMS: Mapping[str, Term] = {**HARD, **SOFT}


def losses(model: nn.Module, batch: Batch, smoothing: Smoothing) -> dict[str, Sum]:
    """The sums of every term of the loss for one batch.

    A model may have `shares`: how much a term counts in what is learned from, else 1.
    """
    output = look(model, batch.inputs)
    shares: Mapping[str, float] = getattr(model, "shares", {})
    return {
        term: TERMS[term](model, output, targets, smoothing).times(shares.get(term, 1.0))
        for term, targets in batch.targets.items()
    }
