"""`pellucid.distill(...)`: from a teacher and data to a student and what it kept."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from test_train_call import BOOKS, DATA, ENGLISH, SMALL, TURNED
from train_texts import examples

import pellucid
from pellucid import PellucidError, UsageError
from pellucid.train.distilling import task_of
from pellucid.train.loop import Learning
from pellucid.train.outcome import TABLE
from pellucid.train.training import resume
from pellucid.train.watching import depths

TEACHER = {**SMALL, "layers": 2, "heads": 2, "steps": 3, "longest": 32}
STUDENT = {"layers": 1, "steps": 4, "rows": 8, "longest": 32}


@pytest.fixture(scope="module")
def teachers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A teacher for each task, of few steps."""
    home = tmp_path_factory.mktemp("teachers")
    for task, data in DATA.items():
        pellucid.train(task, data, out=home / task, **TEACHER)
    return home


@pytest.mark.parametrize("task", DATA)
@pytest.mark.parametrize("width", [16, 8])
def test_a_student_of_every_teacher(teachers: Path, task: str, width: int) -> None:
    teacher = str(teachers / task)
    student, report = pellucid.distill(
        teacher, DATA[task], width=width, match_states=0.1, match_attention=0.1, **STUDENT
    )
    large = pellucid.load(teacher)
    assert task_of(large) == task_of(student) == task
    assert set(depths(student).values()) == {1}
    assert student.config.width == width
    assert student.tokenizer.inner.to_str() == large.tokenizer.inner.to_str()
    kept = report.model.outcome
    assert kept.student.parameters == sum(p.numel() for p in student.parameters())
    assert 0 < kept.kept()["parameters"] < 1
    assert kept.kept()["speed"] > 0
    assert "student / teacher" in str(report)
    assert "they disagree most on" in str(report)


def test_what_a_run_leaves(teachers: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    student, report = pellucid.distill(
        str(teachers / "classify"), examples(40), examples(20, 1), out=out, **STUDENT
    )
    told = json.loads((out / "student.json").read_text())
    assert told["kept"]["told right"] * told["teacher"]["quality"]["told right"] == pytest.approx(
        told["student"]["quality"]["told right"]
    )
    head, *rows = (out / TABLE).read_text().splitlines()
    assert head.split("\t")[-1] == "text"
    assert len(rows) == told["examples"] == 20
    answers = [[cell.split()[0] for cell in row.split("\t")[:2]] for row in rows]
    differ = [a != b for a, b in answers]
    assert differ == sorted(differ, reverse=True)
    again = pellucid.load(out)
    a, b = (each.see("the cat is here")["classes.logits"] for each in (student, again))
    assert torch.equal(a, b)
    assert str(report.model.outcome) in (out / "report.txt").read_text()


def test_a_run_that_was_killed_goes_on(teachers: Path, tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "text.txt").write_text("\n\n".join(BOOKS))
    how = {**STUDENT, "save": 2, "match_states": 0.5, "width": 8, "keep": "last"}
    given = str(teachers / "generate"), tmp_path / "text.txt"
    whole, _ = pellucid.distill(*given, out=tmp_path / "whole", **how)
    take = Learning._step

    def killed(learning: Learning, batches: list) -> None:
        if learning.state.step == 2:
            raise KeyboardInterrupt
        take(learning, batches)

    monkeypatch.setattr(Learning, "_step", killed)
    with pytest.raises(KeyboardInterrupt):
        pellucid.distill(*given, out=tmp_path / "cut", **how)
    monkeypatch.setattr(Learning, "_step", take)
    monkeypatch.setattr("pellucid.train.taught.ask", lambda *_: pytest.fail("asked again"))
    run = resume(tmp_path / "cut", {})
    assert run.model.state.step == 4
    for name, tensor in run.model.model.state().items():
        assert torch.equal(tensor, whole.state()[name]), name


def test_a_run_goes_on_with_no_other_teacher(teachers: Path, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("\n\n".join(BOOKS))
    teacher = tmp_path / "teacher"
    shutil.copytree(teachers / "generate", teacher)
    out = tmp_path / "run"
    pellucid.distill(str(teacher), tmp_path / "text.txt", out=out, **STUDENT)
    pellucid.train("generate", BOOKS, out=teacher, existing="replace", **TEACHER, seed=7)
    before = (out / "teacher" / "about.json").read_bytes()
    with pytest.raises(PellucidError, match="The weights of the teacher are not those that this"):
        resume(out, {"steps": 6})
    assert (out / "teacher" / "about.json").read_bytes() == before


def test_the_teachers_translations_take_the_place_of_the_right_ones(teachers: Path) -> None:
    teacher = str(teachers / "translate")
    data = ENGLISH[:8], TURNED[:8]
    _, report = pellucid.distill(
        teacher, data, data, level="sequences", beams=2, width=16, **STUDENT
    )
    assert report.model.settings.taught == 0
    assert report.model.outcome.examples == 8


def test_a_student_with_pieces_of_its_own(teachers: Path) -> None:
    teacher = str(teachers / "classify")
    student, report = pellucid.distill(
        teacher, examples(40), pieces="own", width=8, vocabulary=265, heads=2, **STUDENT
    )
    assert student.config.vocabulary < pellucid.load(teacher).config.vocabulary
    assert report.model.outcome.student.quality.keys() == {"told right"}


@pytest.mark.parametrize(
    ("task", "said", "sentence"),
    [
        ("classify", {"width": 32}, "The width of a student can be 1 to the teacher's 16; 32 came"),
        ("classify", {"layers": 3}, "The layers of a student can be 1 to the teacher's 2"),
        ("classify", {"level": "sequences"}, "does not translate, so level is words"),
        ("generate", {"pieces": "own"}, "only in the teacher's pieces"),
        ("classify", {"width": 7, "heads": 2}, "width 7 cannot be cut into 2 equal heads"),
        ("classify", {"heads": 4}, "A student as wide as its teacher has its 2 heads; 4 came"),
        ("classify", {"positions": "rotary"}, "positions is as in .*classify, which teaches"),
        ("bert", {"longest": 64}, "longest is as in .*bert, which teaches; leave it out"),
        ("generate", {"masked": 0.3}, "generate has nothing to do with masked"),
        ("classify", {"taught": 2.0}, "taught is 2.0; expected is a number, 0 to 1"),
        ("classify", {"temperature": 0.0}, "temperature is 0.0; expected is a number, more than 0"),
        ("classify", {"match_states": 1.0, "compile": "blocks"}, "cannot be watched"),
    ],
)
def test_what_cannot_be_is_said(teachers: Path, task: str, said: dict, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        pellucid.distill(str(teachers / task), DATA[task], **{**STUDENT, **said})


def test_a_teacher_must_know_what_it_teaches(teachers: Path) -> None:
    with pytest.raises(UsageError, match="tells no classes and no words"):
        pellucid.distill("mouse", examples(20))
    other = examples(20, classes=("animal", "tech"))
    other.labels[3] = "weather"
    with pytest.raises(PellucidError, match=r"Text .* has the label 'weather', which the teacher"):
        pellucid.distill(str(teachers / "classify"), other, **STUDENT)
