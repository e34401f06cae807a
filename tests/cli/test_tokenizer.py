"""`pellucid tokenizer`: trained from files, shown in any width, refused in one sentence."""

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from pellucid.errors import PellucidError, UsageError
from pellucid.text.kinds import KINDS

TEXT = "The seal slept on the ice; unbelievably, the mouse and the keyboard are friends.\n"
KINDS_SHOWN = [kind for kind in KINDS if kind not in ("words", "characters")]
SHOWN = "unbelievably 🙂 שלום Straße e\u0301"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_text(TEXT * 20, encoding="utf-8")
    return path


def train(run: Any, corpus: Path, *options: str, kind: str = "bpe", vocab: int = 300) -> Any:
    size = str(vocab)
    return run(
        "tokenizer", "train", str(corpus), "--kind", kind, "--vocab", size, "--out", "tok", *options
    )


@pytest.mark.parametrize("kind", KINDS)
def test_train_then_show(run, corpus: Path, kind: str) -> None:
    ran = train(run, corpus, kind=kind)
    assert (ran.status, ran.err) == (0, "saved: tok\n")
    assert ran.out.splitlines()[0].split()[0] == kind
    assert "pieces" in ran.out.splitlines()[0]
    shown = run("tokenizer", "show", "--model", "tok", "the seal")
    assert (shown.status, shown.err) == (0, "")
    assert "Pieces" in shown.out


def test_the_report_as_json(run, corpus: Path) -> None:
    report = json.loads(train(run, corpus, "--json").out)
    assert report["kind"] == "bpe"
    assert report["pieces"] == 300
    assert report["fit"]["returned"] == report["fit"]["texts"] == 20


@pytest.mark.parametrize("columns", ["40", "57", "80", "200"])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_wider_than_the_terminal(run, corpus, monkeypatch, kind, columns) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    trained = train(run, corpus, kind=kind)
    shown = run("tokenizer", "show", "--model", "tok", SHOWN, "x" * 150, "unbelievably" * 5)
    for line in (trained.out + shown.out).splitlines():
        assert cell_len(line) <= int(columns)
        assert line == line.rstrip()


def test_merges_are_shown_one_by_one(run, corpus: Path) -> None:
    train(run, corpus, vocab=500)
    shown = run("tokenizer", "show", "--model", "tok", "the seal").out
    rows = [line.split() for line in shown.splitlines() if re.fullmatch(r" +\d+  [␣seal ]+", line)]
    assert [len(row) - 1 for row in rows] == [4, 3, 2, 1]
    assert rows[-1][1] == "␣seal"


def test_bytes_are_shown_until_they_are_a_character(run, corpus: Path) -> None:
    corpus.write_text("ש שלום\n" * 30, encoding="utf-8")
    train(run, corpus, vocab=300)
    lines = run("tokenizer", "show", "--model", "tok", "ש").out.splitlines()
    assert any(line.split() == ["\\xd7", "\\xa9"] for line in lines)
    assert any("ש" in line and "\\x" not in line for line in lines[-3:])


def test_the_longest_piece_is_found_after_so_many(run) -> None:
    shown = run("tokenizer", "show", "unbelievably").out
    assert re.search(r"\n +0 +\w+ +##\w+\n", shown)
    assert shown.splitlines()[0].startswith(" Pieces ─")


def test_the_best_path_is_marked(run, corpus: Path) -> None:
    train(run, corpus, kind="unigram", vocab=100)
    shown = run("tokenizer", "show", "--model", "tok", "seals").out
    marked = [line for line in shown.splitlines() if line.startswith(" ● ")]
    pieces = re.search(r"(\d+) pieces, sum −\d", shown)
    assert pieces is not None
    assert len(marked) == int(pieces[1])


@pytest.mark.parametrize("kind", KINDS_SHOWN)
def test_all_of_it_as_json(run, corpus: Path, kind: str) -> None:
    train(run, corpus, kind=kind)
    ran = run("tokenizer", "show", "--json", "--model", "tok", SHOWN, "seal")
    first, second = json.loads(ran.out)
    assert (first["text"], second["text"]) == (SHOWN, "seal")
    cut = [piece for word in first["words"] for piece, _ in word["pieces"]]
    inside = zip(first["pieces"], first["offsets"], strict=True)
    assert cut == [piece for piece, (start, end) in inside if end > start]
    assert all(
        word["steps"] for word in first["words"] if len(word["pieces"]) > 1 and kind != "bpe"
    )


def test_models_that_are_built_in(run) -> None:
    for model in ("minilm", "mouse"):
        ran = run("tokenizer", "show", "--model", model, "cat")
        assert (ran.status, ran.err) == (0, "")
        assert "cat" in ran.out


