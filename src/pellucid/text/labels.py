"""Labels of a stream of documents, as numbers."""

from array import array
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from pellucid.text.formats import Document


class Labels:
    """Each label has a number, in the order in which they were first met."""

    def __init__(self) -> None:
        self._numbers: dict[str | None, int] = {}
        self._met = array("i")

    def texts(self, documents: Iterable[Document]) -> Iterator[str]:
        """Pass on the texts, and note their labels."""
        del self._met[:]
        for document in documents:
            number = self._numbers.setdefault(document.label, len(self._numbers))
            self._met.append(number)
            yield document.text

    @property
    def numbers(self) -> NDArray[np.int32] | None:
        """Each document's number; none where some document had no label."""
        return None if None in self._numbers else np.array(self._met, np.int32)

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels, in the order of their numbers."""
        labels = tuple(label for label in self._numbers if label is not None)
        return labels if len(labels) == len(self._numbers) else ()
