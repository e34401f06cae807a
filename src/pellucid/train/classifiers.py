"""What every classifier can do, from TF-IDF to a Transformer; and which there are."""

from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, Protocol, cast, runtime_checkable

from pellucid.errors import UsageError
from pellucid.train.examples import Examples


class Guess(NamedTuple):
    """A class, and its probability."""

    label: str
    probability: float


@runtime_checkable
class Classifier(Protocol):
    """A model that tells which class a text is of. How it is built is each one's own."""

    def fit(self, examples: Examples, valid: Examples | None = None) -> "Classifier":
        """Learn from examples; those of `valid` may tell it when to stop."""
        ...

    def guess(self, texts: Iterable[str]) -> Iterator[Guess]:
        """The likeliest class of each text, as they come, and how likely it is."""
        ...

    def predict(self, texts: Iterable[str]) -> Iterator[str]:
        """The likeliest class alone."""
        ...

    def size(self) -> int:
        """How many numbers it has learned."""
        ...

    def facts(self) -> dict[str, str]:
        """What it is, in a few words."""
        ...

    def lessons(self) -> str:
        """What it has learned, as far as that can be told; or nothing."""
        ...

    def save(self, folder: Path) -> None:
        """Write its files into a folder."""
        ...

    @classmethod
    def load(cls, folder: Path) -> "Classifier":
        """Read them back."""
        ...


# a name and where the class lives; each is imported when it is wanted
CLASSIFIERS = {
    "tfidf": ("pellucid.train.linear", "TfidfClassifier"),
    "majority": ("pellucid.train.rivals.majority", "MajorityClassifier"),
    "cnn": ("pellucid.train.rivals.classifier", "NetworkClassifier"),
    "lstm": ("pellucid.train.rivals.classifier", "NetworkClassifier"),
    "gru": ("pellucid.train.rivals.classifier", "NetworkClassifier"),
    "transformer": ("pellucid.train.transformer", "TransformerClassifier"),
}
CERTAIN = ("majority", "tfidf")  # chance has no part in these; they learn at once


def classifier(name: str) -> type[Classifier]:
    """The class of classifiers of this name."""
    if name not in CLASSIFIERS:
        raise UsageError(f"There is no classifier {name!r}; there is {', '.join(CLASSIFIERS)}.")
    module, kind = CLASSIFIERS[name]
    return cast(type[Classifier], getattr(import_module(module), kind))
