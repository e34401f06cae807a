"""Examples: texts with their labels."""

from collections.abc import Iterable
from dataclasses import dataclass

from pellucid.errors import PellucidError
from pellucid.text.formats import Document


@dataclass(frozen=True)
class Examples:
    """So many texts, and as many labels."""

    texts: list[str]
    labels: list[str]

    def __len__(self) -> int:
        return len(self.texts)

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
