"""A teacher: a model that is asked what it believes of every example, and where it looks."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat
from typing import NamedTuple, cast

import numpy as np
import torch
from torch import Tensor

from pellucid.formula.linear import exact, linear
from pellucid.models.heads import Output
from pellucid.models.model import Model
from pellucid.nn.head import LanguageHead
from pellucid.train.batches import MASKS, Array, Batch, Targets
from pellucid.train.loss import before_words, chosen
from pellucid.train.teaching import ATTENTION, ROWS, STATES, TAUGHT, grouped
from pellucid.train.watching import Layers, Watched, What, watch

LOGITS = {"class": "classes", "classes": "classes", "next sentence": "next_sentence"}
NOTHING = np.zeros(0, np.int64)
LEAST = -60.0  # log-probabilities below are as good as none, and must be numbers


class Said(NamedTuple):
    """What a teacher says of one example: scores, and the words they are of where not of all."""

    ids: Array
    scores: Array


@dataclass(frozen=True, kw_only=True)
class Teacher:
    """A model, and how it is asked.

    Of its words only the `top` likeliest are told one by one, and all others as if they were one
    (0: every word). `layers` are those whose vectors and attention a student is to match;
    `heads` says whether each head's weights or their mean.
    """

    model: Model
    temperature: float = 1.0
    top: int = 0
    layers: Layers = field(default_factory=dict)
    whats: Sequence[What] = ()
    heads: str = "each"

    @cached_property
    def weights(self) -> str:
        """A digest of all that it has learned."""
        return self.model.digest()

    @property
    def mark(self) -> str:
        """It tells what this teacher says from what any other would."""
        how = (self.temperature, self.top, dict(self.layers), tuple(self.whats), self.heads)
        return f"{self.weights} {how}"

    @torch.no_grad()
    def say(self, batch: Batch) -> dict[str, list[Said]]:
        """For every term that it has a head for, what it says of each example of a batch."""
        output = watch(self.model.eval(), batch.inputs, self.layers, self.whats)
        terms = batch.targets.items()
        found = {TAUGHT(term): self._believed(term, output, targets) for term, targets in terms}
        return {term: said for term, said in found.items() if said} | self._watched(output, batch)

    def _believed(self, term: str, output: Output, targets: Targets) -> list[Said]:
        if term == "words":
            return self._words(output, targets) if self.model.heads.head else []
        logits = getattr(output, LOGITS[term])
        if logits is None:
            return []
        sharp = exact(logits) / self.temperature
        return said(sharp if term == "classes" else sharp.log_softmax(-1))

    def _words(self, output: Output, targets: Targets) -> list[Said]:
        """The words it believes in at each place that counts."""
        head = cast(LanguageHead, self.model.heads.head)
        vectors = before_words(head, chosen(output.hidden, targets.counted))
        found = [
            self._likeliest(linear(some, head.words.weight, head.bias))
            for some in vectors.split(ROWS)
        ]
        counts = targets.counted.sum(1).tolist()
        ids, scores = (torch.cat(parts).split(counts) for parts in zip(*found, strict=True))
        return said(scores, ids)

    def _likeliest(self, logits: Tensor) -> tuple[Tensor, Tensor]:
        believed = (exact(logits) / self.temperature).log_softmax(-1)
        if not 0 < self.top < believed.shape[-1]:
            return believed.new_empty(len(believed), 0, dtype=torch.long), believed
        ids = believed.topk(self.top).indices
        return ids, torch.cat(grouped(believed, ids), -1).clamp_min(LEAST)

    def _watched(self, output: Watched, batch: Batch) -> dict[str, list[Said]]:
        found: dict[str, list[Said]] = {}
        for stack, layers in self.layers.items():
            lengths = real(stack, batch)
            if "states" in self.whats:
                states = zip(output.states[stack].half(), lengths, strict=True)
                found[STATES(stack)] = said([x[:n] for x, n in states])
            if "attention" in self.whats:
                looks = output.attention[stack]
                if self.heads == "mean":
                    looks = looks.unflatten(2, (len(layers), -1)).mean(3)
                rows = zip(looks.half(), lengths, strict=True)
                found[ATTENTION(stack)] = said([x[:n, :, :n] for x, n in rows])
        return found


def said(scores: Iterable[Tensor], ids: Iterable[Tensor] | None = None) -> list[Said]:
    """Example by example."""
    known = repeat(NOTHING) if ids is None else (each.numpy() for each in ids)
    return [Said(i, s.contiguous().numpy()) for i, s in zip(known, scores, strict=ids is not None)]


def real(stack: str, batch: Batch) -> list[int]:
    """How many real tokens each row has in the stream that a stack reads."""
    streams = ("source_ids", "ids") if stack == "encoder" else ("target_ids", "ids")
    stream = next(each for each in streams if each in batch.inputs)
    ids, mask = batch.inputs[stream], batch.inputs.get(MASKS[stream])
    assert ids is not None
    whole: list[int] = [ids.shape[1]] * len(ids)
    return whole if mask is None else mask.sum(1).tolist()
