"""Sparse vectors: each text a row of numbers, each term a column.

vectorizer = Vectorizer(kind="tfidf", analyzer=Analyzer(ngrams=(1, 2)))
matrix = vectorizer.fit_transform(texts)      # scipy.sparse.csr_array [texts, terms], float32
vectorizer.get_feature_names_out()            # the terms, in the order of the columns
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from pellucid.errors import PellucidError, UsageError
from pellucid.text.columns import Growing, Hashed, Known, Met
from pellucid.text.counting import Rows, Tally, Terms, counted, reordered
from pellucid.text.weights import KINDS, Kind, inverse_frequency, weighed
from pellucid.text.words import USUAL


def whole(number: Any) -> bool:
    """Whether it is a number of things, and there are some."""
    return isinstance(number, Integral) and not isinstance(number, bool) and int(number) >= 1


# what the numbers among the settings may be, in words
COUNT, SHARE = "a whole number, 1 or more", "a share, 0 to 1"
ANY = f"{COUNT}, or None"
FITS: Mapping[str, Callable[[Any], bool]] = {
    COUNT: whole,
    ANY: lambda x: x is None or whole(x),
    SHARE: lambda x: isinstance(x, Real) and 0 <= float(x) <= 1,
}
RANGES = {"fewest": COUNT, "most": SHARE, "terms": ANY, "hashed": ANY}


@dataclass(kw_only=True, eq=False, repr=False)
class Vectorizer(TransformerMixin, BaseEstimator):
    """From texts to a sparse matrix; an estimator of scikit-learn.

    A term has a column if it is in at least `fewest` texts and in at most the share `most` of
    them, and is one of the `terms` that are in most. With `hashed` a term's column is its hash,
    among so many: no term is remembered, and several may share a column. The `analyzer` is any
    function from a text to its terms.

    Texts may be any iterable and are read as a stream. `fit_transform` reads it once, and holds
    the counts of all terms until it is known which have a column; `fit`, then `transform`, read
    it twice and hold the counts of those only.
    """

    kind: Kind = "tfidf"
    analyzer: Terms = USUAL
    fewest: int = 1
    most: float = 1.0
    terms: int | None = None
    hashed: int | None = None

    def fit(self, texts: Iterable[str], y: object = None) -> "Vectorizer":
        """Learn which terms there are, and in how many texts each is."""
        self._learn(texts, None)
        return self

    def fit_transform(self, texts: Iterable[str], y: object = None) -> csr_array:
        """Learn the same, and give the matrix of these texts."""
        rows = Rows()
        order = self._learn(texts, rows)
        return weighed(reordered(rows.matrix(), order), self.kind, self.idf_)

    def transform(self, texts: Iterable[str], met: Met | None = None) -> csr_array:
        """The matrix of these texts; `met` is told the terms that have no column."""
        check_is_fitted(self)
        rows = Rows(len(self.idf_))
        for block in self.blocks(texts, met):
            rows.append(block)
        return rows.matrix()

    def blocks(self, texts: Iterable[str], met: Met | None = None) -> Iterator[csr_array]:
        """The same matrix, some rows at a time: for more of it than memory holds."""
        columns = Hashed(self.hashed) if self.hashed else Known(self.vocabulary_, met)
        for block in counted(texts, self.analyzer, columns):
            yield weighed(block, self.kind, self.idf_)

    @property
    def names(self) -> list[str]:
        """What each column stands for: its term, or where terms are hashed its number."""
        check_is_fitted(self)
        if self.hashed:
            return [f"column {number}" for number in range(self.hashed)]
        return sorted(self.vocabulary_, key=self.vocabulary_.__getitem__)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """The same for scikit-learn."""
        return np.array(self.names, object)

    def _learn(self, texts: Iterable[str], rows: Rows | None) -> NDArray[np.int32]:
        """Count all terms; which columns of the count are the matrix's, one after another."""
        self.check()
        columns = Hashed(self.hashed) if self.hashed else Growing()
        tally = Tally()
        for block in counted(texts, self.analyzer, columns):
            tally.add(block)
            if rows is not None:
                rows.append(block)
        order = columns.settle(self._kept(tally))
        self.know(columns.vocabulary, tally.texts, tally.having[order])
        return order

    def know(self, vocabulary: Mapping[str, int], texts: int, having: NDArray[np.int64]) -> None:
        """Take for learned: each term's column, how many texts, and how many have the term."""
        self.vocabulary_, self.texts_, self.having_ = vocabulary, texts, having
        self.idf_ = inverse_frequency(texts, having)

    def _kept(self, tally: Tally) -> NDArray[np.bool_]:
        """Which of the columns that were counted the matrix will have."""
        if not tally.having.any():
            raise PellucidError("No word was found in the texts; is the pattern right?")
        kept = (tally.having >= self.fewest) & (tally.having <= self.most * tally.texts)
        if self.terms is not None and kept.sum() > self.terms:
            rarest_last = np.argsort(-tally.having * kept, kind="stable")
            kept[rarest_last[self.terms :]] = False
        if not kept.any():
            raise UsageError(
                f"No term is in {self.fewest} or more of {tally.texts:,} texts and in at most "
                f"{self.most:.0%} of them; widen these bounds."
            )
        return kept

    def check(self) -> None:
        """Say what is wrong with the settings."""
        if self.kind not in KINDS:
            raise UsageError(f"There is no kind {self.kind!r} of vectors; take {', '.join(KINDS)}.")
        for name, expected in RANGES.items():
            if not FITS[expected](value := getattr(self, name)):
                raise UsageError(f"{name} is {value!r}; expected is {expected}.")
        if self.hashed and (self.fewest, self.most, self.terms) != (1, 1.0, None):
            raise UsageError("Of hashed columns none can be left out; they have no terms.")

    def __sklearn_tags__(self) -> Tags:
        """It takes strings, one a text, and no table of numbers."""
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        return tags
