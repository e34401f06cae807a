"""A run: what training leaves in a folder."""

import json
from pathlib import Path

import pytest
from train_texts import examples

from pellucid import PellucidError, UsageError
from pellucid.text.formats import Document, Layout
from pellucid.train.classifiers import CLASSIFIERS, Classifier, classifier
from pellucid.train.examples import Examples
from pellucid.train.linear import TfidfClassifier
from pellucid.train.run import ABOUT, Run

LAYOUT = Layout(text="sentence", label="y", columns=("y", "sentence"), delimiter="|")


@pytest.fixture
def run() -> Run:
    sets = {"train": examples(60), "dev": examples(30, 1)}
    return Run("tfidf", TfidfClassifier().fit(sets["train"]), LAYOUT).measured(sets)


def test_saved_and_loaded(run: Run, tmp_path: Path) -> None:
    run.save(tmp_path / "run")
    loaded = Run.load(tmp_path / "run")
    assert (loaded.kind, loaded.layout) == ("tfidf", LAYOUT)
    texts = examples(30, 2).texts
    assert list(loaded.model.predict(texts)) == list(run.model.predict(texts))
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert names == {ABOUT, "model.json", "model.npz", "report.json", "report.txt"}
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_the_report(run: Run, tmp_path: Path) -> None:
    run.save(tmp_path / "run")
    report = json.loads((tmp_path / "run" / "report.json").read_text())
    assert report["dev"]["accuracy"] == run.scores["dev"].accuracy
    assert report["train"]["examples"] == 60
    text = (tmp_path / "run" / "report.txt").read_text()
    assert text == f"{run}\n"
    assert text.startswith("model    TF-IDF and logistic regression\n")
    train, dev = text.partition("On train:")[2].split("On dev:")
    assert "weakest" not in train
    assert "weakest" in dev


def test_a_run_is_replaced_only_when_asked(run: Run, tmp_path: Path) -> None:
    run.save(tmp_path / "run")
    (tmp_path / "run" / "mark").touch()
    with pytest.raises(UsageError, match="exists already"):
        run.save(tmp_path / "run")
    run.save(tmp_path / "run", existing="replace")
    assert not (tmp_path / "run" / "mark").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_what_is_no_run_is_not_replaced(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").touch()
    with pytest.raises(UsageError, match=r"has no run\.json and so is not ours to replace"):
        run.save(tmp_path / "mine", existing="replace")
    with pytest.raises(UsageError, match="does not exist; make it first"):
        run.save(tmp_path / "no" / "run")
    with pytest.raises(PellucidError, match="could not be written"):
        run.save(Path("/proc/run"))


def test_a_save_that_fails_leaves_the_old_run(run: Run, tmp_path: Path, monkeypatch) -> None:
    run.save(tmp_path / "run")

    def full(folder: Path) -> None:
        (folder / "half").touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(run.model, "save", full)
    with pytest.raises(PellucidError, match="could not be written: No space left on device"):
        run.save(tmp_path / "run", existing="replace")
    assert Run.load(tmp_path / "run").kind == "tfidf"
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


@pytest.mark.parametrize(
    ("about", "sentence"),
    [
        ("{", "cannot be read"),
        ("[]", "cannot be read"),
        ('{"layout": {"colour": 1, "columns": []}, "model": "tfidf"}', "cannot be read"),
        ('{"layout": {"columns": []}, "model": "oracle"}', "There is no classifier 'oracle'"),
    ],
)
def test_a_broken_run(run: Run, tmp_path: Path, about: str, sentence: str) -> None:
    run.save(tmp_path / "run")
    (tmp_path / "run" / ABOUT).write_text(about)
    with pytest.raises(PellucidError, match=sentence):
        Run.load(tmp_path / "run")


def test_no_run(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"is no run of pellucid train; it has no run\.json"):
        Run.load(tmp_path)


def test_every_classifier_can_do_the_same() -> None:
    for name in CLASSIFIERS:
        assert isinstance(classifier(name)(), Classifier)


def test_examples_have_labels() -> None:
    documents = [Document("cat", "animal", 1), Document("dog", None, 2)]
    assert Examples.of(documents[:1]) == Examples(["cat"], ["animal"])
    with pytest.raises(PellucidError, match="The text of line 2 has no label"):
        Examples.of(documents)
    with pytest.raises(PellucidError, match=r"The label 'a\\ud83d' of line 7 is not valid Unicode"):
        Examples.of([Document("cat", "a\ud83d", 7)])
