"""Bad input: one clear sentence, the right exit status, and nothing half-written."""

import json
import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from pellucid.errors import PellucidError, UsageError

MOUSE = ("see", "--model", "mouse")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([""], "The text is empty; give at least one word."),
        (["  \n"], "The text is empty; give at least one word."),
        (["cat", ""], "The text is empty; give at least one word."),
        (["caf\udce9"], "The text is not valid UTF-8 at character 3; save it as UTF-8."),
        (["dog"], "'dog'"),
        (["-", "-"], "Standard input can be read once; give - once."),
        (["cat", "--layer", "1"], "This model has one layer, 0; there is no layer 1."),
        (["cat", "--head", "-1"], "This model has one head, 0; there is no head -1."),
        (["cat", "--layer", "x"], "Invalid value for '--layer'"),
        (["cat", "--dtype", "int8"], "'int8' is not one of 'float32', 'bfloat16', 'float64'"),
        (["cat", "--budget", "much"], "--budget 'much' is no size; write it like 500MB or 4GB."),
        (["cat", "--keep", "no.*"], "--keep 'no.*' fits no name; one is encoder.0.attention.q."),
        (["cat", "--save", "a.docx"], ".docx"),
        (["cat", "--save", "a"], "''"),
        (["cat", "--save", "no/a.json"], "The folder no does not exist; make it first."),
        (["cat", "--save", "a.json", "--save", "a.json"], "a.json is to be saved twice"),
        (["cat", "--colour"], "No such option: --colour"),
        ([], "Missing argument 'TEXT'. See pellucid see --help."),
    ],
)
def test_a_request_that_makes_no_sense(run, tmp_path: Path, arguments, sentence: str) -> None:
    ran = run(*MOUSE, *arguments)
    assert ran.status == UsageError.status == 2
    assert sentence in ran.sentence
    assert not list(tmp_path.iterdir())


def test_no_such_command(run) -> None:
    ran = run("look", "cat")
    assert ran.status == 2
    assert ran.sentence == "No such command 'look'. See pellucid --help."


def test_a_text_longer_than_the_model_reads(run, gpt2: Path) -> None:
    ran = run("see", "--model", str(gpt2), " word" * 65)
    assert ran.status == 2
    assert ran.sentence == ("The text has 65 tokens; this model reads at most 64. Shorten it.")


def test_a_record_larger_than_the_budget(run) -> None:
    ran = run(*MOUSE, "cat", "--budget", "8 B")
    assert ran.status == 1
    assert "8 bytes allowed" in ran.sentence


def test_an_existing_file_stays_as_it_is(run, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("old")
    ran = run(*MOUSE, "cat", "--save", "b.json", "--save", "a.json")
    assert ran.status == 2
    assert "a.json exists already" in ran.sentence
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]


def test_paths_are_checked_before_a_model_is_loaded(run, monkeypatch) -> None:
    monkeypatch.setattr("pellucid.models.load.load", lambda name, dtype: pytest.fail("too early"))
    assert run(*MOUSE, "cat", "--save", "a.docx").status == 2
    assert run(*MOUSE, "cat", "--budget", "much").status == 2
    assert run(*MOUSE, " ").status == 2


def test_a_place_that_takes_no_files(run) -> None:
    ran = run(*MOUSE, "cat", "--save", "/proc/a.json")
    assert ran.status == 1
    assert "/proc" in ran.sentence


def test_no_such_model(run) -> None:
    ran = run("see", "--model", "moose", "cat")
    assert ran.status == 2
    assert "'moose'" in ran.sentence
    assert "mouse-causal" in ran.sentence


def weights(content: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / "model.safetensors").write_bytes(content)


def setting(**changes: object) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(config | changes))

    return change


def truncated(folder: Path) -> None:
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(whole[: len(whole) // 2])


def config(text: str) -> Callable[[Path], object]:
    return lambda folder: (folder / "config.json").write_text(text)


def without(name: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).unlink()


def header(data: object) -> bytes:
    text = json.dumps(data).encode()
    return struct.pack("<Q", len(text)) + text


OUTSIDE = {"wte.weight": {"dtype": "F32", "shape": [9], "data_offsets": [0, 2**62]}}
BROKEN = {
    "no config": (without("config.json"), "config.json"),
    "no weights": (without("model.safetensors"), "model.safetensors"),
    "no tokenizer": (without("merges.txt"), "merges.txt"),
    "config is no JSON": (config("{"), "config.json"),
    "config is no object": (config("[]"), "config.json"),
    "config is too deep": (config("[" * 100_000), "config.json"),
    "config is no UTF-8": (lambda f: (f / "config.json").write_bytes(b"\xff"), "config.json"),
    "truncated weights": (truncated, "model.safetensors"),
    "empty weights": (weights(b""), "model.safetensors"),
    "a header of 2⁶³ bytes": (weights(struct.pack("<Q", 2**63) + b"{}"), "model.safetensors"),
    "data outside the file": (weights(header(OUTSIDE)), "model.safetensors"),
    "an index that is too deep": (
        lambda f: (
            (f / "model.safetensors").rename(f / "x.safetensors")
            and (f / "model.safetensors.index.json").write_text("[" * 100_000)
        ),
        "model.safetensors.index.json",
    ),
    "a pickle": (weights(b"\x80\x04K\x01."), "model.safetensors"),
    "another width": (setting(n_embd=64), "contradict"),
    "more layers": (setting(n_layer=5), "lack"),
    "a width that no heads share": (setting(n_head=5), "cannot be cut into 5 equal heads"),
    "a setting of a wrong kind": (setting(n_embd="wide"), "'wide'"),
    "an unknown architecture": (setting(model_type="perceptron"), "'perceptron'"),
    "an unknown activation": (setting(activation_function="sin"), "'sin'"),
}


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_checkpoint(run, gpt2: Path, tmp_path: Path, name: str) -> None:
    breaking, said = BROKEN[name]
    broken = tmp_path / "broken"
    shutil.copytree(gpt2, broken)
    breaking(broken)
    ran = run("see", "--model", str(broken), "a word", "--save", "a.json")
    assert ran.status in (PellucidError.status, UsageError.status)
    assert said in ran.sentence
    assert [path.name for path in tmp_path.iterdir()] == ["broken"]


def test_what_nobody_thought_of(run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str, dtype: object) -> None:
        raise ZeroDivisionError("a\nb")

    monkeypatch.setattr("pellucid.models.load.load", broken)
    ran = run(*MOUSE, "cat")
    assert ran.status == 1
    assert ran.err == (
        "pellucid: This is a bug in Pellucid: ZeroDivisionError: a b. "
        "Please report it; PELLUCID_DEBUG=1 says more.\n"
    )
    monkeypatch.setenv("PELLUCID_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        run(*MOUSE, "cat")
