"""generate, translate, score and embed on the command line."""

import json
from pathlib import Path

import numpy as np
import pytest
from writers import END, START, writer

from pellucid.cli import main

Printed = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def decoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    model = writer().float()
    model.settings = {"eos_token_id": END}
    return str(model.save(tmp_path_factory.mktemp("models") / "decoder"))


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> str:
    model = writer("bart").float()
    model.settings = {"eos_token_id": END, "decoder_start_token_id": START}
    return str(model.save(tmp_path_factory.mktemp("models") / "both"))


def test_generate_streams_and_says_why_it_ended(decoder: str, capsys: Printed) -> None:
    assert main(["generate", "--model", decoder, "a bank", "--max-new-tokens", "3"]) == 0
    printed = capsys.readouterr()
    assert printed.out.strip()
    assert printed.err.startswith(("end: ", "length: 3 tokens, score"))


def test_generate_with_beams_tree_and_terms(decoder: str, capsys: Printed) -> None:
    choices = ["--beams", "3", "--best", "2", "--max-new-tokens", "4", "--tree", "--terms"]
    assert main(["generate", "--model", decoder, "a bank", *choices]) == 0
    out = capsys.readouterr().out
    assert "beam search, 3 beams" in out
    assert "✓" in out
    assert out.count("score = sum / ") == 2


def test_a_seed_draws_the_same_again(decoder: str, capsys: Printed) -> None:
    command = ["generate", "--model", decoder, "a bank", "--sample", "--max-new-tokens", "6"]
    for _ in range(2):
        assert main([*command, "--seed", "5", "--temperature", "2", "--json"]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first == second
    assert first["seed"] == 5


def test_translate_files(both: str, tmp_path: Path, capsys: Printed) -> None:
    texts = tmp_path / "in.txt"
    texts.write_text("the seal\na bank by the river\nice\n")
    out = str(tmp_path / "out.jsonl")
    command = ["translate", "--model", both, "--files", str(texts), "--out", out, "--beams", "2"]
    assert main(command) == 0
    assert len(Path(out).read_text().splitlines()) == 3
    assert capsys.readouterr().err.strip() == f"saved: {out}"
    assert main(command) == 2
    assert "exists already" in capsys.readouterr().err


def test_an_empty_line_among_texts_is_named(both: str, tmp_path: Path, capsys: Printed) -> None:
    texts = tmp_path / "in.txt"
    texts.write_text("the seal\n\nice\n")
    out = tmp_path / "out.txt"
    assert main(["translate", "--model", both, "--files", str(texts), "--out", str(out)]) == 1
    assert "Line 2 is empty" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (["generate", "--model", "mouse", "cat"], "is an encoder: it reads and does not write"),
        (["generate", "--model", "mouse"], "Give a text, or files"),
        (["generate", "--model", "x", "cat", "--max-new-tokens", "0"], "equal to 1"),
        (["generate", "--model", "mouse", "--files", "x.txt"], "--files and --out go together"),
        (["see", "--model", "mouse", "cat", "mouse", "--generate", "3"], "goes on from one text"),
        (["embed", __file__, "--out", "v.csv"], "must end in .npy"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(
    command: list[str], sentence: str, capsys: Printed
) -> None:
    assert main(command) == 2
    printed = capsys.readouterr()
    assert sentence in printed.err
    assert len(printed.err.splitlines()) == 1


def test_a_decoder_does_not_translate(decoder: str, capsys: Printed) -> None:
    assert main(["translate", "--model", decoder, "ice"]) == 2
    assert "translating needs an encoder-decoder" in capsys.readouterr().err


def test_see_what_was_generated(decoder: str, tmp_path: Path, capsys: Printed) -> None:
    file = tmp_path / "trace.safetensors"
    command = ["see", "--model", decoder, "a bank", "--generate", "3", "--beams", "2"]
    assert main([*command, "--save", str(file)]) == 0
    assert "beam search, 2 beams" in capsys.readouterr().out
    assert file.is_file()


def test_score(decoder: str, tmp_path: Path, capsys: Printed) -> None:
    texts = tmp_path / "in.txt"
    texts.write_text("the seal slept\na bank by the river\n")
    assert main(["score", "--model", decoder, str(texts), "--json"]) == 0
    *rows, total = map(json.loads, capsys.readouterr().out.splitlines())
    assert [row["tokens"] for row in rows] == [2, 4]
    assert total["log_likelihood"] == pytest.approx(sum(row["log_likelihood"] for row in rows))
    assert main(["score", "--model", decoder, str(texts), "--tokens"]) == 0
    assert "bits per byte" in capsys.readouterr().out.splitlines()[-1]


def test_lines_that_are_scored_beside_others_are_the_same(
    both: str, tmp_path: Path, capsys: Printed
) -> None:
    texts, sources = tmp_path / "in.txt", tmp_path / "sources.txt"
    texts.write_text("the seal\nice\n\n")
    sources.write_text("the seal\n\nice\n")
    assert main(["score", "--model", both, str(texts), "--sources", str(sources)]) == 1
    assert "The text of line 2 has no source in the same line" in capsys.readouterr().err
    assert main(["score", "--model", both, str(texts), "--sources", str(texts)]) == 0


def test_embed(minilm: Path, tmp_path: Path, capsys: Printed) -> None:
    texts, out = tmp_path / "in.txt", tmp_path / "v.npy"
    texts.write_text("The seal slept.\nA seal was sleeping there.\nTaxes rose.\n")
    assert main(["embed", "--model", str(minilm), str(texts), "--out", str(out)]) == 0
    vectors = np.load(out)
    assert vectors.shape == (3, 384)
    np.testing.assert_allclose((vectors**2).sum(-1), 1, atol=1e-5)
    assert vectors[0] @ vectors[1] > 0.7
    assert vectors[0] @ vectors[2] < 0.3
    assert "3 × 384" in capsys.readouterr().err
