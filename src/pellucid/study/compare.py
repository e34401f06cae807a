"""One word in two texts, models or checkpoints: where its vectors part, and what parted them."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from pellucid.errors import UsageError
from pellucid.models.model import Model
from pellucid.record.files import Existing, write
from pellucid.record.shown import Shown
from pellucid.record.store import Wish, writer_of
from pellucid.record.trace import Trace
from pellucid.study.account import Account, Run, account
from pellucid.study.differences import Difference, Pair, Unlike
from pellucid.study.place import Place, locate, standing

Said = str | tuple[str, ...]  # a text; or a source and a target
Word = str | tuple[str, str]  # one for both texts, or one for each
Which = int | None | tuple[int | None, int | None]

# a file's ending and what writes it; views stand further down the house, so they are named
WRITERS = {
    ".json": "pellucid.study.compare:fill",
    ".html": "pellucid.views.compared:fill",
    ".xlsx": "pellucid.views.workbook.compared:fill",
    ".png": "pellucid.views.plots.compared:png",
    ".svg": "pellucid.views.plots.compared:svg",
    ".pdf": "pellucid.views.plots.compared:pdf",
}

# what two models have to share, so that a difference of their vectors is a sum of the same parts
ALIKE = (
    *("width", "place", "norm", "residual", "positions", "segments", "final_norm"),
    *("embedding_norm", "embedding_width", "embedding_scaling"),
)


@dataclass(frozen=True)
class Step:
    """The word's two vectors after one layer: how far apart, and how large each.

    `angle` is in degrees. `relative` is the distance over the mean of the two sizes.
    """

    name: str
    distance: float
    relative: float
    angle: float
    sizes: tuple[float, float]

    @classmethod
    def between(cls, name: str, a: Tensor, b: Tensor) -> "Step":
        """Of two vectors [D] in float64."""
        sizes = a.norm().item(), b.norm().item()
        distance = (a - b).norm().item()
        # by the half-angle: near zero, an arccosine would lose half of its digits
        u, v = a / (sizes[0] or 1), b / (sizes[1] or 1)
        angle = 2 * torch.atan2((u - v).norm(), (u + v).norm()).rad2deg().item()
        return cls(name, distance, distance / (sum(sizes) / 2 or 1), angle, sizes)


@dataclass(frozen=True, repr=False)
class Comparison(Shown):
    """One word at two places.

    `layers` are its vectors from the embedding to the end. `names` is every number that both
    have, in the order of the road; `first` the first of them that differs. `unlike` is what could
    not be compared, and why. `account` says what the difference of the two last vectors was made
    of (None, with the reason in `no_account`, where the two models are not built alike).
    """

    a: Place
    b: Place
    layers: tuple[Step, ...]
    names: tuple[Difference, ...]
    unlike: tuple[Unlike, ...]
    account: Account | None
    no_account: str = ""

    @property
    def first(self) -> Difference | None:
        """The first number on the road that is not the same; None where all are."""
        return next(iter(self.differing), None)

    @property
    def differing(self) -> tuple[Difference, ...]:
        """The numbers that are not the same, where they differ first standing first."""
        return tuple(each for each in self.names if not each.same)

    @cached_property
    def heads(self) -> dict[tuple[str, int], float]:
        """Each head's share of the difference, by place and head."""
        return self._by(lambda part: None if part.head is None else (part.place, part.head))

    @cached_property
    def neighbours(self) -> dict[tuple[int, int], float]:
        """Each token's share of the difference, by text (0 or 1) and place in it."""
        return self._by(lambda part: None if part.token is None else (part.text, part.token))

    @cached_property
    def kinds(self) -> dict[tuple[str, str], float]:
        """The shares by place and kind: heads together, feed-forward, norm, bias, embedding."""
        return self._by(lambda part: (part.place, part.what))

    def _by(self, key: Any) -> dict[Any, float]:
        return self.account.by(key) if self.account else {}

    def neighbour(self, text: int, token: int) -> str:
        """What was typed for a token of text 0 or 1."""
        return (self.a, self.b)[text].tokens.label(token)

    def save(
        self,
        path: str | Path,
        *,
        layers: Sequence[int] | None = None,
        existing: Existing = "refuse",
    ) -> Path:
        """Write it; the ending says how: numbers, page, workbook or figure (see `WRITERS`).

        A page has the heads of all layers, or only of these: the fewer, the smaller.
        """
        path, wish = Path(path), Wish(layers=layers)
        fill = writer_of(path, WRITERS, "a comparison")
        return write(path, lambda beside: fill(self, beside, wish), existing)

    def to_json(self) -> dict[str, Any]:
        """All numbers as plain data."""
        places = [_described(place) for place in (self.a, self.b)]
        return {
            "places": places,
            "layers": [dict(vars(step)) for step in self.layers],
            "names": [each.to_json() for each in self.names],
            "unlike": [each.to_json() for each in self.unlike],
            "account": self.account.to_json() if self.account else {"none": self.no_account},
        }


