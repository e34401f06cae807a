"""Checkpoints of others as classifiers: what they tell of a text, as config.json says."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

import pellucid
from pellucid import UsageError
from pellucid.checks import specimens
from pellucid.text.training import train
from pellucid.train.examples import Examples
from pellucid.train.settings import usual
from pellucid.train.transformer import TransformerClassifier

TEXT = "the cat sat"


@pytest.fixture
def classifier(tmp_path: Path) -> Any:
    """A function to the specimen's model, with further settings and a tokenizer of words."""

    def made(name: str, **settings: Any) -> pellucid.Model:
        path = specimens.build(name, tmp_path / "model") / "config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | settings))
        model = pellucid.load(path.parent)
        model.tokenizer = train([TEXT], kind="words", size=20)
        return model

    return made


def test_each_class_has_a_chance_of_its_own_where_a_text_may_have_several(classifier) -> None:
    model = classifier("BERT, classes", problem_type="multi_label_classification")
    ids = torch.tensor([model.tokenizer.encode(TEXT).ids])
    with torch.no_grad():
        expected = model(ids).classes.sigmoid()
    told = TransformerClassifier.of(model)
    assert told.probabilities([TEXT]) == pytest.approx(expected.numpy(), abs=1e-6)
    names = [f"LABEL_{at}" for at, p in enumerate(expected[0]) if p > 0.5]
    assert list(told.predict([TEXT])) == [",".join(names)]


@pytest.mark.parametrize("said", [None, "single_label_classification"])
def test_else_the_chances_are_one_together(classifier, said: str | None) -> None:
    told = TransformerClassifier.of(classifier("BERT, classes", problem_type=said))
    assert told.probabilities([TEXT]).sum() == pytest.approx(1)


def test_who_learned_several_labels_and_then_one_tells_one(tmp_path: Path) -> None:
    texts, small = [TEXT] * 4, {"width": 8, "layers": 1, "heads": 2, "inner": 8}
    several = TransformerClassifier(usual(task="classify", steps=1, **small), ";")
    several.fit(Examples(texts, ["a", "a;b"] * 2)).save(tmp_path / "several")
    start = str(tmp_path / "several")
    one = TransformerClassifier(usual(task="classify", steps=1, start=start))
    one.fit(Examples(texts, ["a", "b"] * 2)).save(tmp_path / "one")
    assert TransformerClassifier.load(tmp_path / "several").sign == ";"
    assert TransformerClassifier.load(tmp_path / "one").sign == ""


@pytest.mark.parametrize(
    ("name", "settings", "said"),
    [
        ("BERT, body", {}, "tells no classes; give"),
        ("BERT, tokens", {}, "tells a class of each token, and none of a text; give"),
        ("BERT, classes", {"problem_type": "regression"}, "measures a text, and tells no classes"),
    ],
)
def test_what_tells_no_class_of_a_text_is_refused(classifier, name, settings, said) -> None:
    with pytest.raises(UsageError, match=said):
        TransformerClassifier.of(classifier(name, **settings))


def test_a_single_number_is_no_class(classifier, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, settings = specimens.SPECIMENS["BERT, classes"]
    one = {"BERT, one": (kind, settings | {"num_labels": 1})}
    monkeypatch.setattr(specimens, "SPECIMENS", one)
    with pytest.raises(UsageError, match="measures a text, and tells no classes"):
        TransformerClassifier.of(classifier("BERT, one"))
