"""`pellucid distill`: from a teacher's folder and files to a smaller one."""

import json
import tomllib
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import pytest
from test_training_command import BRIEF, LINES, NUMBERS

import pellucid
from pellucid.decode.many import Output
from pellucid.train.job import Job

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


SPOKEN = ("--level", "sequences", "--beams", "1", *STUDENT)
BARS = ("--format", "csv", "--delimiter", "|", "--text", "english", "--pair", "turned")


@pytest.mark.parametrize(
    ("files", "layout"),
    [
        (("grün.en", "grün.xx"), ("--encoding", "latin-1")),
        (("bars.txt",), (*BARS, "--encoding", "latin-1")),
    ],
)
def test_what_is_written_is_read_as_it_was_written(
    run, tmp_path: Path, files: tuple[str, ...], layout: tuple[str, ...]
) -> None:
    pairs = [(f"grün {word}", f"{word} grün") for word in NUMBERS]
    for name, texts in zip(("grün.en", "grün.xx"), zip(*pairs, strict=True), strict=True):
        (tmp_path / name).write_text("\n".join(texts), encoding="latin-1")
    bars = "\n".join(map("|".join, [("english", "turned"), *pairs]))
    (tmp_path / "bars.txt").write_text(bars, encoding="latin-1")
    run("train", "translate", *files, *layout, *BRIEF, "--out", "teacher")
    measured = [part for name in files for part in ("--valid", name)]
    ran = run("distill", "teacher", *files, *layout, *measured, *SPOKEN, "--out", "run")
    assert ran.status == 0, ran.err
    given, valid = Job.read(tmp_path / "run" / "settings.toml").data()
    assert [*given.sources] == [*valid.sources] == [source for source, _ in pairs]
    assert [*valid.targets] == [target for _, target in pairs]
    assert run("train", "--resume", "run", "--set", "steps=5").status == 0


def test_files_of_others_are_not_written_over(run, tmp_path: Path) -> None:
    run("train", "translate", "train.en", "train.xx", *BRIEF, "--out", "teacher")
    command = ("distill", "teacher", "train.en", "train.xx", *SPOKEN, "--out", "run")
    for name in ("run.sources.txt", "run.translations.txt"):
        (tmp_path / name).write_text("mine")
        assert f"{name} exists already; choose another name" in run(*command).sentence
        assert (tmp_path / name).read_text() == "mine"
        (tmp_path / name).unlink()
    (tmp_path / "run.translations.txt").write_bytes((tmp_path / "train.xx").read_bytes())
    ours = ("distill", "teacher", "train.en", "run.translations.txt")
    assert run(*ours, *SPOKEN, "--out", "run", "--force").sentence == (
        "run.translations.txt is needed, so run.translations.txt cannot be replaced; name another."
    )
    assert not (tmp_path / "run").exists()


def interrupted(lines: Iterable[str]) -> Iterator[str]:
    yield from islice(lines, 3)
    raise KeyboardInterrupt


def test_translations_of_other_texts_or_of_another_teacher_are_not_mixed_in(
    run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn = ("train", "translate", "train.en", "train.xx", *BRIEF, "--out", "teacher")
    command = ("distill", "teacher", "train.en", "train.xx", *SPOKEN, "--out", "run")
    run(*learn)
    with monkeypatch.context() as patched:
        write = Output.write
        patched.setattr(Output, "write", lambda self, lines: write(self, interrupted(lines)))
        assert run(*command).status == 130
    english = (tmp_path / "train.en").read_text()
    (tmp_path / "train.en").write_text("\n".join(english.splitlines()[::-1]))
    said = run(*command).sentence
    assert said.startswith("run.translations.txt.part answers another text in line 1; give the")
    (tmp_path / "train.en").write_text(english)
    run(*learn, "--seed", "5", "--force")
    said = run(*command).sentence
    assert said.startswith("run.translations.txt.part is of another job (other model or choices)")
    run(*learn, "--force")
    assert run(*command).status == 0
    translations = (tmp_path / "run.translations.txt").read_text()
    assert run(*command, "--force").status == 0
    assert (tmp_path / "run.translations.txt").read_text() == translations
    assert not list(tmp_path.glob("*.part*"))


def test_only_what_would_be_written_has_to_be_free(run, tmp_path: Path) -> None:
    run("train", "translate", "train.en", "train.xx", *BRIEF, "--out", "teacher")
    command = ("distill", "teacher", "train.en", "train.xx", *SPOKEN, "--out", "run")
    measured = ("--valid", "train.en", "--valid", "run.valid.sources.txt")
    (tmp_path / "run.valid.sources.txt").write_bytes((tmp_path / "train.xx").read_bytes())
    assert run(*command, *measured, "--encoding", "latin-1").sentence == (
        "run.valid.sources.txt is needed, so run.valid.sources.txt cannot be replaced; "
        "name another."
    )
    assert run(*command, *measured).status == 0
    assert (tmp_path / "run.valid.sources.txt").read_text() == (tmp_path / "train.xx").read_text()


def test_what_is_measured_on_is_written_last_so_that_it_is_in_nobodys_way(
    run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("train", "translate", "train.en", "train.xx", *BRIEF, "--out", "teacher")
    measured = ("--encoding", "latin-1", "--valid", "train.en", "--valid", "train.xx")
    command = ("distill", "teacher", "train.en", "train.xx", *measured, *SPOKEN, "--out", "run")
    with monkeypatch.context() as patched:
        write = Output.write
        patched.setattr(Output, "write", lambda self, lines: write(self, interrupted(lines)))
        assert run(*command).status == 130
    assert run(*command).status == 0
    assert (tmp_path / "run.valid.sources.txt").is_file()
