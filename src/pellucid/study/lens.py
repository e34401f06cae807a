"""The lens: what each layer would answer if it were the last."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from pellucid.decode.written import see_written
from pellucid.errors import UsageError
from pellucid.models.model import Model
from pellucid.record.answers import Answers
from pellucid.record.shown import Shown
from pellucid.record.streams import check_alone
from pellucid.record.tokens import Tokens
from pellucid.record.trace import Trace
from pellucid.study.compare import stations
from pellucid.study.edits import Edit, Parts, edit
from pellucid.study.place import Place


@dataclass(frozen=True, repr=False)
class Lens(Shown):
    """The best words after each of the `layers`, for every token.

    `chances` [L T] is the probability that each layer gives to the word which the whole model
    thinks likeliest (None where the model has no head for words: then answers are the words whose
    vectors are nearest).
    """

    tokens: Tokens
    layers: tuple[str, ...]
    answers: tuple[Answers, ...]
    chances: Float[Tensor, "L T"] | None

    def to_json(self) -> dict[str, Any]:
        """All answers as plain data."""
        return {
            "tokens": self.tokens.to_json(),
            "layers": self.layers,
            "answers": [each.to_json() for each in self.answers],
            "chances": None if self.chances is None else self.chances.tolist(),
        }


def lens(model: Model, *texts: str, best: int = 3) -> Lens:
    """What each layer's vectors would say through the model's own last norm and head.

    This is the logit lens (nostalgebraist 2020), for decoders, encoder-decoders and encoders with
    a head for masked words. A target is read as it is written, after its start and without an end.

    What it does not show: what a layer "thinks". Layers before the last were never trained to be
    read so; in some models early answers are noise though the vectors carry the word (Belrose et
    al. 2023, the tuned lens).
    """
    trace = see_written(model, *texts)
    check_alone(trace.texts)
    return lens_of(trace, best)


@torch.no_grad()
def lens_of(trace: Trace, best: int = 3, sentence: int = 0) -> Lens:
    """The same for a trace that is already there: layers' vectors put in the last one's place."""
    stream = "target" if "target" in trace.texts else "tokens"
    place = Place(trace, stream, (0, 0), (), sentence)
    last = f"{place.stack}.{_depth(trace, place.stack) - 1}.output"
    names = [name for name in stations(place) if name != f"{place.stack}.output"]
    runs = [trace if name == last else edit(trace, _moved(trace, name, last)) for name in names]
    found = [each for run in runs if (each := run.answers(best)) is not None]
    if trace.piece is None:
        raise UsageError(
            "A trace from a file does not know its model's words; load it with "
            "Trace.load(path, model.weights(), model.tokenizer.target.piece)."
        )
    if len(found) < len(names):
        raise UsageError("This model's vectors cannot be compared with words, so no layer answers.")
    tokens = trace.texts[stream][sentence]
    answers = tuple(_own(each, sentence, len(tokens)) for each in found)
    return Lens(tokens, tuple(names), answers, _chances(runs, sentence, len(tokens)))


def _depth(trace: Trace, stack: str) -> int:
    return len(trace.names(f"{stack}.*.attention.q"))


def _moved(trace: Trace, name: str, to: str) -> Edit:
    """One value of a run put in the place of another."""

    def change(value: Tensor) -> Parts:
        return {"kept": torch.zeros_like(value), "added": trace[name]}

    return Edit(to, f"taken from {name}", change)


def _own(answers: Answers, sentence: int, length: int) -> Answers:
    """The answers of one sentence, without those that stand for its padding."""
    return Answers(answers.meaning, [answers.words[sentence][:length]])


def _chances(runs: Sequence[Trace], sentence: int, length: int) -> Float[Tensor, "L T"] | None:
    if "head.probabilities" not in runs[-1]:
        return None
    words = runs[-1]["head.logits"][sentence, :length].argmax(-1)
    rows = torch.arange(length)
    return torch.stack([run["head.probabilities"][sentence, rows, words] for run in runs])
