"""`pellucid vectors`: the matrix, the report, and what is wrong."""

import gzip
import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from sklearn.feature_extraction.text import TfidfVectorizer

TEXTS = ["The cat saw the mouse", "My mouse is wireless", "The cat ran"]
LABELS = ["animal", "tech", "animal"]


@pytest.fixture(autouse=True)
def reviews(tmp_path: Path) -> None:
    rows = ["sentence\ttopic", *map("\t".join, zip(TEXTS, LABELS, strict=True))]
    (tmp_path / "reviews.tsv").write_text("\n".join(rows))
    (tmp_path / "new.txt.gz").write_bytes(gzip.compress(b"The dog saw a dog\n"))


READ = ("reviews.tsv", "--text", "sentence")


def test_the_matrix_and_its_terms(run, tmp_path: Path) -> None:
    ran = run("vectors", *READ, "--ngrams", "1-2", "--out", "a.npz")
    assert ran.status == 0
    assert ran.err == "saved: a.npz and a.json\n"
    assert ran.out.startswith("documents   3\nvocabulary  16 terms\n")
    theirs = TfidfVectorizer(ngram_range=(1, 2)).fit(TEXTS)
    ours = scipy.sparse.load_npz(tmp_path / "a.npz")
    assert np.allclose(ours.toarray(), theirs.transform(TEXTS).toarray())
    assert json.loads((tmp_path / "a.json").read_text())["vocabulary"] == theirs.vocabulary_


def test_the_report_as_json(run) -> None:
    report = json.loads(run("vectors", *READ, "--label", "topic", "--kind", "counts", "--json").out)
    assert report["documents"] == 3
    assert (report["by"], list(report["heaviest"])) == ("class", ["animal", "tech"])
    assert report["heaviest"]["animal"][0] == ["the", pytest.approx(1.5 - 1)]


def test_vectors_like_others(run, tmp_path: Path) -> None:
    run("vectors", *READ, "--stem", "snowball", "--out", "a.npz")
    ran = run("vectors", "new.txt.gz", "--with", "a.npz", "--out", "b.npz", "--json")
    report = json.loads(ran.out)
    assert report["unknown"]["commonest"] == [["dog", 2], ["a", 1]]
    assert report["unknown"]["share"] == 3 / 5
    assert scipy.sparse.load_npz(tmp_path / "b.npz").shape == (1, 8)


@pytest.mark.parametrize(
    ("options", "terms"),
    [
        ([], 8),
        (["--lemma"], 8),
        (["--fewest", "2"], 3),
        (["--fewest", "2", "--passes", "2"], 3),
        (["--terms", "2"], 2),
        (["--most", "0.5"], 5),
        (["--hashed", "16"], 16),
        (["--pattern", r"\b\w{3}\b"], 4),
        (["--normalize", ""], 9),
    ],
)
def test_which_terms(run, options: list[str], terms: int) -> None:
    assert json.loads(run("vectors", *READ, *options, "--json").out)["vocabulary"] == terms


def test_a_picture(run, tmp_path: Path) -> None:
    ran = run("vectors", *READ, "--spy", "a.png")
    assert ran.err == "saved: a.png\n"
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_a_terminal_is_told_how_far_it_is(run, monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    (tmp_path / "long.txt").write_text("a cat\n" * 2000)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    ran = run("vectors", "long.txt")
    assert "documents, " in ran.err
    assert " a second" in ran.err
    assert ran.out.startswith("documents   2,000\n")


def test_a_broken_line_may_be_left_out(run, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("text\ty\na\tb\nc\nd\te\n")
    assert "a.tsv line 3 has 1 column where 2" in run("vectors", "a.tsv").sentence
    ran = run("vectors", "a.tsv", "--broken", "skip")
    assert ran.err.startswith("note: 1 broken line was left out, first: a.tsv line 3 has 1 column")
    assert ran.out.startswith("documents   2\n")


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (["reviews.tsv"], 2, "reviews.tsv has no column 'text'; it has 'sentence', 'topic'."),
        ([*READ, "--label", "y"], 2, "reviews.tsv has no column 'y'; it has 'sentence', 'topic'."),
        (["new.txt.gz", "--label", "y"], 2, "new.txt.gz is read as plain text, which has no"),
        (["nothing.txt"], 2, "There is no file nothing.txt."),
        ([*READ, "--ngrams", "2-1"], 2, "N-grams of 2 to 1 words make no sense; write like 1-2."),
        ([*READ, "--ngrams", "two"], 2, "--ngrams 'two' makes no sense; write like 1-2."),
        ([*READ, "--kind", "sum"], 2, "'sum' is not one of"),
        ([*READ, "--fewest", "9"], 2, "No term is in 9 or more of 3 texts"),
        ([*READ, "--hashed", "9", "--fewest", "2"], 2, "Of hashed columns none can be left out"),
        ([*READ, "--encoding", "utf-9"], 2, "There is no encoding 'utf-9'"),
        ([*READ, "--language", "nglish", "--stem", "snowball"], 2, "did you mean 'english'?"),
        ([*READ, "--out", "a"], 2, "a should end in .npz; its words go into a .json beside it."),
        ([*READ, "--out", "no/a.npz"], 2, "The folder no does not exist; make it first."),
        ([*READ, "--out", "/proc/a.npz"], 1, "/proc/a.json could not be written"),
        ([*READ, "--spy", "a.txt"], 2, "a.txt is no picture; end its name in .png, .svg or .pdf."),
        ([*READ, "--with", "no.npz"], 2, "There is no file no.npz; vectors are a .npz with"),
        ([*READ, "--with", "no.npz", "--kind", "counts"], 2, "--with brings its own kind"),
        ([*READ, "--with", "no.npz", "--kind", "tfidf"], 2, "--with brings its own kind"),
        ([*READ, "--with", "no.npz", "--ngrams", "1"], 2, "leave options for these out."),
        ([*READ, "--with", "no.npz", "--passes", "2"], 2, "and reads once; leave options for"),
        (["new.txt.gz", "--pattern", "z"], 1, "No word was found in the texts; is the"),
        ([], 2, "Missing argument 'FILE'. See pellucid vectors --help."),
    ],
)
def test_a_request_that_makes_no_sense(
    run, tmp_path: Path, arguments: list[str], status: int, sentence: str
) -> None:
    ran = run("vectors", *arguments)
    assert ran.status == status
    assert sentence in ran.sentence
    assert {path.name for path in tmp_path.iterdir()} == {"reviews.tsv", "new.txt.gz"}


def test_an_existing_file_stays_as_it_is(run, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("old")
    assert "a.json exists already" in run("vectors", *READ, "--out", "a.npz").sentence
    assert (tmp_path / "a.json").read_text() == "old"
    assert run("vectors", *READ, "--out", "a.npz", "--force").status == 0


def test_standard_input_cannot_be_read_twice(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a cat\n")))
    assert "can be read once" in run("vectors", "-", "--passes", "2").sentence
