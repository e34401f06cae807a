"""What every classifier can do, from TF-IDF to a Transformer; and which there are."""

from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from pellucid.errors import UsageError
from pellucid.train.examples import Examples


@runtime_checkable
class Classifier(Protocol):
    """A model that tells which class a text is of. How it is built is each one's own."""

    def fit(self, examples: Examples) -> "Classifier":
        """Learn from examples."""
        ...

    def predict(self, texts: Iterable[str]) -> Iterator[str]:
        """The likeliest class of each text, as they come."""
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
}


def classifier(name: str) -> type[Classifier]:
    """The class of classifiers of this name."""
    if name not in CLASSIFIERS:
        raise UsageError(f"There is no classifier {name!r}; there is {', '.join(CLASSIFIERS)}.")
    module, kind = CLASSIFIERS[name]
    return cast(type[Classifier], getattr(import_module(module), kind))