def test_columns_and_special_pieces(run, corpus: Path, tmp_path: Path) -> None:
    table = tmp_path / "reviews.tsv.gz"
    table.write_bytes(gzip.compress(b"label\tsentence\n" + b"1\tgood seal\n0\tbad ice\n" * 5))
    ran = train(run, table, "--text", "sentence", "--special", "mask=<mask>")
    assert ran.status == 0
    assert "<mask>" in ran.out
    shown = run("tokenizer", "show", "--json", "--model", "tok", "good<mask>seal")
    assert json.loads(shown.out)[0]["pieces"].count("<mask>") == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["train", "--out", "tok"], "Missing argument 'FILE'"),
        (["train", "corpus.txt"], "Missing option '--out'"),
        (["train", "corpus.txt", "--out", "tok", "--kind", "morse"], "'morse' is not one of 'bpe'"),
        (["train", "corpus.txt", "--out", "tok", "--vocab", "0"], "Invalid value for '--vocab'"),
        (["train", "corpus.txt", "--out", "tok", "--vocab", "200"], "letters alone, which are 258"),
        (["train", "corpus.txt", "--out", "corpus.txt"], "corpus.txt is a file"),
        (["train", "corpus.txt", "--out", "no/tok"], "The folder no does not exist"),
        (["train", "corpus.txt", "--out", "tok", "--special", "pad"], "write it like pad=<pad>"),
        (["train", "corpus.txt", "--out", "tok", "--special", "x=y"], "has the role 'x'; roles"),
        (["train", "no.txt", "--out", "tok"], "There is no file no.txt."),
        (["train", "corpus.txt", "--out", "tok", "--text", "a"], "read as plain text"),
        (["show"], "Missing argument 'TEXT'"),
        (["show", ""], "The text is empty"),
        (["show", "--model", "moose", "a"], "'moose'"),
        (["show", "--model", "mouse", "dog"], "'dog'"),
        ([], "Missing command"),
    ],
)
def test_a_request_that_makes_no_sense(run, corpus, tmp_path, arguments, sentence) -> None:
    ran = run("tokenizer", *arguments)
    assert ran.status == UsageError.status == 2
    assert sentence in ran.sentence
    assert list(tmp_path.iterdir()) == [corpus]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "There is no text in"),
        (b"\n \n", "There is no text in"),
        (b"fine\ncaf\xe9\n", "line 2 is not valid UTF-8 at byte 4"),
    ],
)
def test_files_that_cannot_be_read(run, corpus, tmp_path, content: bytes, sentence: str) -> None:
    corpus.write_bytes(content)
    ran = train(run, corpus)
    assert ran.status == PellucidError.status == 1
    assert sentence in ran.sentence
    assert "corpus.txt" in ran.sentence
    assert list(tmp_path.iterdir()) == [corpus]


def test_an_existing_folder_stays_as_it_is(run, corpus: Path, tmp_path: Path) -> None:
    train(run, corpus)
    before = (tmp_path / "tok" / "tokenizer.json").read_bytes()
    ran = train(run, corpus, vocab=310)
    assert ran.status == 2
    assert "tok exists already" in ran.sentence
    assert (tmp_path / "tok" / "tokenizer.json").read_bytes() == before
    assert train(run, corpus, "--force", vocab=310).status == 0
    assert (tmp_path / "tok" / "tokenizer.json").read_bytes() != before


def test_a_folder_without_a_tokenizer(run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    ran = run("tokenizer", "show", "--model", "empty", "a")
    assert ran.status == 1
    assert "has no tokenizer" in ran.sentence


def test_from_a_pipe_and_without_the_models(start, tmp_path: Path) -> None:
    """A person at a pipe gets no progress; and a folder is shown without a second of imports."""
    arguments = ("tokenizer", "train", "-", "--vocab", "300", "--out", "tok")
    training = start(*arguments, stdin=-1)
    out, err = training.communicate(TEXT.encode() * 20, timeout=120)
    assert (training.returncode, err) == (0, b"saved: tok\n")
    assert out.startswith(b" bpe ")
    code = "import sys; from pellucid.cli import main; main(sys.argv[1:]); "
    code += "assert 'torch' not in sys.modules"
    command = [sys.executable, "-c", code, "tokenizer", "show", "--model", "tok", "seal"]
    assert subprocess.run(command, cwd=tmp_path, check=True, capture_output=True).stdout


def test_the_help_has_an_example(run) -> None:
    assert 'pellucid tokenizer show "unbelievably' in run("tokenizer", "--help").out