def compare(
    model: Model,
    a: Said,
    b: Said,
    *,
    word: Word,
    occurrence: Which = None,
    other: Model | None = None,
) -> Comparison:
    """The word in text `a` and in text `b`, all numbers on the way.

    `word` is one for both, or a pair (bank, banks); `occurrence` counts from 1 where a text has it
    several times. With `other` the second text is read by another model, or another checkpoint.
    An encoder-decoder takes pairs of a source and a target.

    What it does not show: that two vectors part is no proof that the model tells two meanings
    apart. Any change of neighbours moves a vector (`senses` measures that over many sentences).
    """
    seen = model.see(*_streams(a)), (other or model).see(*_streams(b))
    return compare_traces(*seen, word=word, occurrence=occurrence)


def compare_traces(a: Trace, b: Trace, *, word: Word, occurrence: Which = None) -> Comparison:
    """The same for two traces that are already there, each of one text."""
    words = (word, word) if isinstance(word, str) else word
    which = occurrence if isinstance(occurrence, tuple) else _meant((a, b), words, occurrence)
    return between(*(locate(*given) for given in zip((a, b), words, which, strict=True)))


def _meant(
    traces: Sequence[Trace], words: Sequence[str], number: int | None
) -> Sequence[int | None]:
    """One number for both texts is meant for those which have the word several times, if any do."""
    often = [len(standing(*given)[1]) > 1 for given in zip(traces, words, strict=True)]
    return [number if several or not any(often) else None for several in often]


@torch.no_grad()
def between(a: Place, b: Place) -> Comparison:
    """The comparison of two places."""
    if not common(a, b):
        raise UsageError(
            f"The first text's {a.text!r} is read by the {a.stack}, the second's {b.text!r} by the "
            f"{b.stack}, so they share no vector; choose words that the same stack reads."
        )
    found = list(Pair(a, b).compare())
    reason = unlike_models(a, b)
    return Comparison(
        a=a,
        b=b,
        layers=tuple(_layers(a, b)),
        names=tuple(each for each in found if isinstance(each, Difference)),
        unlike=tuple(each for each in found if isinstance(each, Unlike)),
        account=None if reason else account([*runs(a, 1.0, 0), *runs(b, -1.0, 1)], a.stack),
        no_account=reason,
    )


def runs(place: Place, weight: float = 1.0, text: int = 0) -> Iterator[Run]:
    """A run for each of the word's pieces; their mean is what counts."""
    known: dict[str, Tensor] = {}
    for token in place.pieces:
        share = weight / len(place.pieces)
        yield Run(place.trace, token, place.stream, share, text, place.sentence, known)


def stations(place: Place) -> list[str]:
    """The names of a token's vector from the embedding to the last norm."""
    embed = {"source": "source.embed", "target": "target.embed"}.get(place.stream, "embed")
    layers = (f"{place.stack}.{layer}.output" for layer in range(depth(place)))
    last = [f"{place.stack}.output"] if f"{place.stack}.norm.output" in place.trace else []
    return [f"{embed}.output", *layers, *last]


def common(a: Place, b: Place) -> list[str]:
    """The stations that both words pass."""
    passed = set(stations(b))
    return [name for name in stations(a) if name in passed]


def depth(place: Place) -> int:
    """How many layers read the word's text."""
    config = place.trace.about["config"]
    layers: int = config["layers"]
    return (config["decoder_layers"] or layers) if place.stack == "decoder" else layers


def unlike_models(a: Place, b: Place) -> str:
    """Why the difference of the two vectors has no account; empty where it has one."""
    if a.stack != b.stack:
        return f"one word is read by the {a.stack}, the other by the {b.stack}"
    for what in ALIKE:
        first, second = (place.trace.about["config"][what] for place in (a, b))
        if first != second:
            shown = what.replace("_", " ")
            return f"the models differ in their {shown}: {first} and {second}"
    if depth(a) != depth(b):
        return f"the models have {depth(a)} and {depth(b)} layers"
    return ""


def _layers(a: Place, b: Place) -> Iterator[Step]:
    known: tuple[dict[str, Tensor], dict[str, Tensor]] = {}, {}
    for name in common(a, b):
        vectors = [place.vector(name, k) for place, k in zip((a, b), known, strict=True)]
        if vectors[0].shape == vectors[1].shape:
            yield Step.between(name, *vectors)


def fill(comparison: Comparison, path: Path, wish: Wish) -> None:
    """Write all numbers as JSON."""
    text = json.dumps(comparison.to_json(), ensure_ascii=False) + "\n"
    path.write_bytes(text.encode("utf-8", "backslashreplace"))  # half an emoji, as JSON escapes it


def _streams(said: Said) -> Sequence[str]:
    return (said,) if isinstance(said, str) else said


def _described(place: Place) -> dict[str, Any]:
    return {
        "model": place.trace.about["model"],
        "text": place.tokens.text,
        "word": place.text,
        "characters": place.span,
        "pieces": place.labels,
        "vector": "the mean of the pieces" if len(place.pieces) > 1 else "the piece's own",
    }
