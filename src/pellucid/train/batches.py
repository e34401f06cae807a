"""Examples side by side as tensors: what the model is given, and what it should say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Shaped
from torch import Tensor

Array = Shaped[np.ndarray, "..."]

DOCUMENTS = "documents"  # the input that numbers the documents in a row, from 1
# an input of ids, and the input that says which of them are real
MASKS = {"ids": "mask", "source_ids": "source_mask", "target_ids": "target_mask"}


@dataclass(frozen=True, eq=False)
class Answer:
    """What should be said: a word for each token [T], a class [], or yes or no for each class [C].

    `counted` says which of them are real targets; it comes from lengths, never from ids. `scores`
    are what a teacher said of each, where one did (see beliefs.py).
    """

    ids: Array
    counted: Array
    scores: Array | None = None


@dataclass(frozen=True, eq=False)
class Example:
    """One example: arrays of the streams by the names of the model's inputs, and the answers by
    the term of the loss ("words", "next sentence", "class", "classes").
    """

    inputs: Mapping[str, Array]
    answers: Mapping[str, Answer]


@dataclass(frozen=True, eq=False)
class Targets:
    """The answers of several examples, padded; `counted` is False where there is none."""

    ids: Shaped[Tensor, "B ..."]
    counted: Bool[Tensor, "B ..."]
    scores: Float[Tensor, "B ..."] | None = None

    @classmethod
    def of(cls, answers: Sequence[Answer]) -> "Targets":
        """Answers side by side."""
        scores = [answer.scores for answer in answers if answer.scores is not None]
        ids, counted = ([getattr(a, name) for a in answers] for name in ("ids", "counted"))
        return cls(padded(ids), padded(counted), padded(scores) if scores else None)

    @property
    def count(self) -> int:
        """How many real targets there are."""
        return int(self.counted.sum())


@dataclass(frozen=True, eq=False)
class Batch:
    """What the model is given (`model(**inputs)`), and the targets by term of the loss.

    `name` tells it from others in messages; `tokens` are the real ones, of `padded` places.
    """

    inputs: dict[str, Tensor | None]
    targets: dict[str, Targets]
    name: str
    tokens: int
    padded: int

    def counts(self) -> dict[str, int]:
        """How many real targets each term has."""
        return {term: targets.count for term, targets in self.targets.items()}


def together(examples: Sequence[Example], name: str = "") -> Batch:
    """Examples padded on the right to the longest; masks are left out where nothing is padded."""
    streams = {key: [example.inputs[key] for example in examples] for key in examples[0].inputs}
    inputs: dict[str, Tensor | None] = {key: padded(rows) for key, rows in streams.items()}
    packed = several_documents(inputs)
    tokens = places = 0
    for key in MASKS.keys() & streams.keys():
        lengths = torch.tensor([len(row) for row in streams[key]])
        longest = int(lengths.max())
        real = torch.arange(longest) < lengths[:, None]
        inputs[MASKS[key]] = None if packed or bool(real.all()) else real
        tokens, places = tokens + int(lengths.sum()), places + real.numel()
    terms = {term: [example.answers[term] for example in examples] for term in examples[0].answers}
    targets = {term: Targets.of(answers) for term, answers in terms.items()}
    return Batch(inputs, targets, name, tokens, places)


def several_documents(inputs: dict[str, Tensor | None]) -> bool:
    """Whether rows hold several documents; where none does, their numbers are left out."""
    documents = inputs.get(DOCUMENTS)
    if documents is not None and int(documents.max()) > 1:
        return True
    inputs.pop(DOCUMENTS, None)
    return False


def padded(rows: Sequence[Any]) -> Tensor:
    """Arrays of one kind side by side, zeros (or False) behind the shorter ones."""
    shape = np.max([row.shape for row in rows], axis=0)
    if all(row.shape == tuple(shape) for row in rows):
        return torch.from_numpy(np.stack(rows))
    whole = np.zeros((len(rows), *shape), rows[0].dtype)
    for at, row in enumerate(rows):
        whole[at][tuple(map(slice, row.shape))] = row
    return torch.from_numpy(whole)
