"""Examples: texts with their labels."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Bool

from pellucid.errors import PellucidError
from pellucid.text.formats import Document
from pellucid.text.lines import half_at
from pellucid.train.kept import Kept, Many, Numbers, Some, number_of
from pellucid.train.several import split


class Pair(str):
    """Two texts whose relation is asked for; as one text, the second is on a line of its own."""

    __slots__ = ("first", "second")
    first: str
    second: str

    def __new__(cls, first: str, second: str) -> "Pair":
        whole = super().__new__(cls, f"{first}\n{second}")
        whole.first, whole.second = first, second
        return whole


class Pairs(Many):
    """Firsts and seconds, put together when they are wanted."""

    def __init__(self, firsts: Sequence[str], seconds: Sequence[str]) -> None:
        self.firsts, self.seconds = firsts, seconds

    def __len__(self) -> int:
        return len(self.firsts)

    def one(self, number: int) -> Pair:
        return Pair(self.firsts[number], self.seconds[number])

    def number(self, at: int) -> int:
        return number_of(self.firsts, at)


@dataclass(frozen=True)
class Examples:
    """So many texts, and as many labels; `whole` are those that they are some of."""

    texts: Sequence[str]
    labels: Sequence[str]
    whole: "Examples | None" = field(default=None, compare=False, repr=False, kw_only=True)

    def __len__(self) -> int:
        return len(self.texts)

    def some(self, numbers: Numbers) -> "Examples":
        """Those of these numbers."""
        labels = [self.labels[at] for at in numbers]
        return Examples(Some(self.texts, numbers), labels, whole=self)

    def spare(self, numbers: Numbers, sign: str = "") -> Bool[np.ndarray, "_"]:
        """Which of these can be left out, one by one, so that some of each class are left.

        A `sign` stands between the labels of a text.
        """
        left = Counter(name for label in self.labels for name in set(split(label, sign)))

        def can(label: str) -> bool:
            names = set(split(label, sign))
            if any(left[name] == 1 for name in names):
                return False
            left.subtract(names)
            return True

        return np.array([can(self.labels[at]) for at in numbers], np.bool_)

    def paired(self, seconds: Sequence[str]) -> "Examples":
        """With a second text to each."""
        if len(seconds) != len(self):
            raise PellucidError(f"{len(self):,} texts cannot be paired with {len(seconds):,}.")
        return Examples(Pairs(self.texts, seconds), self.labels)

    @classmethod
    def of(cls, documents: Iterable[Document]) -> "Examples":
        """Documents that all have labels. Their texts are kept in a file, not in memory."""
        labels: list[str] = []

        def texts() -> Iterator[str]:
            for document in documents:
                if document.label is None:
                    raise PellucidError(
                        f"The text of line {document.line} has no label; say the column (--label), "
                        "or put plain texts into a folder for each label."
                    )
                if half_at(document.label) is not None:
                    raise PellucidError(
                        f"The label {document.label!r} of line {document.line} is not valid "
                        "Unicode; mend it."
                    )
                labels.append(sys.intern(document.label))  # the same few again and again
                yield from document.texts

        kept = Kept.of(texts())
        if len(kept) == len(labels):
            return cls(kept, labels)
        first, second = kept.halves()
        return cls(first, labels).paired(second)


def called(valid: Any, given: Any) -> str:
    """What one of those to measure on is called; where they were held out, a text like others."""
    return "Text" if valid.whole is given.whole is not None else "Validation text"
