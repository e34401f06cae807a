"""Scores: by hand, and as scikit-learn has them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score

from pellucid.train.score import ClassScore, Score

TRUTH, ANSWERS = "a a a b b c".split(), "a a b b d c".split()


def test_by_hand() -> None:
    score = Score.of(TRUTH, ANSWERS)
    assert score.accuracy == 4 / 6
    assert score.classes == [
        ClassScore("a", 3, 1.0, 2 / 3, 4 / 5),
        ClassScore("b", 2, 1 / 2, 1 / 2, 1 / 2),
        ClassScore("c", 1, 1.0, 1.0, 1.0),
        ClassScore("d", 0, 0.0, 0.0, 0.0),
    ]
    assert score.macro_f1 == pytest.approx((4 / 5 + 1 / 2 + 1 + 0) / 4)
    assert score.mistakes == [("a", "b", 1), ("b", "d", 1)]
    assert score.summary() == {"accuracy": score.accuracy, "macro_f1": score.macro_f1}


LETTERS = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), min_size=1)


@given(LETTERS)
def test_as_scikit_learn_has_it(pairs: list[tuple[str, str]]) -> None:
    truth, answers = zip(*pairs, strict=True)
    score = Score.of(truth, answers)
    assert score.accuracy == pytest.approx(accuracy_score(truth, answers))
    assert score.macro_f1 == pytest.approx(
        f1_score(truth, answers, average="macro", zero_division=0)
    )
    assert sum(each.examples for each in score.classes) == len(truth)


def test_as_a_person_reads_it() -> None:
    lines = str(Score.of(TRUTH, ANSWERS)).splitlines()
    assert lines[:2] == ["accuracy  66.7%  of 6 examples", "macro F1  57.5%  over 4 classes"]
    assert lines[3].split() == ["weakest", "classes", "examples", "precision", "recall", "F1"]
    assert lines[4].split() == ["d", "0", "0.0%", "0.0%", "0.0%"]
    assert lines[-1].split() == ["b", "d", "1"]
    assert "mistakes" not in str(Score.of(["a"], ["a"]))
