"""The linear rival: it learns, it is scikit-learn's model, and it comes back from the disk."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from train_texts import examples

from pellucid import PellucidError, UsageError
from pellucid.text.storing import load, save
from pellucid.text.vectors import Vectorizer
from pellucid.train.examples import Examples
from pellucid.train.linear import FILE, TfidfClassifier, usual_vectorizer
from pellucid.train.run import measure

SETS = [("animal", "tech"), ("animal", "tech", "food")]


@pytest.mark.parametrize("classes", SETS, ids=len)
def test_it_answers_as_scikit_learns_pipeline(classes: tuple[str, ...]) -> None:
    known, new = examples(60, 0, classes), examples(200, 1, classes)
    model = TfidfClassifier().fit(known)
    theirs = make_pipeline(usual_vectorizer(), LogisticRegression(C=30, max_iter=1000))
    theirs.fit(known.texts, known.labels)
    assert list(model.predict(new.texts)) == theirs.predict(new.texts).tolist()
    assert measure(model, new).accuracy > 0.9
    assert model.classes == tuple(sorted(classes))
    assert model.weights.shape == (len(classes), len(model.vectorizer.idf_))


def test_what_speaks_for_a_class() -> None:
    lessons = TfidfClassifier().fit(examples(200, 0, SETS[0])).lessons()
    animal, tech = lessons.splitlines()[1:]
    assert animal.split()[0] == "animal"
    assert "cat" in animal
    assert "cat" not in tech
    assert "keyboard" in tech


def test_it_learns_the_same_again() -> None:
    first, second = (TfidfClassifier().fit(examples(60)) for _ in range(2))
    assert np.array_equal(first.weights, second.weights)


def test_saved_and_loaded(tmp_path: Path) -> None:
    model = TfidfClassifier(Vectorizer(kind="counts", fewest=2), freedom=2).fit(examples(60))
    model.save(tmp_path)
    loaded = TfidfClassifier.load(tmp_path)
    new = examples(50, 1).texts
    assert list(loaded.predict(new)) == list(model.predict(new))
    assert np.array_equal(loaded.weights, model.weights)
    assert (loaded.classes, loaded.freedom, loaded.facts()) == (model.classes, 2, model.facts())


def test_weights_of_another_shape(tmp_path: Path) -> None:
    model = TfidfClassifier().fit(examples(60))
    model.save(tmp_path)
    vectorizer, words, numbers = load(tmp_path / FILE)
    numbers = {"weights": numbers["weights"][:, 1:], "bias": numbers["bias"]}
    words = {name: words[name] for name in ("classes", "freedom")}
    save(tmp_path / FILE, vectorizer, words, numbers, existing="replace")
    with pytest.raises(PellucidError, match="weights of shape"):
        TfidfClassifier.load(tmp_path)


def test_one_class_is_none() -> None:
    with pytest.raises(PellucidError, match="All texts have the label 'x'; two labels are needed"):
        TfidfClassifier().fit(Examples(["a", "b"], ["x", "x"]))


@pytest.mark.parametrize("freedom", [0.0, -1.0, float("nan")])
def test_weights_need_some_freedom(freedom: float) -> None:
    with pytest.raises(UsageError, match=f"freedom is {freedom!r}; expected is a number, more"):
        TfidfClassifier(freedom=freedom)
