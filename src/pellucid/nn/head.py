"""Heads: from the last hidden vectors to words, or to one vector for the whole text."""

from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from pellucid.formula.elements import tanh
from pellucid.formula.places import first
from pellucid.formula.rows import softmax
from pellucid.formula.sums import affine
from pellucid.nn.config import Config
from pellucid.nn.layer import Layer, step
from pellucid.record.note import Steps, link, note


class LanguageHead(Layer):
    """logits = h Eᵀ, where E is the embedding's own table (tied), or one like it."""

    def __init__(self, config: Config, words: nn.Embedding) -> None:
        super().__init__()
        tied = config.tied == "embedding"
        self.words = words if tied else nn.Embedding(config.vocabulary, config.width)

    def steps(self) -> Steps:
        return {
            "logits": affine("hidden", "words.weight", axes="B T V"),
            "probabilities": softmax("logits", axes="B T V"),
        }

    def forward(self, hidden: Float[Tensor, "B T D"]) -> Float[Tensor, "B T V"]:
        link(self, hidden=hidden)
        logits = functional.linear(hidden, self.words.weight)
        note(self, logits=logits)
        return logits


class Pooler(Layer):
    """tanh(W h + b) of the first token's vector: BERT's one vector for a text."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.dense = nn.Linear(config.width, config.width)

    def steps(self) -> Steps:
        return {
            "first": first("hidden", "real", axes="B D"),
            **step("dense", self.dense, of="first", axes="B D"),
            "output": tanh("dense", axes="B D"),
        }

    def forward(
        self, hidden: Float[Tensor, "B T D"], real: Bool[Tensor, "B T"]
    ) -> Float[Tensor, "B D"]:
        link(self, hidden=hidden, real=real)
        pooled = self.dense(first.compute(hidden, real)).tanh()
        note(self, output=pooled)
        return pooled
