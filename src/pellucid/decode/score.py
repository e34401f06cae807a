"""Scoring: how likely a model finds texts, token by token.

Perplexity is e to the mean of −log p over all scored tokens; bits per byte is their sum in bits
over the bytes of the text, so it compares models with different tokenizers. Only sums of real
tokens are divided, once, so neither padding nor the size of a batch matters.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from pellucid.decode.choices import Precision
from pellucid.decode.fast import quick
from pellucid.decode.said import Said
from pellucid.decode.writer import Writer, vectors, words, writer
from pellucid.errors import UsageError
from pellucid.formula.linear import exact
from pellucid.models.batch import Batch
from pellucid.models.encoder_decoder import EncoderDecoder
from pellucid.models.model import Model
from pellucid.nn.mask import Mask
from pellucid.record.batched import batched
from pellucid.record.printed import aligned
from pellucid.record.tokens import Tokens

ROWS = 256  # positions at a time whose logits are made
CACHED = 8  # and so many whose logits, in float32, stay in a processor's cache
BATCH = 8


@dataclass(frozen=True)
class Scored:
    """A text's tokens and the log-probability of each, in nats; None where it has no context."""

    tokens: Tokens
    log_probabilities: tuple[float | None, ...]

    @property
    def log_likelihood(self) -> float:
        """The sum."""
        return math.fsum(value for value in self.log_probabilities if value is not None)

    @property
    def count(self) -> int:
        """How many tokens were scored."""
        return sum(value is not None for value in self.log_probabilities)

    @property
    def bytes(self) -> int:
        """The length in UTF-8 of what was scored.

        Of a character whose first pieces had no context, the share of the other pieces.
        """
        first = next((at for at, x in enumerate(self.log_probabilities) if x is not None), None)
        if first is None:
            return 0
        if first == 0:
            return len(self.tokens.text.encode())
        begun, end = self.tokens.offsets[first - 1]
        cut = [at for at, place in enumerate(self.tokens.offsets) if place == (begun, end)]
        scored = sum(at >= first for at in cut) / len(cut)
        part = round(scored * len(self.tokens.text[begun:end].encode()))
        return part + len(self.tokens.text[end:].encode())

    def to_json(self) -> dict[str, Any]:
        """The score as plain data."""
        return {
            "text": self.tokens.text,
            "log_likelihood": self.log_likelihood,
            "tokens": self.count,
            "perplexity": finite(perplexity(self.log_likelihood, self.count)),
            "pieces": [
                [label, value]
                for label, value in zip(self.tokens.labels(), self.log_probabilities, strict=True)
            ],
        }

    def __str__(self) -> str:
        return aligned(
            [
                [label, "–" if value is None else f"{value:.4f}"]
                for label, value in zip(self.tokens.labels(), self.log_probabilities, strict=True)
            ]
        )


@dataclass
class Total:
    """The sums over many texts."""

    texts: int = 0
    tokens: int = 0
    bytes: int = 0
    sums: list[float] = field(default_factory=list)

    def add(self, scored: Scored) -> None:
        """One more text."""
        self.texts += 1
        self.tokens += scored.count
        self.bytes += scored.bytes
        self.sums.append(scored.log_likelihood)

    @property
    def log_likelihood(self) -> float:
        """The sum over all, exact whatever their order."""
        return math.fsum(self.sums)

    @property
    def perplexity(self) -> float:
        return perplexity(self.log_likelihood, self.tokens)

    @property
    def bits_per_byte(self) -> float:
        return -self.log_likelihood / math.log(2) / max(1, self.bytes)

    def to_json(self) -> dict[str, Any]:
        """The sums as plain data."""
        return {
            "texts": self.texts,
            "tokens": self.tokens,
            "bytes": self.bytes,
            "log_likelihood": self.log_likelihood,
            "perplexity": finite(self.perplexity),
            "bits_per_byte": self.bits_per_byte,
        }

    def __str__(self) -> str:
        return (
            f"{self.texts:,} texts, {self.tokens:,} tokens, {self.bytes:,} bytes: "
            f"log-likelihood {self.log_likelihood:.4f}, perplexity {self.perplexity:.4f}, "
            f"{self.bits_per_byte:.4f} bits per byte"
        )


def perplexity(log_likelihood: float, tokens: int) -> float:
    """e to the mean surprise of a token; there is none of no tokens."""
    try:
        return math.exp(-log_likelihood / tokens) if tokens else math.nan
    except OverflowError:
        return math.inf


def finite(number: float) -> float | None:
    """The number, if JSON has it."""
    return number if math.isfinite(number) else None


