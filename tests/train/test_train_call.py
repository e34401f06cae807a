"""`pellucid.train(...)`: from data to a model and a report."""

from pathlib import Path
from typing import get_args

import pytest
from train_texts import examples

import pellucid
from pellucid import PellucidError, UsageError
from pellucid.nn.config import Norm, Positions
from pellucid.train.examples import Examples
from pellucid.train.run import Run
from pellucid.train.transformer import TransformerClassifier

SMALL = {"width": 16, "layers": 1, "heads": 2, "vocabulary": 300, "rate": 0.01, "steps": 5}
NUMBERS = "one two three four five six seven eight nine ten".split()
ENGLISH = [f"{a} and {b}" for a in NUMBERS for b in NUMBERS[:3]]
TURNED = [" ".join(reversed(text.split())) for text in ENGLISH]
BOOKS = ["\n\n".join(ENGLISH), "\n\n".join(TURNED)]
HERE = Path(__file__)
DATA = {
    "classify": examples(40),
    "generate": BOOKS,
    "translate": (ENGLISH, TURNED),
    "bert": BOOKS,
}


@pytest.mark.parametrize("task", DATA)
def test_of_data_that_are_here_already(task: str) -> None:
    model, report = pellucid.train(task, DATA[task], **SMALL, longest=32)
    assert report.model.state.step == 5
    assert report.model.model is model
    assert not model.training
    assert "Transformer" in str(report)


def test_of_a_file_and_into_a_folder(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text(BOOKS[0])
    model, report = pellucid.train(
        "generate", tmp_path / "text.txt", out=tmp_path / "run", **SMALL, longest=16
    )
    assert (tmp_path / "run" / "report.txt").read_text() == f"{report}\n"
    again = pellucid.load(tmp_path / "run")
    ours, theirs = (each.see("one and two")["head.logits"] for each in (model, again))
    assert (ours == theirs).all()


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("generate", {"longest": 300}),
        ("generate", {"longest": 16, "documents": "joined"}),
        ("bert", {"longest": 32, "masked": 0.5}),
    ],
)
def test_a_run_read_back_measures_as_it_did(tmp_path: Path, task: str, said: dict) -> None:
    files, out = [tmp_path / "a.txt", tmp_path / "b.txt"], tmp_path / "run"
    books = ["\n\n".join([book] * 4) for book in BOOKS]
    for file, book in zip(files, books, strict=True):
        file.write_text(book)
    _, report = pellucid.train(task, files, files, out=out, **{**SMALL, **said})
    again = Run.load(out).model.score(books)
    assert again.summary() == report.scores["dev"].summary()


def test_a_classifier_tells_classes_and_how_sure_it_is() -> None:
    more = {"steps": 60, "rows": 32, "warmup": 10}
    _, report = pellucid.train("classify", examples(200), examples(60, 1), **{**SMALL, **more})
    assert report.scores["dev"].accuracy > 0.85
    guesses = list(report.model.guess(["the cat is here", "soup was the salt"]))
    assert [guess.label for guess in guesses] == ["animal", "food"]
    assert all(1 / 3 < guess.probability < 1 for guess in guesses)


def test_the_answer_to_a_text_does_not_depend_on_its_neighbours() -> None:
    _, report = pellucid.train("classify", examples(40), **SMALL)
    texts = ["cat", "the keyboard was my screen here and there", "soup"]
    alone = [report.model.probabilities([text])[0] for text in texts]
    for one, together in zip(alone, report.model.probabilities(texts), strict=True):
        assert one == pytest.approx(together, abs=1e-6)


def test_saved_and_loaded(tmp_path: Path) -> None:
    model = TransformerClassifier.seeded(3)
    assert model.settings.seed == 3
    _, report = pellucid.train("classify", examples(40), **SMALL)
    report.model.save(tmp_path)
    again = TransformerClassifier.load(tmp_path)
    texts = examples(20, 2).texts
    assert list(again.guess(texts)) == list(report.model.guess(texts))
    assert again.classes == ("animal", "food", "tech")


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("task", "data", "settings", "sentence"),
    [
        ("oracle", "a", {}, "task is 'oracle'; the choices are classify, generate"),
        ("generate", "no.txt", {}, "There is no file no.txt."),
        ("generate", BOOKS, {"colour": 1}, "There is no setting 'colour'"),
        ("generate", BOOKS, {"layer": 1}, "There is no setting 'layer'; did you mean layers?"),
        ("generate", BOOKS, {"schedule": "sine"}, "schedule is 'sine'; the choices are constant"),
        ("translate", (ENGLISH, TURNED[1:]), {}, "30 sources came with 29 targets"),
        ("translate", ENGLISH, {}, "translate learns from files or a pair of lists; list came."),
        ("classify", (ENGLISH, TURNED), {}, "classify learns from files or Examples; tuple came."),
        ("generate", map(str, NUMBERS), {}, "files or a list of texts; map came."),
        ("classify", Examples([], []), {}, "No text came; give at least some."),
        ("generate", BOOKS, {"valid": []}, "No text came; give at least some."),
        ("generate", BOOKS, {"valid": HERE}, "Of data and valid one is a file and one is not"),
        ("bert", HERE, {"valid": BOOKS}, "Of data and valid one is a file and one is not"),
        ("generate", BOOKS, {"rate": "0.1"}, "rate is '0.1'; expected is a number, 0 or more."),
        ("generate", BOOKS, {"start": 3}, "start is 3; expected is a name."),
    ],
)
def test_what_makes_no_sense(task: str, data: object, settings: dict, sentence: str) -> None:
    with pytest.raises(PellucidError, match=sentence):
        pellucid.train(task, data, **settings)


def test_two_lists_are_a_pair_however_they_are_held_together() -> None:
    _, report = pellucid.train("translate", [ENGLISH, TURNED], **SMALL, longest=32)
    assert report.model.state.step == 5


def test_a_path_names_a_model(tmp_path: Path) -> None:
    out = tmp_path / "run"
    pellucid.train("generate", BOOKS, out=out, **SMALL, longest=16)
    _, tuned = pellucid.train("generate", BOOKS, start=out, out=tmp_path / "tuned", steps=1)
    _, student = pellucid.distill(out, BOOKS, out=tmp_path / "student", steps=1)
    assert (tuned.model.settings.start, student.model.settings.teacher) == (str(out), str(out))


def test_a_run_of_data_without_files_cannot_go_on(tmp_path: Path) -> None:
    from pellucid.train.training import resume

    pellucid.train("generate", BOOKS, out=tmp_path / "run", **SMALL, longest=16)
    with pytest.raises(UsageError, match="trained on data that came from no files"):
        resume(tmp_path / "run", {})


CHOICES = [
    *({"positions": name} for name in get_args(Positions)),
    *({"norm": name} for name in get_args(Norm) if name != "none"),
    {"place": "post"},
    {"init": "xavier"},
]


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: "-".join(*choice.items()))
def test_the_parts_of_a_model_can_be_exchanged(choice: dict[str, str]) -> None:
    _, report = pellucid.train("generate", BOOKS, **{**SMALL, "steps": 2}, longest=16, **choice)
    assert report.model.state.step == 2
    assert report.model.state.measured[-1][2] < 8
