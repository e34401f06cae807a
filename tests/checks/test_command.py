"""`pellucid check`: what it prints, and the status it ends with."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import pellucid
from pellucid.cli import main
from pellucid.nn import attention

Specimen = Callable[[str], Path]
Printed = pytest.CaptureFixture[str]


def test_the_equalities_of_a_model(capsys: Printed) -> None:
    assert main(["check", "mouse-causal"]) == 0
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert any(line.startswith("batched = alone") for line in lines)
    assert any(line.startswith("before another token = as before") for line in lines)
    assert lines[-1].endswith("numbers, all equal.")
    assert any(line.startswith("cached = uncached") for line in lines)
    assert printed.err == ""


def test_a_checkpoint_against_transformers(specimen: Specimen, capsys: Printed) -> None:
    folder = str(specimen("Llama 3"))
    assert main(["check", folder, "--against", "transformers"]) == 0
    printed = capsys.readouterr()
    assert "\ndecoder.*.attention.weights" in printed.out
    assert printed.err == ""
    assert main(["check", folder, "--against", "transformers", "--all"]) == 0
    every = capsys.readouterr().out
    assert "model.layers.2.self_attn.q_proj" in every
    assert main(["check", folder, "--against", "transformers", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == len(every.splitlines()) - 3  # a head, an empty line, the sum
    assert all(row["passed"] for row in rows)


def test_a_difference_is_told_in_one_sentence(
    capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = attention.fused_attention
    monkeypatch.setattr(attention, "fused_attention", lambda *a, **b: kernel(*a, **b) * 1.01)
    assert main(["check", "mouse"]) == 1
    printed = capsys.readouterr()
    assert "DIFFERENT  encoder.0.attention.output" in printed.out
    assert "all equal" not in printed.out
    last = printed.err.splitlines()[-1]
    assert last.startswith("pellucid: 2 of ")
    assert "numbers differ: encoder.0.attention.output differs by 1.0e-02, allowed is" in last


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere"], "There is no model 'nowhere'"),
        (["mouse", "--against", "transformers"], "transformers has no pellucid-encoder"),
        (["mouse", "--against", "torch"], "'torch' is not one of 'transformers'"),
        (["mouse", "--seed", "-1"], "Invalid value for '--seed'"),
        ([], "Missing argument 'MODEL'"),
    ],
)
def test_misuse_is_told_in_one_sentence(
    arguments: list[str], sentence: str, capsys: Printed
) -> None:
    assert main(["check", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert sentence in printed.err
    assert printed.err.count("\n") == 1


def refused(folder: Path, capsys: Printed) -> tuple[int, str]:
    status = main(["check", str(folder), "--against", "transformers"])
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    return status, printed.err


def test_without_transformers(
    specimen: Specimen, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = specimen("GPT-2")
    monkeypatch.setitem(sys.modules, "transformers", None)
    status, sentence = refused(folder, capsys)
    assert status == 2
    assert "pip install transformers" in sentence


def test_a_layout_that_transformers_does_not_know(tmp_path: Path, capsys: Printed) -> None:
    pellucid.load("mouse").save(tmp_path / "mouse")
    status, sentence = refused(tmp_path / "mouse", capsys)
    assert status == 2
    assert "transformers has no pellucid-encoder" in sentence


def test_a_checkpoint_that_transformers_cannot_load(
    specimen: Specimen, tmp_path: Path, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    import transformers

    def fail(*_: object, **__: object) -> None:
        raise ValueError("this is\nbroken")

    monkeypatch.setattr(transformers.GPT2LMHeadModel, "from_pretrained", fail)
    status, sentence = refused(specimen("GPT-2"), capsys)
    assert status == 1
    assert sentence.rstrip().endswith("this is broken")


def test_help_has_an_example(capsys: Printed) -> None:
    assert main(["check", "--help"]) == 0
    assert "pellucid check minilm" in capsys.readouterr().out
