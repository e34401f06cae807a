"""Examples: texts with their labels."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pellucid.errors import PellucidError
from pellucid.text.formats import Document


class Pair(str):
    """Two texts whose relation is asked for; as one text, the second is on a line of its own."""

    __slots__ = ("first", "second")
    first: str
    second: str

    def __new__(cls, first: str, second: str) -> "Pair":
        whole = super().__new__(cls, f"{first}\n{second}")
        whole.first, whole.second = first, second
        return whole


@dataclass(frozen=True)
class Examples:
    """So many texts, and as many labels."""

    texts: list[str]
    labels: list[str]

    def __len__(self) -> int:
        return len(self.texts)

    def some(self, numbers: Sequence[int]) -> "Examples":
        """Those of these numbers."""
        return Examples([self.texts[at] for at in numbers], [self.labels[at] for at in numbers])

    def paired(self, seconds: Sequence[str]) -> "Examples":
        """With a second text to each."""
        if len(seconds) != len(self):
            raise PellucidError(f"{len(self):,} texts cannot be paired with {len(seconds):,}.")
        pairs = zip(self.texts, seconds, strict=True)
        return Examples([Pair(*pair) for pair in pairs], self.labels)

    @classmethod
    def of(cls, documents: Iterable[Document]) -> "Examples":
        """Documents that all have labels."""
        texts: list[str] = []
        labels: list[str] = []
        for text, label, line in documents:
            if label is None:
                raise PellucidError(
                    f"The text of line {line} has no label; say the column (--label), or put "
                    "plain texts into a folder for each label."
                )
            texts.append(text)
            labels.append(label)
        return cls(texts, labels)
