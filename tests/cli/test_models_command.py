"""`pellucid models`, `classify`, `convert` and `export`: what comes with it, and what one makes of
it.
"""

import json
from pathlib import Path

import pytest
from test_training_command import BRIEF, LINES

import pellucid
from pellucid.models import builtin
from pellucid.models.mouse import MICE


@pytest.fixture
def classifier(run, tmp_path: Path) -> str:
    (tmp_path / "train.tsv").write_text("\n".join(["text\tlabel", *LINES]))
    assert run("train", "classify", "train.tsv", *BRIEF, "--out", "run").status == 0
    return "run"


def test_the_list_names_every_model_and_its_licence(run) -> None:
    shown = run("models").out
    for name in (*MICE, *builtin.BUILTIN):
        (line,) = (line for line in shown.splitlines() if line.split()[:1] == [name])
        assert "Apache-2.0" in line or "not there" in line
    assert f"classify: {builtin.default('classify')}" in shown


def test_a_card(run) -> None:
    assert "to be followed with a pencil" in run("models", "mouse").out
    assert "There is no built-in model 'nobody'" in run("models", "nobody").sentence


@pytest.mark.parametrize("command", ["classify", "generate", "translate"])
def test_a_model_that_is_not_there_is_said_in_a_sentence(
    run, monkeypatch, tmp_path: Path, command: str
) -> None:
    monkeypatch.setattr(builtin, "HERE", tmp_path)
    said = run(command, "one text").sentence
    assert "is not there" in said
    assert "or give --model" in said


def test_a_model_that_is_there_is_loaded_by_its_name(run, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(builtin, "HERE", tmp_path)
    pellucid.load("mouse").save(tmp_path / "writer", precision="int8")
    (tmp_path / "writer" / "card.md").write_text("# writer\n")
    assert builtin.there("writer")
    assert pellucid.load("writer").config.vocabulary == len(MICE["mouse"].words)
    assert run("models", "writer").out == "# writer\n"


def test_classes_with_their_probabilities(run, classifier: str, tmp_path: Path) -> None:
    ran = run("classify", "--model", classifier, "the cat was here")
    shares = {line.split()[0]: float(line.split()[1].rstrip("%")) for line in ran.out.splitlines()}
    assert shares.keys() == {"animal", "tech"}
    assert sum(shares.values()) == pytest.approx(100, abs=0.2)
    told = json.loads(run("classify", "--model", classifier, "a cat", "--json").out)["classes"]
    assert sum(told.values()) == pytest.approx(1, abs=1e-6)
    (tmp_path / "texts.txt").write_text("a cat\na key\n")
    lines = run("classify", "--model", classifier, "--files", "texts.txt").out.splitlines()
    assert [line.split("\t")[2] for line in lines] == ["a cat", "a key"]
    assert "Give a text, or files" in run("classify", "--model", classifier).sentence


def test_a_run_is_converted_where_it_stands_and_is_gone_where_another_model_does(
    run, classifier: str, tmp_path: Path
) -> None:
    (tmp_path / "test.tsv").write_text("text\tlabel\na cat\tanimal\na key\ttech\n")
    ran = run("convert", classifier, "--out", classifier, "--force", "--text", "the cat")
    assert (ran.status, ran.err) == (0, "saved: run\n")
    assert "accuracy" in run("evaluate", classifier, "test.tsv").out
    assert run("convert", "mouse", "--out", classifier, "--force", "--text", "cat").status == 0
    left = {path.name for path in (tmp_path / classifier).iterdir()}
    assert not left & {"run.json", "settings.toml"}


def test_converted_and_exported(run, classifier: str, tmp_path: Path) -> None:
    ran = run("convert", classifier, "--out", "small", "--text", "the cat was here")
    assert (ran.status, ran.err) == (0, "saved: small\n")
    assert "last vectors moved by" in ran.out
    assert run("classify", "--model", "small", "the cat was here").status == 0
    assert "small exists already" in run("convert", classifier, "--out", "small").sentence
    (tmp_path / "test.tsv").write_text("text\tlabel\na cat\tanimal\na key\ttech\n")
    assert "accuracy" in run("evaluate", "small", "test.tsv").out
    pytest.importorskip("onnxruntime")
    assert run("export", classifier, "--out", "model.onnx").err == "saved: model.onnx\n"
    assert (tmp_path / "model.onnx").stat().st_size > 1000
