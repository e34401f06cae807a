"""What the last vectors say: the likeliest words, or the words they lie nearest to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.nn import functional

from pellucid.errors import UsageError

if TYPE_CHECKING:
    from pellucid.record.trace import Trace

FOLLOWS = "next.probabilities"


@dataclass(frozen=True)
class Answer:
    """A word of the vocabulary, and its probability or its cosine."""

    piece: str
    id: int
    score: float

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Answer:
        """From plain data."""
        return cls(str(data["piece"]), int(data["id"]), float(data["score"]))


@dataclass(frozen=True)
class Answers:
    """For each sentence and each position the best words, best first.

    `meaning` says what a score is. Where the model has a head for words, it is a probability: of
    being the next word ("next"), or of an encoder, of standing at this very place ("filling").
    Else it is the "cosine" between the last vector and the word's own vector.
    """

    meaning: str
    words: list[list[list[Answer]]]

    def to_json(self) -> dict[str, Any]:
        """The answers as plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Answers:
        """The inverse of `to_json`."""
        words = [
            [[Answer.from_json(word) for word in position] for position in sentence]
            for sentence in data["words"]
        ]
        return cls(str(data["meaning"]), words)


def answer(trace: Trace, best: int = 5) -> Answers | None:
    """The best words at each position; None where vectors and words cannot be compared."""
    if best < 1:
        raise UsageError(f"The best {best} words were asked for; ask for one or more.")
    return _made(trace, best) or _kept(trace, best)


@torch.no_grad()
def _made(trace: Trace, best: int) -> Answers | None:
    if trace.piece is None:
        return None
    if "head.logits" in trace and trace.kind("head.probabilities") != "missing":
        meaning = "next" if "decoder.output" in trace else "filling"
        return _top(trace.piece, meaning, trace["head.probabilities"], best)
    cosines = _cosines(trace)
    return None if cosines is None else _top(trace.piece, "cosine", cosines, best)


def _kept(trace: Trace, best: int) -> Answers | None:
    """The answers that the run's file holds, so many at most."""
    if "answers" not in trace.about:
        return None
    kept = Answers.from_json(trace.about["answers"])
    return Answers(kept.meaning, [[row[:best] for row in sentence] for sentence in kept.words])


def follows(trace: Trace) -> list[float]:
    """How likely each sentence's second text follows its first; empty where none has two."""
    paired = all(any(tokens.segments) for tokens in trace.texts.get("tokens", []))
    if FOLLOWS not in trace or trace.kind(FOLLOWS) == "missing" or not paired:
        return []
    return [float(x) for x in trace[FOLLOWS][:, 0]]


def _cosines(trace: Trace) -> Tensor | None:
    last = "decoder.output" if "decoder.output" in trace else "encoder.output"
    words = trace.weights.get("embed.words.weight")
    if words is None or last not in trace or trace.kind(last) == "missing":
        return None
    if trace.shape(last)[-1] != words.shape[-1]:
        return None
    hidden = functional.normalize(trace[last].float(), dim=-1)
    return hidden @ functional.normalize(words.float(), dim=-1).T


def _top(piece: Callable[[int], str], meaning: str, scores: Tensor, best: int) -> Answers:
    values, ids = scores.topk(min(best, scores.shape[-1]), dim=-1)
    words = [
        [
            [Answer(piece(i), i, v) for i, v in zip(of, at, strict=True)]
            for of, at in zip(sentence_ids, sentence, strict=True)
        ]
        for sentence_ids, sentence in zip(ids.tolist(), values.tolist(), strict=True)
    ]
    return Answers(meaning, words)
