"""Where the senses of a word part: nearest centroids, layer by layer, over many sentences."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from pellucid.errors import UsageError
from pellucid.models.model import Model
from pellucid.record.shown import Shown
from pellucid.study.clouds import Clouds, cloud
from pellucid.study.nearest import Distance, left_out, nearness
from pellucid.study.vectors import Done, Use, layers_of, nothing, use, vectors

Example = tuple[str, str] | Use


@dataclass(frozen=True, repr=False)
class Senses(Shown):
    """What nearest centroids say of a word's senses.

    `accuracy` is the share that was right after each of the `layers`, of `tested` sentences, and
    `learned` that of the sentences learned from, each with itself left out of its sense's mean.
    The `best` layer is the best by `learned`, so that no tested sentence chooses it; `answers` are
    the senses said after it. `clouds` [L N 2] is a picture of the tested
    sentences: across, the direction in which the senses' centroids lie furthest apart; upwards the
    next such direction, or where there are two senses the one in which sentences differ most.
    """

    word: str
    layers: tuple[str, ...]
    senses: tuple[str, ...]
    counts: tuple[int, ...]
    accuracy: tuple[float, ...]
    learned: tuple[float, ...]
    truth: tuple[str, ...]
    answers: tuple[str, ...]
    clouds: Tensor
    distance: Distance
    how: str

    @property
    def best(self) -> int:
        """The layer (0: the embedding) chosen on the sentences learned from, the last of such."""
        return best_of(self.learned)

    @property
    def tested(self) -> int:
        """How many sentences were asked."""
        return len(self.truth)

    @property
    def commonest(self) -> float:
        """What always saying the commonest sense would have been right in."""
        most = max(range(len(self.counts)), key=self.counts.__getitem__)
        return self.truth.count(self.senses[most]) / self.tested

    @property
    def picture(self) -> Clouds:
        """The tested sentences as points, each of its true sense."""
        pairs = zip(self.layers, self.accuracy, strict=True)
        captions = tuple(f"{name}  {share:.1%}" for name, share in pairs)
        return Clouds(self.word, captions, self.senses, self.truth, self.clouds)

    def to_json(self) -> dict[str, Any]:
        """All numbers as plain data."""
        return vars(self) | {"clouds": self.clouds.tolist(), "best": self.best}


def senses(
    model: Model,
    word: str,
    train: Sequence[Example],
    test: Sequence[Example] = (),
    *,
    distance: Distance = "spread",
    done: Done = nothing,
) -> Senses:
    """How well the word's vectors tell its senses apart after each layer.

    Each sense is the mean of its training vectors, each of length one; a sentence has the sense
    whose mean is nearest: measured by how the senses' sentences spread, or by angle (as Loureiro et
    al. 2020 do on CoarseWSD-20; see `pellucid.study.nearest`). The first is the better on training
    sentences, be there three of a sense or hundreds. Examples are pairs of a sentence and a label,
    or `Use`s, which say where the word stands. Without `test` each training sentence is asked, with
    itself left out of its sense's mean.

    What it does not show: that the model *uses* the sense. It shows that the vectors carry it, with
    the simplest possible reader; a word's usual neighbours may be all that is read.
    """
    known, asked = uses(train, word), uses(test, word)
    names, numbers = numbered(known)
    if missing := sorted({each.label for each in asked} - set(names)):
        raise UsageError(f"No training sentence has the sense {missing[0]!r}.")
    x = y = vectors(model, known, done)
    layers, truth = range(x.shape[1]), numbers
    answers = own = torch.stack([left_out(x[:, at], numbers, distance).argmax(-1) for at in layers])
    learned = shares(own, numbers)
    if asked:
        y = vectors(model, asked, done)
        truth = torch.tensor([names.index(each.label) for each in asked])
        scores = [nearness(x[:, at], numbers, y[:, at], distance) for at in layers]
        answers = torch.stack([score.argmax(-1) for score in scores])
    return Senses(
        word=word,
        layers=tuple(layers_of(model)),
        senses=tuple(names),
        counts=tuple(numbers.bincount(minlength=len(names)).tolist()),
        accuracy=shares(answers, truth),
        learned=learned,
        truth=tuple(names[at] for at in truth.tolist()),
        answers=tuple(names[at] for at in answers[best_of(learned)].tolist()),
        clouds=torch.stack([cloud(x[:, at], numbers, y[:, at]) for at in layers]),
        distance=distance,
        how="sentences apart from those learned from" if asked else "each with itself left out",
    )


def best_of(learned: Sequence[float]) -> int:
    """The layer with the largest share, the last of such."""
    return max(range(len(learned)), key=lambda at: (learned[at], at))


def shares(answers: Int[Tensor, "L N"], truth: Int[Tensor, "N"]) -> tuple[float, ...]:
    """The share of right answers after each layer."""
    return tuple((answers == truth).double().mean(-1).tolist())


def uses(examples: Iterable[Example], word: str) -> list[Use]:
    """The examples, each with the word's place in it."""
    return [each if isinstance(each, Use) else use(each[0], word, each[1]) for each in examples]


def numbered(known: Sequence[Use]) -> tuple[list[str], Int[Tensor, "N"]]:
    """The senses in the order of their names, and the number of each sentence's."""
    names = sorted({each.label for each in known})
    if len(names) < 2:
        raise UsageError(
            f"{len(names)} sense came in {len(known)} sentences; give sentences with two or more."
        )
    return names, torch.tensor([names.index(each.label) for each in known])
