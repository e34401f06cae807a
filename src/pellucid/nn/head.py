"""Heads: from the last hidden vectors to words, to one vector for the whole text, to classes."""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from pellucid.formula import OPERATIONS
from pellucid.formula.elements import over_root, tanh
from pellucid.formula.linear import linear
from pellucid.formula.places import first, last
from pellucid.formula.rows import softmax, text_mean
from pellucid.formula.sums import affine
from pellucid.nn.config import Config
from pellucid.nn.layer import Layer, Linear, Table, step
from pellucid.nn.norm import NORMS
from pellucid.record.note import Steps, link, note


class LanguageHead(Layer):
    """logits = h Eᵀ (+ b), where E is the embedding's own table (tied), or one like it."""

    bias: nn.Parameter | None

    def __init__(self, config: Config, words: nn.Embedding) -> None:
        super().__init__()
        self.config = config
        size = words.weight.shape
        self.words = words if config.tied == "embedding" else Table(*size)
        bias = nn.Parameter(torch.zeros(size[0])) if config.head_bias == "words" else None
        self.register_parameter("bias", bias)

    def steps(self) -> Steps:
        bias = [] if self.bias is None else ["bias"]
        scaled = over_root("hidden", of=self.config.width, axes="B T D")
        is_scaled = self.config.head_scaling == "root"
        return {
            **({"scaled": scaled} if is_scaled else {}),
            "logits": affine(self._last_step(), "words.weight", *bias, axes="B T V"),
            "probabilities": softmax("logits", axes="B T V"),
        }

    def _last_step(self) -> str:
        return "scaled" if self.config.head_scaling == "root" else "hidden"

    def forward(
        self, hidden: Float[Tensor, "B T D"], real: Bool[Tensor, "B T"]
    ) -> Float[Tensor, "B T V"]:
        link(self, hidden=hidden)
        logits = linear(self.before(hidden, real), self.words.weight, self.bias)
        note(self, logits=logits)
        return logits

    def before(
        self, hidden: Float[Tensor, "B T D"], real: Bool[Tensor, "B T"]
    ) -> Float[Tensor, "B T E"]:
        """What is done to the hidden vectors before they meet the words."""
        scaled = self.config.head_scaling == "root"
        return hidden / math.sqrt(self.config.width) if scaled else hidden


class MaskedHead(LanguageHead):
    """BERT's: norm(f(W h + b)) before the words (Devlin et al. 2018)."""

    def __init__(self, config: Config, words: nn.Embedding) -> None:
        super().__init__(config, words)
        width = words.weight.shape[-1]
        self.dense = Linear(config.width, width)
        self.activation = OPERATIONS[config.activation]
        self.norm = NORMS[config.norm](width, config.epsilon)

    def steps(self) -> Steps:
        return {
            **step("dense", self.dense, of="hidden", axes="B T D"),
            "activated": self.activation("dense", axes="B T D"),
            **super().steps(),
        }

    def _last_step(self) -> str:
        return "norm.output"

    def before(
        self, hidden: Float[Tensor, "B T D"], real: Bool[Tensor, "B T"]
    ) -> Float[Tensor, "B T E"]:
        activated = self.activation.compute(self.dense(hidden))
        link(self, activated=activated)
        y: Tensor = self.norm(activated, real)
        return y


class Pooler(Layer):
    """tanh(W h + b) of the first token's vector: BERT's one vector for a text."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.dense = Linear(config.width, config.width)

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


class NextSentenceHead(Layer):
    """Two scores from the pooled vector: it follows (0), it does not (1)."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.dense = Linear(config.width, 2)

    def steps(self) -> Steps:
        return {
            "logits": step("dense", self.dense, of="pooled", axes="B C")["dense"],
            "probabilities": softmax("logits", axes="B C"),
        }

    def forward(self, pooled: Float[Tensor, "B D"]) -> Float[Tensor, "B 2"]:
        link(self, pooled=pooled)
        logits: Tensor = self.dense(pooled)
        note(self, logits=logits)
        return logits


class ClassHead(Layer):
    """Scores for classes, of a text (by one of its vectors) or of each token."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        bias = config.class_bias == "all"
        self.output = Linear(config.width, config.classes, bias=bias)
        if config.class_hidden != "none":
            self.dense = Linear(config.width, config.width, bias=bias)
            self.activation = OPERATIONS[config.class_hidden]

    def steps(self) -> Steps:
        axes = "B T" if self.config.classify == "token" else "B"
        taken, hidden = self._taken(), {}
        of = "taken" if taken else "hidden"
        if self.config.class_hidden != "none":
            hidden = dict(step("dense", self.dense, of=of, axes=f"{axes} D"))
            hidden["activated"] = self.activation("dense", axes=f"{axes} D")
            of = "activated"
        logits = step("output", self.output, of=of, axes=f"{axes} C")["output"]
        scores = {"logits": logits, "probabilities": softmax("logits", axes=f"{axes} C")}
        return {**taken, **hidden, **scores}

    def _taken(self) -> Steps:
        operation = TAKEN.get(self.config.classify)
        return {"taken": operation("hidden", "real", axes="B D")} if operation else {}

    def forward(
        self, hidden: Float[Tensor, "B ... D"], real: Bool[Tensor, "B T"]
    ) -> Float[Tensor, "B ... C"]:
        link(self, hidden=hidden, real=real)
        operation = TAKEN.get(self.config.classify)
        x = operation.compute(hidden, real) if operation else hidden
        if self.config.class_hidden != "none":
            x = self.activation.compute(self.dense(x))
        logits: Tensor = self.output(x)
        note(self, logits=logits)
        return logits


TAKEN = {"first": first, "last": last, "mean": text_mean}
WORD_HEADS = {"language": LanguageHead, "masked": MaskedHead}
