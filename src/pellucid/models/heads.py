"""The heads a model has, and what they give."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from pellucid.nn.config import Config
from pellucid.nn.head import WORD_HEADS, ClassHead, NextSentenceHead, Pooler


@dataclass(frozen=True, eq=False)
class Output:
    """What a run gives: the last hidden vectors, and what the model's heads make of them."""

    hidden: Float[Tensor, "B T D"]
    logits: Float[Tensor, "B T V"] | None = None
    pooled: Float[Tensor, "B D"] | None = None
    next_sentence: Float[Tensor, "B 2"] | None = None
    classes: Float[Tensor, "B ... C"] | None = None


class Heads(nn.Module):
    """The pooler, and the heads for words, for the next sentence and for classes."""

    def __init__(self, config: Config, words: nn.Embedding) -> None:
        super().__init__()
        self.config = config
        self.pooler = Pooler(config) if config.pooler == "first" else None
        self.head = WORD_HEADS[config.head](config, words) if config.head != "none" else None
        self.next = NextSentenceHead(config) if config.next_sentence == "pooled" else None
        self.classes = ClassHead(config) if config.classes else None

    def forward(self, hidden: Float[Tensor, "B T D"], real: Bool[Tensor, "B T"]) -> Output:
        pooled = self.pooler(hidden, real) if self.pooler else None
        taken = pooled if self.config.classify == "pooled" else hidden
        return Output(
            hidden,
            logits=self.head(hidden, real) if self.head else None,
            pooled=pooled,
            next_sentence=self.next(pooled) if self.next else None,
            classes=self.classes(taken, real) if self.classes else None,
        )

    def words(self, hidden: Float[Tensor, "B T W"]) -> Float[Tensor, "B T V"]:
        """The logits alone, of vectors that are all real."""
        assert self.head is not None
        real = torch.ones(hidden.shape[:2], dtype=torch.bool, device=hidden.device)
        logits: Tensor = self.head(hidden, real)
        return logits
