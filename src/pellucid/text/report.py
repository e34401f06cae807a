"""What vectors are like: how many numbers, how few of them not zero, which terms weigh most."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from pellucid.record.printed import aligned, in_words
from pellucid.text.columns import Met
from pellucid.text.storing import Vectors

DOCUMENTS, CLASSES, TERMS = 5, 100, 5  # shown at most


@dataclass(frozen=True)
class Unknown:
    """Terms without a column: how many times, different ones, their share, and the commonest."""

    times: int
    different: int
    share: float
    commonest: list[tuple[str, int]]

    @classmethod
    def of(cls, met: Met) -> "Unknown":
        """Those among the terms that were met."""
        times = met.unknown.total()
        commonest = met.unknown.most_common(TERMS)
        return cls(times, len(met.unknown), times / max(met.terms, 1), commonest)

    def __str__(self) -> str:
        which = ", ".join(f"{term} {times:,}" for term, times in self.commonest)
        return f"{self.times:,} terms ({self.share:.1%}), {self.different:,} different: {which}"


@dataclass(frozen=True)
class Report:
    """Vectors in numbers. An `empty` document has no term that has a column.

    `heaviest` has terms and their weights: of the first documents, or, where there are labels, of
    each class those whose mean weight in it is furthest above that in all documents.
    """

    documents: int
    empty: int
    vocabulary: int
    nonzeros: int
    density: float
    bytes_sparse: int
    bytes_dense: int
    by: str
    heaviest: dict[str, list[tuple[str, float]]]
    unknown: Unknown | None = None

    @classmethod
    def of(cls, vectors: Vectors, met: Met | None = None) -> "Report":
        """Measure vectors that have a matrix; `met` is what the vectorizer met of other texts."""
        matrix = vectors.matrix
        documents, vocabulary = matrix.shape
        return cls(
            documents=documents,
            empty=int((np.diff(matrix.indptr) == 0).sum()),
            vocabulary=vocabulary,
            nonzeros=matrix.nnz,
            density=matrix.nnz / max(documents * vocabulary, 1),
            bytes_sparse=sum(part.nbytes for part in (matrix.data, matrix.indices, matrix.indptr)),
            bytes_dense=documents * vocabulary * matrix.data.itemsize,
            by="document" if vectors.labels is None else "class",
            heaviest=dict(heaviest(vectors)),
            unknown=Unknown.of(met) if met and met.terms else None,
        )

    def to_json(self) -> dict[str, Any]:
        """The report as plain data."""
        return asdict(self)

    def __str__(self) -> str:
        above = ", above their mean in all" if self.by == "class" else ""
        title = f"The heaviest terms of each {self.by}{above}:"
        return f"{aligned(list(self._sizes()))}\n\n{title}\n{aligned(list(self._terms()))}"

    def _sizes(self) -> Iterator[tuple[str, str]]:
        each = self.nonzeros / max(self.documents, 1)
        times = self.bytes_dense / max(self.bytes_sparse, 1)
        yield "documents", f"{self.documents:,}" + (f", {self.empty:,} empty" * (self.empty > 0))
        yield "vocabulary", f"{self.vocabulary:,} terms"
        yield "non-zeros", f"{self.nonzeros:,}, {each:,.1f} a document"
        yield "density", f"{self.density:.3%}"
        yield "sparse", in_words(self.bytes_sparse)
        yield "dense", f"{in_words(self.bytes_dense)}, {times:,.0f} times as much"
        if self.unknown:
            yield "unknown", str(self.unknown)

    def _terms(self) -> Iterator[tuple[str, str]]:
        for name, terms in self.heaviest.items():
            yield f"  {name}", ", ".join(f"{term} {weight:.2f}" for term, weight in terms)


def heaviest(vectors: Vectors) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """The heaviest terms of each class, or of the first documents."""
    names = vectors.vectorizer.names
    for group, weights in _groups(vectors):
        best = np.argsort(-weights, kind="stable")[:TERMS]
        yield group, [(names[at], float(weights[at])) for at in best if weights[at] > 0]


def _groups(vectors: Vectors) -> Iterator[tuple[str, NDArray[np.float32]]]:
    if vectors.labels is None:
        return documents(vectors.matrix)
    return classes(vectors.matrix, vectors.labels, vectors.classes)


def documents(matrix: csr_array) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """The weights of the first documents."""
    for number, row in enumerate(matrix[:DOCUMENTS].toarray(), 1):
        yield str(number), row


def classes(
    matrix: csr_array, labels: NDArray[np.int32], names: Sequence[str]
) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """For each class, the largest first, the mean weights of its documents above that of all."""
    mean = matrix.mean(axis=0)
    sizes = np.bincount(labels, minlength=len(names))
    for number in np.argsort(-sizes, kind="stable")[:CLASSES]:
        yield names[number], matrix[labels == number].mean(axis=0) - mean
