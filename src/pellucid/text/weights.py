"""What a count becomes: one-hot, itself, or tf · idf."""

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.preprocessing import normalize

Kind = Literal["one-hot", "counts", "tfidf", "tfidf-log"]
Numbers = NDArray[np.float32]
Weigh = Callable[[csr_array, Numbers], Numbers]

ROWS = 1 << 14  # that are weighed at once, so that little is held twice


def one_hot(rows: csr_array, idf: Numbers) -> Numbers:
    """1 for each term that is in the text."""
    return np.ones_like(rows.data)


def counts(rows: csr_array, idf: Numbers) -> Numbers:
    """How often a term is in the text: the bag of words."""
    return rows.data


def tfidf(rows: csr_array, idf: Numbers) -> Numbers:
    """tf · idf, and then each row divided by its length."""
    rows.data *= idf[rows.indices]
    return normalize(rows, copy=False).data


def tfidf_log(rows: csr_array, idf: Numbers) -> Numbers:
    """The same with 1 + ln tf: the tenth time says less than the first."""
    rows.data = 1 + np.log(rows.data)
    return tfidf(rows, idf)


KINDS: dict[Kind, Weigh] = {
    "one-hot": one_hot,
    "counts": counts,
    "tfidf": tfidf,
    "tfidf-log": tfidf_log,
}


def inverse_frequency(texts: int, with_term: NDArray[np.int64]) -> Numbers:
    """idf = ln((1 + texts) / (1 + texts with the term)) + 1, as in scikit-learn."""
    return (np.log((1 + texts) / (1 + with_term)) + 1).astype(np.float32)


def weighed(matrix: csr_array, kind: Kind, idf: Numbers) -> csr_array:
    """The matrix of counts [texts, terms] with its numbers replaced, in place."""
    weigh = KINDS[kind]
    for first in range(0, matrix.shape[0], ROWS):
        rows = matrix[first : first + ROWS]
        start = matrix.indptr[first]
        matrix.data[start : start + rows.nnz] = weigh(rows, idf)
    return matrix
