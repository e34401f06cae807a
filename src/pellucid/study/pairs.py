"""The same sense or not: two sentences with a word, one threshold on a cosine."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn import functional

from pellucid.errors import UsageError
from pellucid.models.model import Model
from pellucid.study.vectors import Done, Pieces, Use, layers_of, nothing, vectors


@dataclass(frozen=True)
class Question:
    """A word in two sentences, and whether it means the same in both."""

    first: Use
    second: Use
    same: bool


@dataclass(frozen=True)
class SameSense:
    """Accuracies after each layer: on the questions that chose the threshold, and on others.

    `best` is the layer that did best on the first, so that the others choose nothing.
    """

    layers: tuple[str, ...]
    thresholds: tuple[float, ...]
    chosen_on: tuple[float, ...]
    tested_on: tuple[float, ...]

    @property
    def best(self) -> int:
        """The layer that did best where the threshold was chosen; the last of such."""
        return max(range(len(self.chosen_on)), key=lambda at: (self.chosen_on[at], at))

    @property
    def accuracy(self) -> float:
        """On the questions that chose nothing, after the best layer."""
        return self.tested_on[self.best]

    def to_json(self) -> dict[str, Any]:
        """All numbers as plain data."""
        return vars(self) | {"best": self.best, "accuracy": self.accuracy}


def same_sense(
    model: Model,
    dev: Sequence[Question],
    test: Sequence[Question],
    *,
    pieces: Pieces = "first",
    done: Done = nothing,
) -> SameSense:
    """Whether a word means the same in two sentences: its two vectors' cosine over a threshold.

    One threshold a layer, the best on `dev`; and one layer, the best there (Pilehvar and
    Camacho-Collados 2018, WiC). Of a word in several pieces the first one's vector speaks, as in
    Devlin et al. 2018 (5.3), or with pieces="mean" the mean of all.

    What it does not show: two senses' distance. One threshold for all words is a hard test, since
    words differ in how much their vectors move anyway.
    """
    if not dev or not test:
        raise UsageError(
            f"{len(dev)} questions choose and {len(test)} test; give at least one of each."
        )
    read = partial(vectors, model, done=done, pieces=pieces)
    cosines = [_cosines(questions, read) for questions in (dev, test)]
    truths = [torch.tensor([each.same for each in questions]) for questions in (dev, test)]
    thresholds = [best_threshold(column, truths[0]) for column in cosines[0].T]
    shares = [
        tuple(((c > torch.tensor(thresholds)) == t[:, None]).double().mean(0).tolist())
        for c, t in zip(cosines, truths, strict=True)
    ]
    return SameSense(tuple(layers_of(model)), tuple(thresholds), shares[0], shares[1])


def _cosines(
    questions: Sequence[Question], read: Callable[[Sequence[Use]], Tensor]
) -> Float[Tensor, "N L"]:
    first = read([each.first for each in questions])
    second = read([each.second for each in questions])
    return functional.cosine_similarity(first.double(), second.double(), dim=-1)


def best_threshold(cosines: Float[Tensor, "N"], same: Bool[Tensor, "N"]) -> float:
    """The threshold above which "same" is right most often: halfway between two cosines."""
    order = cosines.argsort()
    values, truth = cosines[order], same[order]
    below = torch.cat([torch.zeros(1), (~truth).cumsum(0)])
    above = torch.cat([truth.flip(0).cumsum(0).flip(0), torch.zeros(1)])
    edges = torch.cat([values[:1] - 1, (values[1:] + values[:-1]) / 2, values[-1:] + 1])
    return edges[(below + above).argmax()].item()
