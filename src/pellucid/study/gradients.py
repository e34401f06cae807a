"""Gradients: how much a word's logit would move with each token's vector."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from pellucid.errors import UsageError
from pellucid.models.model import Model
from pellucid.record.tokens import Tokens

ENTRANCES = {"tokens": "entrance", "source": "source", "target": "target"}
Scores = dict[str, Float[Tensor, "T"]]  # by stream


@dataclass(frozen=True)
class Question:
    """A model, texts, and the logit that is asked about: at a token, of a word."""

    model: Model
    read: Mapping[str, list[Tokens]]
    position: int
    word: int
    inputs: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "inputs", self.model._inputs(self.read))

    @property
    def words(self) -> list[Float[Tensor, "1 T D"]]:
        """The tokens' own vectors, a tensor for each stream."""
        ids = [self.inputs[name] for name in self.inputs if name.endswith("ids")]
        tables = (table(self.model, stream) for stream in self.read)
        return [t.weight.detach()[i] for t, i in zip(tables, ids, strict=True)]

    @property
    def nowhere(self) -> list[Float[Tensor, "1 T D"]]:
        """For each token the mean of all words' vectors: no word in particular."""
        tables = [table(self.model, stream) for stream in self.read]
        means = [t.weight.detach().double().mean(0).to(t.weight.dtype) for t in tables]
        return [mean.expand_as(x) for mean, x in zip(means, self.words, strict=True)]

    def logit(self, words: Sequence[Tensor]) -> Tensor:
        """The logit with these vectors in the tokens' places."""
        tables = [table(self.model, stream) for stream in self.read]
        with given(tables, words):
            logits = self.model(**self.inputs).logits
        if logits is None:
            raise UsageError("This model has no head for words, so no word has a logit.")
        return logits[0, self.position, self.word]


@dataclass(frozen=True)
class Integrated:
    """Each token's share of the change from the baseline's logit to the real one.

    The scores sum to `change`, but for `gap`, what the sum over steps misses of the integral.
    """

    scores: Scores
    change: float
    gap: float


def gradient_times_input(question: Question) -> Scores:
    """∂logit/∂x · x for each token's vector x (Shrikumar et al. 2016).

    What it does not show: anything but the slope where the text stands; where the model is sure
    already, slopes are small.
    """
    words = question.words
    slopes = slopes_at(question, words)
    return _by_token(question, [slope * x for slope, x in zip(slopes, words, strict=True)])


def integrated_gradients(
    question: Question, baseline: Sequence[Tensor] | None = None, steps: int = 32
) -> Integrated:
    """(x − x₀) · the mean slope on the straight way from x₀ to x (Sundararajan et al. 2017).

    The baseline x₀ is the mean of all words' vectors for each token, unless one gives another;
    positions stay. (Zeros are a bad one here: a norm makes a small vector large again, so that
    the whole change happens in the first step away from them.) The mean slope is Gauss and
    Legendre's, with so many steps.

    What it does not show: a cause apart from the baseline: with another one the scores are others.
    A mean of words is no text, and the way from it leads through none.
    """
    words = question.words
    start = question.nowhere if baseline is None else list(baseline)
    mean = [torch.zeros_like(x) for x in words]
    for at, weight in zip(*legendre(steps), strict=True):
        between = [a + at * (x - a) for a, x in zip(start, words, strict=True)]
        slopes = slopes_at(question, between)
        mean = [m + weight * slope for m, slope in zip(mean, slopes, strict=True)]
    with torch.no_grad():
        change = (question.logit(words) - question.logit(start)).item()
    parts = [(x - a) * m for x, a, m in zip(words, start, mean, strict=True)]
    scores = _by_token(question, parts)
    return Integrated(scores, change, change - sum(s.sum().item() for s in scores.values()))


def slopes_at(question: Question, words: Sequence[Tensor]) -> list[Tensor]:
    """The gradient of the logit by each token's vector."""
    leaves = [x.detach().requires_grad_() for x in words]
    with torch.enable_grad():
        return list(torch.autograd.grad(question.logit(leaves), leaves))


def legendre(steps: int) -> tuple[list[float], list[float]]:
    """Points between 0 and 1, and their weights, which sum to 1."""
    if steps < 1:
        raise UsageError(f"The way from the baseline was given {steps} steps; give one or more.")
    points, weights = np.polynomial.legendre.leggauss(steps)
    return ((points + 1) / 2).tolist(), (weights / 2).tolist()


def table(model: Model, stream: str) -> nn.Embedding:
    """Where a stream's words have their vectors."""
    found = model.get_submodule(f"{ENTRANCES[stream]}.embed.words")
    assert isinstance(found, nn.Embedding)
    return found


@contextmanager
def given(tables: Sequence[nn.Module], vectors: Sequence[Tensor]) -> Iterator[None]:
    """Within, these tables give these vectors, call by call, whatever they are asked for."""
    queues: dict[nn.Module, list[Tensor]] = {each: [] for each in tables}
    for each, vector in zip(tables, vectors, strict=True):
        queues[each].append(vector)
    hooks = [each.register_forward_hook(partial(_next, queue)) for each, queue in queues.items()]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def _next(queue: list[Tensor], *_call: Any) -> Tensor:
    return queue.pop(0)


def _by_token(question: Question, parts: Sequence[Tensor]) -> Scores:
    return {stream: x[0].sum(-1) for stream, x in zip(question.read, parts, strict=True)}
