"""Columns: which one a term is counted in. Learned, known, or worked out of its letters."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import filterfalse

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import murmurhash3_32

MOST_REMEMBERED = 1 << 17  # terms whose hash is remembered; then remembering starts afresh


class Growing:
    """A new column for each term that has none yet."""

    def __init__(self) -> None:
        self.vocabulary: defaultdict[str, int] = defaultdict()
        self.vocabulary.default_factory = self.vocabulary.__len__

    @property
    def width(self) -> int:
        return len(self.vocabulary)

    def __call__(self, terms: Iterable[str]) -> Iterable[int]:
        return map(self.vocabulary.__getitem__, terms)

    def settle(self, kept: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Keep some of the columns, in the order of their terms; where each was before."""
        self.vocabulary.default_factory = None
        if not kept.all():
            for term in [term for term, column in self.vocabulary.items() if not kept[column]]:
                del self.vocabulary[term]
        terms = sorted(self.vocabulary)
        order = np.fromiter(map(self.vocabulary.__getitem__, terms), np.int32, len(terms))
        self.vocabulary.update(zip(terms, range(len(terms)), strict=True))
        return order


@dataclass
class Met:
    """The terms that were met in some texts: how many, and those that have no column."""

    terms: int = 0
    unknown: Counter[str] = field(default_factory=Counter)


class Known:
    """The columns of a vocabulary; other terms are passed over."""

    def __init__(self, vocabulary: Mapping[str, int], met: Met | None = None) -> None:
        self.vocabulary, self.met = vocabulary, met
        self.width = len(vocabulary)

    def __call__(self, terms: Iterable[str]) -> Iterable[int]:
        known = self.vocabulary.__contains__
        if self.met is not None:
            terms = list(terms)
            self.met.terms += len(terms)
            self.met.unknown.update(filterfalse(known, terms))
        return map(self.vocabulary.__getitem__, filter(known, terms))


class Hashed(dict[str, int]):
    """A column by the term's hash, the same as in scikit-learn's HashingVectorizer."""

    vocabulary: Mapping[str, int] = {}

    def __init__(self, width: int) -> None:
        self.width = width

    def __call__(self, terms: Iterable[str]) -> Iterable[int]:
        return map(self.__getitem__, terms)

    def __missing__(self, term: str) -> int:
        if len(self) >= MOST_REMEMBERED:
            self.clear()
        code = term.encode("utf-8", "surrogatepass")
        self[term] = column = abs(murmurhash3_32(code)) % self.width
        return column

    def settle(self, kept: NDArray[np.bool_]) -> NDArray[np.int32]:
        """All stay where they are."""
        return np.arange(self.width, dtype=np.int32)


Columns = Growing | Known | Hashed
