"""Counting: texts become blocks of rows, and the blocks one sparse matrix.

Laid out so that the most memory ever in use is little more than the final matrix and its terms.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from pellucid.text.columns import Columns

Terms = Callable[[str], Iterable[str]]

BLOCK = 1 << 19  # characters of text that are counted at once
NUMBERS = 1 << 20  # of a matrix that are moved at once


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
