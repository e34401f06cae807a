"""Surprise: perplexity and bits per byte, weighted by tokens, whatever the batches.

    perplexity      exp(−Σ ln p / tokens)
    bits per byte   −Σ log₂ p / bytes

Perplexities of models with different tokenizers cannot be compared; bits per byte can.
"""

import math
from dataclasses import asdict, dataclass
from typing import Any

from pellucid.record.printed import aligned


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
