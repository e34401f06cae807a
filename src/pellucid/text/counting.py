"""Counting terms: texts become blocks of rows, and the blocks one sparse matrix.

All is laid out so that the most memory ever in use is the final matrix, its terms and one block.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import filterfalse
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils import murmurhash3_32

Terms = Callable[[str], Iterable[str]]

BLOCK = 1 << 19  # characters of text that are counted at once
NUMBERS = 1 << 20  # of a matrix that are moved at once
MOST_REMEMBERED = 1 << 20  # terms whose hash is remembered


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


Columns = Growing | Known | Hashed  # which columns terms are counted in


def counted(texts: Iterable[str], terms: Terms, columns: Columns) -> Iterator[csr_array]:
    """Blocks of rows, a row for each text: how often each term is in it. Float32."""
    for block in blocks(texts):
        yield count(map(terms, block), columns)


def blocks(texts: Iterable[str]) -> Iterator[list[str]]:
    """Lists of texts, of some size together."""
    if isinstance(texts, str):
        raise ValueError("Texts are expected, a list or any iterable, not a single string.")
    block: list[str] = []
    size = 0
    for text in texts:
        if not isinstance(text, str):
            raise ValueError(f"A text is expected, not {text!r} of type {type(text).__name__}.")
        block.append(text)
        size += len(text)
        if size >= BLOCK:
            yield block
            block, size = [], 0
    if block:
        yield block


def count(documents: Iterable[Iterable[str]], columns: Columns) -> csr_array:
    """One block's rows."""
    indices, ends = array("i"), array("q", [0])
    for terms in documents:
        indices.extend(columns(terms))
        ends.append(len(indices))
    ones = np.ones(len(indices), np.float32)
    shape = (len(ends) - 1, columns.width)
    rows = csr_array((ones, np.asarray(indices), np.asarray(ends)), shape)
    rows.sum_duplicates()
    return rows


class Rows:
    """Blocks of rows laid end to end, in arrays that grow in place."""

    def __init__(self, width: int = 0) -> None:
        self.indices, self.data, self.ends = array("i"), array("f"), array("q", [0])
        self.width = width

    def append(self, block: csr_array) -> None:
        """Add a block's rows; it may have more columns than those before."""
        self._lay(self.indices, block.indices.astype(np.int32, copy=False))
        self._lay(self.data, block.data)
        self._lay(self.ends, block.indptr[1:].astype(np.int64) + self.ends[-1])
        self.width = block.shape[1]

    @staticmethod
    def _lay(behind: "array[Any]", values: NDArray[Any]) -> None:
        behind.frombytes(values.view(np.uint8).data)

    def matrix(self) -> csr_array:
        """All rows as one matrix; the numbers and their columns are not copied."""
        indices = np.asarray(self.indices)
        ends = np.asarray(self.ends)
        if ends[-1] <= np.iinfo(indices.dtype).max:  # else SciPy makes both wide
            ends = ends.astype(indices.dtype)
        parts = (np.asarray(self.data), indices, ends)
        return csr_array(parts, shape=(len(ends) - 1, self.width))


class Tally:
    """How many texts there were, and in how many of them each column had something."""

    def __init__(self) -> None:
        self.texts, self.having = 0, np.zeros(0, np.int64)

    def add(self, block: csr_array) -> None:
        having = np.bincount(block.indices, minlength=block.shape[1])
        having[: len(self.having)] += self.having
        self.texts, self.having = self.texts + block.shape[0], having


def reordered(matrix: csr_array, order: NDArray[np.int32]) -> csr_array:
    """The matrix with these of its columns, in this order; in place."""
    place = np.full(matrix.shape[1], -1, np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    for start in range(0, matrix.nnz, NUMBERS):
        part = slice(start, start + NUMBERS)
        found = place[matrix.indices[part]]
        matrix.data[part][found < 0] = 0
        matrix.indices[part] = np.maximum(found, 0)
    moved = csr_array((matrix.data, matrix.indices, matrix.indptr), (matrix.shape[0], len(order)))
    moved.eliminate_zeros()
    moved.sort_indices()
    return moved
