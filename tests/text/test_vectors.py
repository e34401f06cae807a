"""Sparse vectors against scikit-learn's, against counting by hand, and on the disk."""

import json
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import SkipTestWarning
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator, estimator_checks_generator
from sklearn.utils.validation import check_is_fitted, validate_data

from pellucid import PellucidError, UsageError
from pellucid.text import counting, weights
from pellucid.text.columns import Met
from pellucid.text.storing import Vectors, load
from pellucid.text.vectors import Vectorizer
from pellucid.text.words import Analyzer

TEXTS = [
    "The cat chased the mouse, and the mouse ran.",
    "My keyboard and mouse are wireless; the mouse works.",
    "",
    "A café in the city: the cat sat by the keyboard.",
    "!!!",
    "The bank of the river was muddy, and so was the cat.",
]
THEIR_PATTERN = r"\b\w\w+\b"  # scikit-learn's own

THEIRS: dict[str, tuple[type[CountVectorizer], dict[str, Any]]] = {
    "one-hot": (CountVectorizer, {"binary": True}),
    "counts": (CountVectorizer, {}),
    "tfidf": (TfidfVectorizer, {}),
    "tfidf-log": (TfidfVectorizer, {"sublinear_tf": True}),
}
BOUNDS = [
    ({}, {}),
    ({"fewest": 2}, {"min_df": 2}),
    ({"fewest": 2, "most": 0.5}, {"min_df": 2, "max_df": 0.5}),
]


