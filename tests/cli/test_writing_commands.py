"""generate, translate, score and embed on the command line."""

import json
import shutil
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import tokenizers
import zoo
from writers import END, START, writer

from pellucid.cli import main
from pellucid.decode.many import Output
from pellucid.record.trace import Trace

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


def test_terms_are_in_the_json_that_asks_for_them(decoder: str, capsys: Printed) -> None:
    command = ["generate", "--model", decoder, "a bank", "--max-new-tokens", "3", "--json"]
    assert main(command) == 0
    assert main([*command, "--terms"]) == 0
    plain, told = map(json.loads, capsys.readouterr().out.splitlines())
    assert told == plain | {name: told[name] for name in ("terms", "divisor", "total")}
    assert told["terms"][-1]["sum"] / told["divisor"] == told["total"] == told["score"]


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


def test_files_are_read_as_they_are_said_to_be(both: str, tmp_path: Path, capsys: Printed) -> None:
    texts, out = tmp_path / "in.csv", tmp_path / "out.txt"
    texts.write_bytes("id,said\n1,the seal\n2,\n3,ice,é\n4,a bank\n".encode("latin-1"))
    command = ["translate", "--model", both, "--files", str(texts), "--out", str(out)]
    command += ["--max-new-tokens", "3"]
    assert main(command) == 2
    assert "has no column 'text'; it has 'id', 'said'" in capsys.readouterr().err
    command += ["--text", "said", "--encoding", "latin-1"]
    assert main(command) == 1
    assert "line 4 has 3 columns where 2 were expected" in capsys.readouterr().err
    assert main([*command, "--broken", "skip"]) == 0
    assert [bool(line) for line in out.read_text().splitlines()] == [True, False, False, True]


@pytest.mark.parametrize("ending", ["txt", "jsonl"])
def test_an_empty_line_stays_where_it_is(
    both: str, tmp_path: Path, capsys: Printed, ending: str
) -> None:
    texts, out = tmp_path / "in.txt", tmp_path / f"out.{ending}"
    texts.write_text("\nthe seal\n  \nice\n\n")
    command = ["--files", str(texts), "--out", str(out), "--max-new-tokens", "3"]
    assert main(["translate", "--model", both, *command]) == 0
    assert "note: 3 empty lines stay empty" in capsys.readouterr().err
    lines = out.read_text().splitlines()
    assert [line in ("", "[]") for line in lines] == [True, False, True, False, True]