def score(
    model: Model,
    texts: Sequence[str],
    sources: Sequence[str] | None = None,
    *,
    precision: Precision = "float32",
) -> Iterator[Scored]:
    """The texts in their order; an encoder-decoder scores each given its source.

    A text longer than the model's positions is read in windows that overlap by half: each token
    then sees at least half of what the model can see.
    """
    model = quick(writer(model), precision, compiled=False)
    both = isinstance(model, EncoderDecoder)
    if both != (sources is not None):
        need = "each text needs a source beside it" if both else "a decoder takes no sources"
        raise UsageError(f"{model.name} is {model.config.shape}: {need}.")
    if isinstance(model, EncoderDecoder) and sources is not None:
        return _given_sources(model, texts, sources)
    return _alone(model, texts)


def _alone(model: Writer, texts: Sequence[str]) -> Iterator[Scored]:
    tokens = [model.tokenizer.encode(text) for text in texts]
    longest = model.config.longest or max(map(len, tokens))
    windows = [(at, *window) for at, t in enumerate(tokens) for window in cut(len(t), longest)]
    windows.sort(key=lambda window: window[2] - window[1])
    found: list[list[float | None]] = [[None] * len(t) for t in tokens]
    for batch in batched(range(len(windows)), BATCH):
        chosen = [windows[number] for number in batch]
        rows = [tokens[at].ids[start:end] for at, start, end, _ in chosen]
        for (at, start, end, first), values in zip(chosen, followed(model, rows), strict=True):
            found[at][first:end] = values[first - start - 1 :]
    for t, scores in zip(tokens, found, strict=True):
        yield Scored(t, tuple(scores))


def cut(length: int, longest: int) -> Iterator[tuple[int, int, int]]:
    """Windows of a text: where each starts and ends, and its first token that is scored."""
    yield 0, min(length, longest), 1
    step = max(1, longest // 2)
    for first in range(longest, length, step):
        end = min(first + step, length)
        yield max(0, end - longest), end, first


@torch.inference_mode()
def followed(model: Writer, rows: Sequence[Sequence[int]]) -> list[list[float]]:
    """For each row the log-probability of each token but the first, given those before."""
    batch = Batch.rows(rows, model.device)
    mask = Mask.of(batch.ids, batch.mask)
    values = picked(model, vectors(model, batch.ids, mask)[:, :-1], batch.ids[:, 1:])
    return [values[at, : len(row) - 1].tolist() for at, row in enumerate(rows)]


def _given_sources(
    model: EncoderDecoder, texts: Sequence[str], sources: Sequence[str]
) -> Iterator[Scored]:
    """One at a time: the target as the tokenizer ends it, after the start token."""
    start = Said.of(model).start
    if start is None:
        raise UsageError("The checkpoint says no decoder_start_token_id, which is needed.")
    for text, source in zip(texts, sources, strict=True):
        tokens = model.tokenizer.target.encode(text)
        values = _answered(model, model.tokenizer.encode(source).ids, [start, *tokens.ids])
        yield Scored(tokens, tuple(values))


@torch.inference_mode()
def _answered(model: EncoderDecoder, source: Sequence[int], target: Sequence[int]) -> list[float]:
    """For each target token but the first its log-probability, given those before and a source."""
    model.check_length(max(len(source), len(target) - 1))
    given, ids = Batch.rows([source], model.device).ids, Batch.rows([target], model.device).ids
    memory = model.encode(given, Mask.of(given))
    hidden = model.hidden(ids[:, :-1], Mask.of(ids[:, :-1]), memory)
    return picked(model, hidden, ids[:, 1:])[0].tolist()


def picked(
    model: Writer, hidden: Float[Tensor, "B T W"], ids: Int[Tensor, "B T"]
) -> Float[Tensor, "B T"]:
    """log p of these ids, the logits made a few positions at a time, so that memory is bounded."""
    flat, wanted = hidden.flatten(0, 1), ids.flatten()
    parts: list[Tensor] = []
    for x, at in zip(flat.split(ROWS), wanted.split(ROWS), strict=True):
        rows = words(model, x[None])[0].split(CACHED)
        parts += map(said, rows, at.split(CACHED))
    return torch.cat(parts).view_as(ids)


def said(logits: Float[Tensor, "N V"], ids: Int[Tensor, "N"]) -> Float[Tensor, "N"]:
    """log p of an id for each row."""
    logits = exact(logits)
    return logits.gather(-1, ids[:, None])[:, 0] - logits.logsumexp(-1)