@pytest.fixture(params=[1, 30, 10_000])
def small(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of one text, of some, of all; nothing may depend on it."""
    for module, name in ((counting, "BLOCK"), (counting, "NUMBERS"), (weights, "ROWS")):
        monkeypatch.setattr(module, name, request.param)


def same(ours: scipy.sparse.csr_array, theirs: Any) -> None:
    np.testing.assert_allclose(ours.toarray(), theirs.toarray(), rtol=1e-6, atol=1e-7)
    assert ours.dtype == np.float32
    assert ours.has_canonical_format


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("ngrams", [(1, 1), (1, 2), (2, 3)])
@pytest.mark.parametrize(("bounds", "their_bounds"), BOUNDS)
@pytest.mark.parametrize("kind", THEIRS)
def test_equal_to_scikit_learn(kind: str, bounds: dict, their_bounds: dict, ngrams: Any) -> None:
    analyzer = Analyzer(pattern=THEIR_PATTERN, ngrams=ngrams)
    ours = Vectorizer(kind=kind, analyzer=analyzer, **bounds)
    make, settings = THEIRS[kind]
    theirs = make(ngram_range=ngrams, **settings, **their_bounds)
    if not bounds or ngrams == (1, 1):
        same(ours.fit_transform(TEXTS), theirs.fit_transform(TEXTS))
        assert list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out())
        same(
            ours.transform(["a mouse sat on the mouse"]),
            theirs.transform(["a mouse sat on the mouse"]),
        )


@pytest.mark.usefixtures("small")
def test_two_passes_are_one() -> None:
    vectorizer = Vectorizer(fewest=2)
    once = vectorizer.fit_transform(iter(TEXTS))
    vocabulary = dict(vectorizer.vocabulary_)
    twice = vectorizer.fit(iter(TEXTS)).transform(iter(TEXTS))
    assert vectorizer.vocabulary_ == vocabulary
    assert (once != twice).nnz == 0
    blocks = list(vectorizer.blocks(iter(TEXTS)))
    assert (once != scipy.sparse.vstack(blocks)).nnz == 0


@given(st.lists(st.text("abc ")))
def test_counts_of_any_texts(texts: list[str]) -> None:
    vectorizer = Vectorizer(kind="counts").fit(["a b c ab abc"])
    rows = vectorizer.transform(texts).toarray()
    assert rows.shape == (len(texts), 5)
    for text, row in zip(texts, rows, strict=True):
        found = Counter(word for word in text.split() if word in vectorizer.vocabulary_)
        assert found == {n: c for n, c in zip(vectorizer.names, row, strict=True) if c}


def test_hashed_columns_are_scikit_learns() -> None:
    ours = Vectorizer(kind="counts", analyzer=Analyzer(pattern=THEIR_PATTERN), hashed=16)
    theirs = HashingVectorizer(n_features=16, alternate_sign=False, norm=None)
    same(ours.fit_transform(TEXTS), theirs.fit_transform(TEXTS))
    assert ours.names[3] == "column 3"
    assert not ours.vocabulary_
    weighed = Vectorizer(hashed=16)
    assert (weighed.fit_transform(TEXTS) != weighed.transform(TEXTS)).nnz == 0


def test_the_most_frequent_terms() -> None:
    vectorizer = Vectorizer(terms=2).fit(TEXTS)
    assert vectorizer.names == ["cat", "the"]


def test_terms_that_are_met_without_a_column() -> None:
    met = Met()
    Vectorizer().fit(TEXTS).transform(["a dog, a dog, a fox"], met)
    assert met == Met(6, Counter(dog=2, fox=1))


def test_within_scikit_learn() -> None:
    texts, labels = TEXTS * 2, [0, 1, 0, 1, 0, 1] * 2
    pipeline = make_pipeline(Vectorizer(), LogisticRegression())
    analyzers = [Analyzer(ngrams=(1, 1)), Analyzer(ngrams=(1, 2)), str.split]
    search = GridSearchCV(pipeline, {"vectorizer__analyzer": analyzers}, cv=2, n_jobs=1)
    assert search.fit(texts, labels).score(texts, labels) > 0.5
    assert "kind='counts'" in repr(Vectorizer(kind="counts"))


class OnTables(Vectorizer):
    """Takes tables of numbers, which scikit-learn's checks are made of, and tells them in words."""

    def fit(self, X: Any, y: object = None) -> "OnTables":
        return super().fit(self._told(X, reset=True))

    def fit_transform(self, X: Any, y: object = None) -> scipy.sparse.csr_array:
        return super().fit_transform(self._told(X, reset=True))

    def transform(self, X: Any) -> scipy.sparse.csr_array:
        check_is_fitted(self)
        return super().transform(self._told(X, reset=False))

    def _told(self, X: Any, *, reset: bool) -> list[str]:
        table = validate_data(self, X, reset=reset)
        return [
            " ".join(
                f"x{at}is{round(2 * value)}".replace("-", "minus") for at, value in enumerate(row)
            )
            for row in table
        ]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = False, True
        tags.transformer_tags.preserves_dtype = []
        return tags


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("settings", [{}, {"kind": "counts"}, {"hashed": 64}], ids=str)
def test_it_passes_scikit_learns_checks_of_estimators(settings: dict) -> None:
    with pytest.warns(SkipTestWarning, match="string=True"):  # most want tables
        check_estimator(Vectorizer(**settings))
    checks = list(estimator_checks_generator(OnTables(**settings), legacy=True))
    assert len(checks) > 40
    for estimator, check in checks:
        if "array_api" not in str(check):
            check(estimator)


@pytest.mark.parametrize("settings", [{}, {"kind": "counts", "fewest": 2}, {"hashed": 16}], ids=str)
def test_saved_and_loaded(tmp_path: Path, settings: dict) -> None:
    analyzer = Analyzer(steps=("lower", "snowball"), ngrams=(1, 2))
    vectorizer = Vectorizer(analyzer=analyzer, **settings)
    matrix = vectorizer.fit_transform(TEXTS)
    labels = np.array([0, 1, 0, 1, 0, 1], np.int32)
    Vectors(vectorizer, matrix, labels, ("no", "yes")).save(tmp_path / "a.npz")
    loaded = Vectors.load(tmp_path / "a.npz")
    assert (loaded.matrix != matrix).nnz == 0
    assert (scipy.sparse.load_npz(tmp_path / "a.npz") != matrix).nnz == 0
    assert (loaded.vectorizer.transform(TEXTS) != matrix).nnz == 0
    assert loaded.vectorizer.get_params() == vectorizer.get_params()
    assert (loaded.classes, loaded.labels.tolist()) == (("no", "yes"), labels.tolist())
    assert {path.name for path in tmp_path.iterdir()} == {"a.npz", "a.json"}


def changed(**changes: Any) -> Any:
    def change(folder: Path) -> None:
        words = json.loads((folder / "a.json").read_text())
        (folder / "a.json").write_text(json.dumps(words | changes))

    return change


def pickled(folder: Path) -> None:
    np.savez(folder / "a.npz", having=np.array([{}], object), allow_pickle=True)


def short(folder: Path) -> None:
    content = (folder / "a.npz").read_bytes()
    (folder / "a.npz").write_bytes(content[: len(content) // 2])


def without(name: str) -> Any:
    def remove(folder: Path) -> None:
        with zipfile.ZipFile(folder / "a.npz") as old, zipfile.ZipFile(folder / "b", "w") as new:
            for each in old.namelist():
                if each != f"{name}.npy":
                    new.writestr(each, old.read(each))
        (folder / "b").replace(folder / "a.npz")

    return remove


def outside(folder: Path) -> None:
    with np.load(folder / "a.npz") as file:
        numbers = dict(file)
    numbers["indices"] = numbers["indices"] + 1_000_000
    np.savez(folder / "a.npz", **numbers)


BROKEN = {
    "a truncated file": short,
    "a pickle": pickled,
    "another format": changed(format=2),
    "an unknown kind": changed(kind="sum"),
    "an unknown step": changed(analyzer={**Analyzer().to_json(), "steps": ["reverse"]}),
    "fewer terms": changed(vocabulary={"cat": 0}),
    "columns twice": changed(vocabulary=dict.fromkeys(map(str, range(24)), 0)),
    "no numbers": without("having"),
    "no matrix": without("data"),
    "columns outside the matrix": outside,
    "no JSON": lambda folder: (folder / "a.json").write_text("{"),
    "no object": lambda folder: (folder / "a.json").write_text("[]"),
    "no file of words": lambda folder: (folder / "a.json").unlink(),
}


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("name", BROKEN)
def test_broken_files(tmp_path: Path, name: str) -> None:
    vectorizer = Vectorizer()
    Vectors(vectorizer, vectorizer.fit_transform(TEXTS)).save(tmp_path / "a.npz")
    BROKEN[name](tmp_path)
    with pytest.raises(PellucidError) as raised:
        Vectors.load(tmp_path / "a.npz")
    assert any(known in str(raised.value) for known in ("a.npz", "a.json", "'reverse'", "'sum'"))


def test_nothing_is_written_over(tmp_path: Path) -> None:
    vectorizer = Vectorizer()
    vectors = Vectors(vectorizer, vectorizer.fit_transform(TEXTS))
    (tmp_path / "a.json").write_text("old")
    with pytest.raises(UsageError, match="exists already"):
        vectors.save(tmp_path / "a.npz")
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]
    vectors.save(tmp_path / "a.npz", existing="replace")
    assert load(tmp_path / "a.npz")[0].vocabulary_ == vectorizer.vocabulary_


def test_a_function_of_ones_own_cannot_be_saved(tmp_path: Path) -> None:
    vectorizer = Vectorizer(analyzer=str.split)
    vectors = Vectors(vectorizer, vectorizer.fit_transform(TEXTS))
    with pytest.raises(UsageError, match="use pellucid's Analyzer"):
        vectors.save(tmp_path / "a.npz")
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("settings", "texts", "sentence"),
    [
        ({"kind": "sum"}, TEXTS, "no kind 'sum' of vectors; take one-hot, counts, tfidf"),
        ({"fewest": 0}, TEXTS, "fewest is 0; expected is a whole number, 1 or more."),
        ({"fewest": 0.5}, TEXTS, "fewest is 0.5; expected is a whole number, 1 or more."),
        ({"most": 2}, TEXTS, "most is 2; expected is a share, 0 to 1."),
        ({"terms": -1}, TEXTS, "terms is -1; expected is a whole number, 1 or more, or None."),
        ({"terms": 1.5}, TEXTS, "terms is 1.5; expected is"),
        ({"hashed": 0}, TEXTS, "hashed is 0; expected is"),
        ({"hashed": True}, TEXTS, "hashed is True; expected is"),
        ({"fewest": 9}, TEXTS, "No term is in 9 or more of 6 texts"),
        ({"hashed": 9, "fewest": 2}, TEXTS, "Of hashed columns none can be left out"),
        ({}, ["!", "?"], "No word was found in the texts"),
        ({}, [], "No word was found in the texts"),
    ],
)
def test_a_request_that_makes_no_sense(settings: dict, texts: list[str], sentence: str) -> None:
    with pytest.raises(PellucidError) as raised:
        Vectorizer(**settings).fit_transform(texts)
    assert sentence in str(raised.value)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("settings", [{"fewest": np.int64(2)}, {"most": 1}, {"terms": np.int32(3)}])
def test_numbers_of_numpy_are_numbers(settings: dict) -> None:
    plain = {name: int(value) for name, value in settings.items()}
    ours, same = (Vectorizer(**each).fit(TEXTS) for each in (settings, plain))
    assert ours.names == same.names


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("texts", ["one text", [None], [b"bytes"], [float("nan")]])
def test_what_is_no_text(texts: Any) -> None:
    with pytest.raises(ValueError, match="expected"):
        Vectorizer().fit(texts)
