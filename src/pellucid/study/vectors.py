"""The vectors of one word in many sentences, after every layer."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from pellucid.errors import UsageError
from pellucid.models.model import Model
from pellucid.record.trace import Trace
from pellucid.study.compare import stations
from pellucid.study.place import Place, carriers, occurrences

BATCH = 2048  # tokens read at once, padding among them

Pieces = Literal["mean", "first"]  # of a word in several
Done = Callable[[int], None]  # told how many more sentences are done


@dataclass(frozen=True)
class Use:
    """A word in a sentence: its characters, and its sense where that is known."""

    text: str
    span: tuple[int, int]
    label: str = ""

    @property
    def word(self) -> str:
        """The word as it was typed here."""
        return self.text[slice(*self.span)]


def use(text: str, word: str, label: str = "") -> Use:
    """The first place where the word stands in a sentence."""
    spans = occurrences(text, word)
    if not spans:
        raise UsageError(f"The word {word!r} is not in {text!r}; leave this sentence out.")
    return Use(text, spans[0], label)


def nothing(_count: int) -> None:
    """Nobody is told."""


def layers_of(model: Model) -> list[str]:
    """The names of the vectors before, between and after the layers."""
    trace = Trace({}, {}, {}, {}, {"config": vars(model.config)})
    place = Place(trace, model.streams[0], (0, 0), ())
    return stations(place)


@torch.no_grad()
def vectors(
    model: Model, uses: Sequence[Use], done: Done = nothing, pieces: Pieces = "mean"
) -> Float[Tensor, "N L D"]:
    """The word's vector in each sentence after each layer; where it was cut, its pieces' mean.

    Sentences of about the same length are read together; memory holds the result and one batch.
    """
    names = layers_of(model)
    found: list[Tensor] = [torch.empty(0)] * len(uses)
    for batch in batches(uses):
        trace = model.see([uses[at].text for at in batch], keep=names)
        layers = torch.stack([trace[name] for name in names])
        for row, at in enumerate(batch):
            carried = _carriers(trace, row, uses[at])
            taken = carried if pieces == "mean" else carried[:1]
            found[at] = layers[:, row, taken].mean(1)
        done(len(batch))
    return torch.stack(found)


def batches(uses: Sequence[Use]) -> Iterator[list[int]]:
    """The sentences by length, so many together that they have about 2,048 tokens."""
    batch: list[int] = []
    for at in sorted(range(len(uses)), key=lambda at: len(uses[at].text)):
        length = len(uses[at].text) // 4 + 2  # about as many tokens
        if batch and length * (len(batch) + 1) > BATCH:
            yield batch
            batch = []
        batch.append(at)
    if batch:
        yield batch


def _carriers(trace: Trace, row: int, one: Use) -> list[int]:
    stream = next(iter(trace.texts))
    pieces = carriers(trace.texts[stream][row], one.span)
    if not pieces:
        raise UsageError(f"No token carries {one.word!r} in {one.text!r}.")
    return list(pieces)
