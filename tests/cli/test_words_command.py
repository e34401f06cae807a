"""`pellucid words`: the words of a text, of files, of standard input."""

import io
import json
import sys
from pathlib import Path

import pytest

MICE = "The mice were running better in the cities."
TABLE = """\
start  end  word     porter  snowball  lemma
0      3    The      the     the       the
4      8    mice     mice    mice      mouse
9      13   were     were    were      be
14     21   running  run     run       run
22     28   better   better  better    good
29     31   in       in      in        in
32     35   the      the     the       the
36     42   cities   citi    citi      city
"""


def lines(out: str) -> list[dict]:
    return [json.loads(line) for line in out.splitlines()]


def test_a_text(run) -> None:
    ran = run("words", MICE)
    assert (ran.status, ran.err, ran.out) == (0, "", TABLE)


def test_as_json(run) -> None:
    rows = lines(run("words", "🙂 Mice שלום", "--json").out)
    assert rows[0] == {
        "start": 2,
        "end": 6,
        "word": "Mice",
        "porter": "mice",
        "snowball": "mice",
        "lemma": "mouse",
    }
    assert [row["word"] for row in rows] == ["Mice", "שלום"]


@pytest.mark.parametrize(
    ("options", "row"),
    [
        (["--language", "de"], "0      5    Mäuse  maus      Maus"),
        (["--language", "german", "--lemma"], "0      5    Mäuse  Maus"),
        (["--language", "eu"], "0      5    Mäuse  mäuse"),
        (["--language", "ka"], "0      5    Mäuse  Mäuse"),
        (["--stem", "porter"], "0      5    Mäuse  mäuse"),
        (["--normalize", "lower,bare"], "0      5    Mäuse  mause"),
        (["--pattern", r"\p{Lu}", "--lemma"], "0      1    M     m"),
    ],
)
def test_what_was_asked_for(run, options: list[str], row: str) -> None:
    ran = run("words", "Mäuse", *options)
    assert ran.out.splitlines()[1].split() == row.split()


def test_files_are_lined_up_together(run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A cat\n\nran home\n")
    ran = run("words", "a.txt", "--stem", "snowball")
    assert [line.split() for line in ran.out.splitlines()] == [
        ["line", "start", "end", "word", "snowball"],
        ["1", "0", "1", "A", "a"],
        ["1", "2", "5", "cat", "cat"],
        ["3", "0", "3", "ran", "ran"],
        ["3", "4", "8", "home", "home"],
    ]


def test_several_files_are_named(run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,review\n1,cat\n")
    (tmp_path / "b.jsonl").write_text('{"review": "dog"}\n')
    rows = lines(run("words", "a.csv", "b.jsonl", "--text", "review", "--json").out)
    assert [(row["file"], row["line"], row["word"]) for row in rows] == [
        ("a.csv", 2, "cat"),
        ("b.jsonl", 1, "dog"),
    ]


def test_a_long_file_has_one_heading(run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("cat\n" * 1100 + "immeasurably\n")
    out = run("words", "a.txt", "--stem", "snowball").out.splitlines()
    assert len(out) == 1 + 1101
    assert out[-1].split() == ["1101", "0", "12", "immeasurably", "immeasur"]


def test_standard_input(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"The mice\n")))
    assert run("words", "-").out.splitlines()[2].split() == "1 4 8 mice mice mice mouse".split()


def test_what_would_move_the_cursor_is_made_visible(run) -> None:
    assert "a␛[2Jb" in run("words", "a\x1b[2Jb", "--pattern", r"\S+", "--stem", "porter").out


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (["nothing.txt"], 2, "There is no file nothing.txt."),
        (["nothing.csv.gz"], 2, "There is no file nothing.csv.gz."),
        ([""], 2, "The text is empty; give at least one word."),
        (["caf\udce9"], 2, "The text is not valid UTF-8 at character 3; save it as UTF-8."),
        (["!!"], 1, "No word was found; is the pattern right?"),
        (["👨\u200d👩 ❤\ufe0f"], 1, "No word was found; is the pattern right?"),
        (["x", "--language", "germn"], 2, "did you mean 'german'?"),
        (["x", "--language", "de", "--stem", "porter"], 2, "take snowball."),
        (["x", "--lemma", "--language", "eu"], 2, "simplemma has no dictionary of eu"),
        (["x", "--pattern", "("], 2, "cannot be read"),
        (["x", "--normalize", "up"], 2, "Nothing called 'up' is done to words"),
        (["x", "--text", "y"], 2, "--text says how a file is read, and there is none; leave it"),
        (["x", "--format", "csv"], 2, "--format says how a file is read"),
        (["x", "--broken", "skip"], 2, "--broken says how a file is read"),
        (["-", "-"], 2, "give - once"),
        ([], 2, "Missing argument 'TEXT|FILE'"),
    ],
)
def test_a_request_that_makes_no_sense(run, arguments: list, status: int, sentence: str) -> None:
    ran = run("words", *arguments)
    assert ran.status == status
    assert sentence in ran.sentence