def test_what_is_drawn_goes_on_by_the_seed_of_the_first_run(
    decoder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts, out, whole = (tmp_path / f"{name}.txt" for name in ("in", "out", "whole"))
    texts.write_text("the seal\nice\na bank\nthe river\n" * 3)
    command = ["generate", "--model", decoder, "--files", str(texts), "--sample"]
    choices = ["--temperature", "3", "--max-new-tokens", "6", "--batch", "1"]
    append, left = Output.write, [5]

    def interrupted(output: Output, lines: Iterable[str]) -> None:
        append(output, stopping(lines, left.pop()) if left else lines)

    monkeypatch.setattr(Output, "write", interrupted)
    assert main([*command, *choices, "--out", str(out)]) == 130
    seed = json.loads((tmp_path / "out.txt.part.json").read_text())["seed"]
    assert main([*command, *choices, "--out", str(out)]) == 0
    assert main([*command, *choices, "--out", str(whole), "--seed", str(seed)]) == 0
    assert out.read_text() == whole.read_text()
    assert len(set(whole.read_text().splitlines())) > 1


def test_answers_of_two_models_are_not_mixed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    texts, folder = tmp_path / "in.txt", tmp_path / "model"
    texts.write_text("the seal\nice\n")
    command = ["generate", "--model", str(folder), "--files", str(texts), "--max-new-tokens", "3"]
    command += ["--out", str(tmp_path / "out.txt")]
    append, model = Output.write, writer().float()
    model.save(folder)
    monkeypatch.setattr(Output, "write", lambda self, lines: append(self, stopping(lines, 1)))
    assert main(command) == 130
    monkeypatch.setattr(Output, "write", append)
    next(model.parameters()).data.mul_(2)
    model.save(folder, existing="replace")
    assert main(command) == 2
    assert "is of another job (other model or choices)" in capsys.readouterr().err


def test_other_texts_are_refused_or_answered_anew(
    decoder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    texts, out, whole = (tmp_path / f"{name}.txt" for name in ("in", "out", "whole"))
    texts.write_text("ice\nthe seal\na bank\n")
    command = ["generate", "--model", decoder, "--files", str(texts), "--max-new-tokens", "3"]
    append = Output.write
    with monkeypatch.context() as patched:
        patched.setattr(Output, "write", lambda self, lines: append(self, stopping(lines, 2)))
        assert main([*command, "--out", str(out)]) == 130
    capsys.readouterr()
    texts.write_text("the river\nthe seal\na bank\n")
    assert main([*command, "--out", str(out)]) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert "answers another text in line 1" in said
    assert said.endswith("delete it, or start anew with --force.")
    assert main([*command, "--out", str(out), "--force"]) == 0
    assert capsys.readouterr().err == f"saved: {out}\n"
    assert main([*command, "--out", str(whole)]) == 0
    assert out.read_text() == whole.read_text()


def stopping(lines: Iterable[str], after: int) -> Iterator[str]:
    yield from islice(lines, after)
    raise KeyboardInterrupt


def test_side_by_side(decoder: str, capsys: Printed) -> None:
    command = ["generate", "--model", decoder, "a bank", "--max-new-tokens", "4", "--beams", "2"]
    assert main([*command, "--side-by-side", "greedy,beam", "--tree"]) == 0
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines()[1:3]] == ["greedy", "beam"]
    assert "greedy search" in out
    assert "beam search, 2 beams" in out
    assert main([*command, "--side-by-side", "greedy,sample,beam", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["way"] for row in rows] == ["greedy", "sample", "beam"]


def test_ids_need_no_tokenizer(decoder: str, tmp_path: Path, capsys: Printed) -> None:
    bare = tmp_path / "bare"
    shutil.copytree(decoder, bare)
    for file in bare.glob("tokenizer*"):
        file.unlink()
    command = ["generate", "--model", str(bare), "--max-new-tokens", "3"]
    assert main([*command, "a bank"]) == 2
    assert "examples/letters_to_phonemes.py" in capsys.readouterr().err
    assert main([*command, "--ids", "3 7"]) == 0
    streamed = capsys.readouterr().out.split()
    assert main([*command, "--ids", "3, 7", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ids"] == [int(number) for number in streamed]
    assert main([*command, "--ids", "three"]) == 2
    assert "'three' are no ids" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (["generate", "--model", "mouse", "cat"], "is an encoder: it reads and does not write"),
        (["generate", "--model", "mouse"], "Give a text, or files"),
        (["generate", "--model", "x", "cat", "--max-new-tokens", "0"], "equal to 1"),
        (["generate", "--model", "mouse", "--files", "x.txt"], "--files and --out go together"),
        (["generate", "--files", "x.txt", "--out", "y.txt", "--json"], "are for a TEXT"),
        (["generate", "cat", "--side-by-side", "greedy", "--terms"], "leave --terms out"),
        (["generate", "cat", "--side-by-side", "beam", "--tree", "--json"], "leave --json out"),
        (["score", "--model", "x", "-", "--sources", "-"], "Standard input can be read once"),
        (["heads", "x", "-", "--sources", "-"], "Standard input can be read once"),
        (["generate", "cat", "--encoding", "latin-1"], "--encoding says how a file is read"),
        (["check", "mouse", "--seed", "9" * 20], "9223372036854775807"),
        (["embed", __file__, "--batch", "9" * 20], "give from 1 to 1000000"),
        (["vectors", __file__, "--hashed", "9" * 10], "67108864"),
        (["tokenizer", "train", __file__, "--vocab", "9" * 20, "--out", "x"], "67108864"),
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


@pytest.mark.parametrize("kind", ["decoder", "both"])
def test_see_an_answer_that_ended_at_once(
    request: pytest.FixtureRequest, kind: str, tmp_path: Path, capsys: Printed
) -> None:
    """Every token ends an answer and is no word, so nothing is said; the search can be seen."""
    folder = tmp_path / "model"
    shutil.copytree(request.getfixturevalue(kind), folder)
    inner = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    inner.add_special_tokens(zoo.WORDS)
    inner.save(str(folder / "tokenizer.json"))
    ends = {"eos_token_id": list(range(len(zoo.WORDS))), "decoder_start_token_id": START}
    (folder / "generation_config.json").write_text(json.dumps(ends))
    file = tmp_path / "trace.safetensors"
    command = ["see", "--model", str(folder), "a bank", "--generate", "3", "--save", str(file)]
    assert main([*command, "--beams", "2"]) == 0
    assert "(end)" in capsys.readouterr().out
    answer = Trace.load(file).about["generation"]["answers"][0]
    assert (answer["text"], len(answer["ids"])) == ("", 1)


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


def test_an_empty_text_is_told_with_its_line_and_may_be_left_out(
    decoder: str, tmp_path: Path, capsys: Printed
) -> None:
    texts = tmp_path / "in.jsonl"
    texts.write_text('{"text": "the seal"}\n{"text": ""}\n{"text": "\\ud83d"}\n{"text": "ice"}\n')
    command = ["score", "--model", decoder, str(texts), "--json"]
    assert main(command) == 1
    assert "in.jsonl line 2 has \"\" for a text in 'text'; mend it" in capsys.readouterr().err
    assert main([*command, "--broken", "skip"]) == 0
    printed = capsys.readouterr()
    assert len(printed.out.splitlines()) == 3
    assert "2 broken lines were left out" in printed.err


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


def test_an_empty_line_keeps_its_row(minilm: Path, tmp_path: Path, capsys: Printed) -> None:
    texts = tmp_path / "in.txt"
    texts.write_text("\nThe seal slept.\n\n\nTaxes rose.\n \n")
    assert main(["embed", "--model", str(minilm), str(texts), "--batch", "1"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [any(row) for row in rows] == [False, True, False, False, True, False]
