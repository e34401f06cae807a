"""`pellucid distill`: from a teacher's folder and files to a smaller one."""

import json
import tomllib
from pathlib import Path

import pytest
from test_training_command import BRIEF, LINES, NUMBERS

import pellucid

STUDENT = ("--layers", "1", "--steps", "4", "--measure", "2")


@pytest.fixture(autouse=True)
def data(tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text("\n".join(["text\tlabel", *LINES]))
    english = [f"{a} and {b}" for a in NUMBERS for b in NUMBERS[:2]]
    turned = [" ".join(text.split()[::-1]) for text in english]
    (tmp_path / "train.en").write_text("\n".join(english))
    (tmp_path / "train.xx").write_text("\n".join(turned))
    pairs = [f"{a}\t{b}" for a, b in zip(english, turned, strict=True)]
    (tmp_path / "pairs.tsv").write_text("\n".join(["english\tturned", *pairs]))


def test_of_classes(run, tmp_path: Path) -> None:
    run("train", "classify", "train.tsv", *BRIEF, "--layers", "2", "--out", "teacher")
    ran = run("distill", "teacher", "train.tsv", *STUDENT, "--width", "8", "--out", "run")
    assert (ran.status, ran.err) == (0, "saved: run\n")
    assert ran.out == (tmp_path / "run" / "report.txt").read_text()
    assert "student / teacher" in ran.out
    settings = tomllib.loads((tmp_path / "run" / "settings.toml").read_text())
    assert settings["teacher"]["teacher"] == "teacher"
    assert settings["model"] | {"width": 8, "layers": 1, "heads": 1} == settings["model"]
    rows = (tmp_path / "run" / "disagreements.tsv").read_text().splitlines()
    assert rows[0] == "teacher\tstudent\tteacher_nats\tstudent_nats\ttext"
    assert run("train", "--resume", "run", "--set", "steps=6").status == 0
    word, text = "was", rows[1].split("\t")[-1]
    ran = run("compare", "--model", "teacher", "--other", "run", "--word", word, text)
    assert ran.status == 0


@pytest.mark.parametrize("files", [("train.en", "train.xx"), ("pairs.tsv",)])
def test_of_the_teachers_own_translations(run, tmp_path: Path, files: tuple[str, ...]) -> None:
    columns = ("--text", "english", "--pair", "turned") if len(files) == 1 else ()
    run("train", "translate", *files, *columns, *BRIEF, "--out", "teacher")
    how = ("--level", "sequences", "--beams", "1", *STUDENT, "--out", "run")
    ran = run("distill", "teacher", *files, *columns, *how)
    assert ran.status == 0, ran.err
    settings = tomllib.loads((tmp_path / "run" / "settings.toml").read_text())
    assert settings["teacher"]["taught"] == 0
    said = (tmp_path / settings["files"]["files"][-1]).read_text().splitlines()
    assert len(said) == len((tmp_path / "train.en").read_text().splitlines())
    teacher = pellucid.load(tmp_path / "teacher")
    best = teacher.translate("one and two", beams=1)[0].text
    if columns:
        said = [json.loads(line)["turned"] for line in said]
    assert " ".join(best.split()) == said[1]
    assert run("train", "--resume", "run", "--set", "steps=5").status == 0


def test_what_is_missing_is_said(run) -> None:
    assert "Missing" in run("distill", "mouse", "train.tsv").sentence
    said = run("distill", "mouse", "train.tsv", "--out", "run").sentence
    assert said == "mouse tells no classes and no words, so it has nothing to say."
    assert (
        "There is no model 'nobody'" in run("distill", "nobody", "train.tsv", "--out", "r").sentence
    )
