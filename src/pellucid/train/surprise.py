"""Surprise: perplexity and bits per byte, weighted by tokens, whatever the batches.

surprise(model, texts).perplexity          exp(−Σ ln p / tokens)
surprise(model, texts).bits_per_byte       −Σ log₂ p / bytes

Perplexities of models with different tokenizers cannot be compared; bits per byte can.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pellucid.errors import PellucidError, UsageError
from pellucid.models.decoder import Decoder
from pellucid.record.printed import aligned
from pellucid.record.tokens import Tokens
from pellucid.train.batches import Example, together
from pellucid.train.objectives import shifted
from pellucid.train.step import measure

AT_ONCE = 16  # texts, side by side


@dataclass(frozen=True)
class Surprise:
    """Sums over targets: −ln p, how many they are, and the bytes of UTF-8 they stand for.

    Sums can be added; only what is asked of them in the end is divided.
    """

    nats: float = 0.0
    tokens: int = 0
    bytes: int = 0

    def __add__(self, other: "Surprise") -> "Surprise":
        return Surprise(
            self.nats + other.nats, self.tokens + other.tokens, self.bytes + other.bytes
        )

    @property
    def loss(self) -> float:
        """Nats a token."""
        return self.nats / self.tokens

    @property
    def perplexity(self) -> float:
        """Between how many tokens the model is left to guess, as it were."""
        return math.exp(min(self.loss, 700.0))  # beyond, a float has no room

    @property
    def bits_per_byte(self) -> float:
        """What an ideal compressor that asks the model would need."""
        return self.nats / math.log(2) / self.bytes

    def summary(self) -> dict[str, float]:
        """The figures."""
        return {name: getattr(self, name) for name in ("loss", "perplexity", "bits_per_byte")}

    def brief(self) -> str:
        """The same as a person reads them."""
        return str(self)

    def to_json(self) -> dict[str, Any]:
        """Sums and figures as plain data."""
        return asdict(self) | self.summary()

    def __str__(self) -> str:
        return aligned(
            [
                ("loss", f"{self.loss:.4f}", f"nats a token, of {self.tokens:,} tokens"),
                ("perplexity", f"{self.perplexity:.2f}", "a token"),
                ("bits per byte", f"{self.bits_per_byte:.4f}", f"of {self.bytes:,} bytes"),
            ]
        )


def surprise(model: Decoder, texts: Iterable[str], at_once: int = AT_ONCE) -> Surprise:
    """How surprised a language model is by texts, each read from its own beginning.

    A text longer than the model's limit is read in windows; every token but the text's first is
    a target exactly once.
    """
    if model.config.head == "none":
        raise UsageError("This model has no head for words, so no text can surprise it.")
    read = [model.tokenizer.encode(text) for text in texts]
    examples = [each for tokens in read for each in windows(tokens, model.config.longest)]
    if not examples:
        raise PellucidError("No text has a second token to be told; give longer texts.")
    starts = range(0, len(examples), at_once)
    ledger = measure(model, [together(examples[at : at + at_once]) for at in starts])
    return Surprise(ledger.plain["words"], ledger.counts["words"], sum(map(target_bytes, read)))


def windows(tokens: Tokens, longest: int) -> Iterator[Example]:
    """Neighbouring tokens to be told; the last of one window is the first given of the next."""
    step = longest or len(tokens)
    for start in range(0, len(tokens) - 1, step):
        given, answer = shifted(np.array(tokens.ids[start : start + step + 1]))
        yield Example({"ids": given}, {"words": answer})


def target_bytes(tokens: Tokens) -> int:
    """The bytes of a text that its targets stand for: all but those of its first token."""
    given = 0 if tokens.special[0] else tokens.offsets[0][1]
    return len(tokens.text[given:].encode())
