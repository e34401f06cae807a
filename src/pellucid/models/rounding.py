"""What rounding weights does: to each matrix, and to what the model makes of texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from pellucid.models.heads import Output
from pellucid.models.model import Model
from pellucid.record.printed import aligned

SHOWN = 5


@dataclass(frozen=True)
class Moved:
    """One tensor: the largest change of a number, and the change over the size of the whole."""

    name: str
    largest: float
    relative: float


@dataclass(frozen=True)
class Effect:
    """What the changes do to outputs: sizes of differences over sizes, and of the likeliest
    answers the share that stayed (None where the model tells none).
    """

    hidden: float
    logits: float | None
    same: float | None


@dataclass(frozen=True)
class Rounding:
    """All tensors that moved, most first; and the effect on some texts, if there were any."""

    tensors: Sequence[Moved]
    effect: Effect | None

    def __str__(self) -> str:
        if not self.tensors:
            return "No number moved."
        head = ("most rounded", "largest change", "relative")
        rows = [(m.name, f"{m.largest:.2e}", f"{m.relative:.2%}") for m in self.tensors[:SHOWN]]
        return "\n\n".join(filter(None, (aligned([head, *rows]), self._effect())))

    def _effect(self) -> str:
        if self.effect is None:
            return ""
        rows = [("last vectors moved by", f"{self.effect.hidden:.2%}")]
        if self.effect.logits is not None:
            rows.append(("logits moved by", f"{self.effect.logits:.2%}"))
            rows.append(("likeliest answers that stayed", f"{self.effect.same:.1%}"))
        return aligned(rows)


def compared(exact: Model, rounded: Model, texts: Sequence[str] = ()) -> Rounding:
    """A model and its rounded twin."""
    theirs = rounded.state()
    found = [moved(name, a.detach(), theirs[name].detach()) for name, a in exact.state().items()]
    found = sorted((m for m in found if m.largest), key=lambda m: -m.relative)
    effects = [effect(exact, rounded, text) for text in texts]
    return Rounding(found, mean(effects) if effects else None)


def moved(name: str, a: Tensor, b: Tensor) -> Moved:
    """How far one tensor is from the other."""
    apart = a.double() - b.double()
    size = float(a.double().norm())
    return Moved(name, float(apart.abs().max()), float(apart.norm()) / (size or 1.0))


@torch.no_grad()
def effect(exact: Model, rounded: Model, text: str) -> Effect:
    """What both make of a text; it is source and target where a model has both."""
    read = exact.read(*[text] * len(exact.streams))
    a, b = (model(**model._inputs(read)) for model in (exact, rounded))
    hidden = relative(a.hidden, b.hidden)
    one, other = answers(a), answers(b)
    if one is None or other is None:
        return Effect(hidden, None, None)
    same = float((one.argmax(-1) == other.argmax(-1)).double().mean())
    return Effect(hidden, relative(one, other), same)


def answers(output: Output) -> Tensor | None:
    """Scores of words, else of classes."""
    return output.classes if output.logits is None else output.logits


def relative(a: Tensor, b: Tensor) -> float:
    """The size of the difference over the size."""
    return float((a.double() - b.double()).norm() / a.double().norm())


def mean(effects: Sequence[Effect]) -> Effect:
    """Over texts."""
    means: dict[str, Any] = {}
    for name in vars(effects[0]):
        found = [getattr(each, name) for each in effects]
        means[name] = None if None in found else sum(found) / len(found)
    return Effect(**means)
