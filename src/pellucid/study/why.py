"""Why this word: which tokens, heads and layers carried an answer."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from pellucid.decode.written import see_written
from pellucid.errors import UsageError
from pellucid.models.model import Model
from pellucid.record.shown import Shown
from pellucid.record.streams import check_alone
from pellucid.record.tokens import Tokens
from pellucid.record.trace import Trace
from pellucid.study.account import Account, Run
from pellucid.study.direct import direct
from pellucid.study.gradients import (
    Integrated,
    Question,
    Scores,
    gradient_times_input,
    integrated_gradients,
)
from pellucid.study.rollout import rollout


@dataclass(frozen=True, repr=False)
class Why(Shown):
    """An answer and four accounts of it.

    `account` splits the `logit` into what each head took from each token, and the rest; it sums to
    the logit. `gradient` and `integrated` score each token by slopes; `rollout` [T] is how much of
    each token is mixed into the vector that answered.
    """

    trace: Trace
    position: int
    target: str
    id: int
    logit: float
    probability: float
    account: Account
    gradient: Scores
    integrated: Integrated
    rollout: Tensor

    @property
    def tokens(self) -> Tokens:
        """The text whose last vectors answer."""
        return self.trace.texts["target" if "target" in self.trace.texts else "tokens"][0]

    @cached_property
    def heads(self) -> dict[tuple[str, int], float]:
        """What each head added to the logit."""
        return self._by(lambda part: None if part.head is None else (part.place, part.head))

    @cached_property
    def kinds(self) -> dict[tuple[str, str], float]:
        """What each place added: its heads together, its feed-forward, biases and norms."""
        return self._by(lambda part: (part.place, part.what))

    @cached_property
    def neighbours(self) -> dict[tuple[str, int], float]:
        """What all heads together took from each token, by stream and place."""
        return self._by(lambda part: None if part.token is None else (part.stream, part.token))

    def _by(self, key: Any) -> dict[Any, float]:
        shares = self.account.by(key)
        return {group: share * self.logit for group, share in shares.items()}

    def to_json(self) -> dict[str, Any]:
        """All numbers as plain data."""
        values = self.account.vectors[:, 0].tolist()
        pairs = zip(self.account.parts, values, strict=True)
        parts = [part.to_json() | {"logit": value} for part, value in pairs]
        return {
            "texts": {s: texts[0].to_json() for s, texts in self.trace.texts.items()},
            "position": self.position,
            "target": {"piece": self.target, "id": self.id},
            "logit": self.logit,
            "probability": self.probability,
            "parts": parts,
            "gradient times input": {s: x.tolist() for s, x in self.gradient.items()},
            "integrated gradients": {s: x.tolist() for s, x in self.integrated.scores.items()},
            "integrated gradients miss": self.integrated.gap,
            "rollout": self.rollout.tolist(),
        }


def why(
    model: Model, *texts: str, target: str = "", position: int | None = None, steps: int = 32
) -> Why:
    """Why the model says `target` (else its likeliest word) after the text, or at a token.

    Without `position` it is the last token; of an encoder that fills gaps, its [MASK]. A target is
    read as it is written: token 0 is its start, and it has no end.

    What it does not show: one truth. The four answer different questions (what was added directly,
    which slope, which way from a baseline, what was mixed) and need not agree; attention and
    gradients are not explanations by themselves (Jain and Wallace 2019; Adebayo et al. 2018). To
    confirm, silence or patch (`pellucid.edit`) and look whether the answer changes.
    """
    trace = see_written(model, *texts)
    if "head.logits" not in trace:
        raise UsageError("This model has no head for words; `why` needs one that answers in words.")
    stream = "target" if "target" in trace.texts else "tokens"
    check_alone(trace.texts)
    tokens = trace.texts[stream][0]
    at = _position(model, tokens, position)
    logits = trace["head.logits"][0, at]
    word = _word(model, target) if target else int(logits.argmax())
    stack = "encoder" if model.config.shape == "encoder" else "decoder"
    question = Question(model, trace.texts, at, word)
    return Why(
        trace=trace,
        position=at,
        target=model.tokenizer.target.piece(word),
        id=word,
        logit=logits[word].item(),
        probability=torch.softmax(logits.double(), -1)[word].item(),
        account=direct(Run(trace, at, stream), stack, word),
        gradient=gradient_times_input(question),
        integrated=integrated_gradients(question, steps=steps),
        rollout=rollout(trace, stack)[-1, at],
    )


def _position(model: Model, tokens: Tokens, position: int | None) -> int:
    if position is not None:
        if not -len(tokens) <= position < len(tokens):
            raise UsageError(f"The text has tokens 0 to {len(tokens) - 1}; there is no {position}.")
        return position % len(tokens)
    if model.config.head != "masked":
        return len(tokens) - 1
    gap = model.tokenizer.special.get("mask_token", "[MASK]")
    if gap not in tokens.pieces:
        raise UsageError(f"The text has no {gap} to fill; write one, or say which token (--at 3).")
    return tokens.pieces.index(gap)


def _word(model: Model, target: str) -> int:
    """The word's id; of several pieces the first."""
    tokens = model.tokenizer.target.encode(target)
    pairs = zip(tokens.ids, tokens.special, strict=True)
    found = [number for number, special in pairs if not special]
    if not found:
        raise UsageError(f"The target {target!r} is no word to this tokenizer.")
    return found[0]
