"""Reading corpora: formats, encodings, delimiters, broken lines."""

import gzip
import io
import json
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from pellucid import PellucidError, UsageError
from pellucid.text.formats import Document, Layout
from pellucid.text.sources import Corpus

ROWS = [("Good, bad and ugly.", "yes"), ('He said "no".', "no"), ("Müde 🙂 שלום", "yes")]
LABELLED = Layout(label="label")


def csv(delimiter: str) -> str:
    quoted = [delimiter.join((f'"{text.replace(chr(34), chr(34) * 2)}"', y)) for text, y in ROWS]
    return "\n".join([delimiter.join(("text", "label")), *quoted, ""])


def tsv() -> str:
    return "\n".join(["text\tlabel", *map("\t".join, ROWS), ""])


def jsonl() -> str:
    return "\n".join(json.dumps({"id": 7, "text": text, "label": y}) for text, y in ROWS)


def parquet_bytes() -> bytes:
    file = io.BytesIO()
    text, label = zip(*ROWS, strict=True)
    parquet.write_table(pa.table({"text": text, "id": [1, 2, 3], "label": label}), file)
    return file.getvalue()


FILES: dict[str, bytes] = {
    "a.csv": csv(",").encode(),
    "semicolons.csv": csv(";").encode(),
    "tabs.csv": csv("\t").encode(),
    "bars.csv": csv("|").encode(),
    "windows.csv": csv(",").replace("\n", "\r\n").encode("utf-8-sig"),
    "wide.csv": csv(",").encode("utf-16"),
    "wider.csv": csv(",").encode("utf-32"),
    "a.tsv": tsv().encode(),
    "a.jsonl": jsonl().encode(),
    "a.ndjson": jsonl().encode(),
    "a.parquet": parquet_bytes(),
}


def texts(*paths: Path | str, layout: Layout | None = None, **more: object) -> list[str]:
    return [document.text for document in Corpus(paths, layout, **more)]


def pairs(path: Path | str, layout: Layout = LABELLED) -> list[tuple[str, str | None]]:
    return [(document.text, document.label) for document in Corpus([path], layout)]


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str, bytes | str], Path]:
    def made(name: str, content: bytes | str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return made


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    def types(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return types


@pytest.mark.parametrize("name", FILES)
def test_a_format(file, name: str) -> None:
    assert pairs(file(name, FILES[name])) == ROWS
    assert pairs(file(f"{name}.gz", gzip.compress(FILES[name]))) == ROWS


@pytest.mark.parametrize("name", FILES)
def test_a_format_from_standard_input(typed, name: str) -> None:
    endings = {"ndjson": "jsonl"}
    ending = name.partition(".")[2]
    layout = Layout(label="label", format=endings.get(ending, ending))
    for content in (FILES[name], gzip.compress(FILES[name])):
        typed(content)
        assert pairs("-", layout) == ROWS


def test_plain_text_is_cut_into_lines_paragraphs_or_files(file) -> None:
    path = file("a.txt", "One\r\ntwo\r\n\r\n  \nthree\n")
    corpus = {unit: list(Corpus([path], Layout(unit=unit))) for unit in ("line", "paragraph")}
    assert corpus["line"] == [
        Document("One", None, 1),
        Document("two", None, 2),
        Document("three", None, 5),
    ]
    assert corpus["paragraph"] == [Document("One\r\ntwo", None, 1), Document("three", None, 5)]
    assert texts(path, layout=Layout(unit="file")) == ["One\r\ntwo\r\n\r\n  \nthree"]


def test_a_table_without_a_header(file) -> None:
    path = file("sst.train", '1 a stirring , "funny" film\n0 dull\n')
    layout = Layout(delimiter=" ", columns=("label", "text"), label="label")
    assert pairs(path, layout) == [('a stirring , "funny" film', "1"), ("dull", "0")]


def test_a_cell_of_several_lines(file) -> None:
    path = file("a.csv", 'text\n"one\ntwo"\n\nthree\n')
    assert list(Corpus([path])) == [Document("one\ntwo", None, 2), Document("three", None, 5)]


def test_quotation_marks_in_a_tsv_are_letters_unless_said(file) -> None:
    path = file("a.tsv", 'text\n"Good" film\n')
    assert texts(path) == ['"Good" film']
    quoted = file("b.tsv", 'text\tx\n"a\tb"\tc\n')
    assert texts(quoted, layout=Layout(quotes="double")) == ["a\tb"]


def test_labels_of_other_kinds(file) -> None:
    lines = [{"text": "a", "label": y} for y in (0, True, 1.5)]
    path = file("a.jsonl", "\n".join(map(json.dumps, lines)))
    assert [label for _, label in pairs(path)] == ["0", "true", "1.5"]


def test_labels_that_json_does_not_know(file) -> None:
    stream = io.BytesIO()
    days = pa.array([date(2026, 11, 30)])
    parquet.write_table(pa.table({"text": ["a"], "label": days, "day": days}), stream)
    path = file("a.parquet", stream.getvalue())
    assert pairs(path) == [("a", '"2026-11-30"')]
    with pytest.raises(PellucidError, match="line 1 has \"2026-11-30\" for a text in 'day'"):
        texts(path, layout=Layout(text="day"))


def test_a_label_may_be_wanted_without_a_name(file) -> None:
    wanted = Layout(labels="wanted")
    assert pairs(file("a.tsv", tsv()), wanted) == ROWS
    assert pairs(file("a.txt", "a"), wanted) == [("a", None)]


def test_an_encoding_that_was_said(file) -> None:
    path = file("a.txt", "spät".encode("latin-1"))
    assert texts(path, layout=Layout(encoding="latin-1")) == ["spät"]
    assert texts(
        file("b.txt", "spät".encode("utf-16-le")), layout=Layout(encoding="utf-16-le")
    ) == ["spät"]


@pytest.mark.parametrize("said", ["utf-8", "utf-8-sig", "UTF-8-SIG", "utf-16-le", "utf-16-be"])
def test_a_mark_of_byte_order_is_no_text_and_need_not_be_there(file, said: str) -> None:
    table, layout = csv(","), replace(LABELLED, encoding=said)
    kind = said.lower().removesuffix("-sig")
    for name, text in (("marked.csv", "\ufeff" + table), ("bare.csv", table)):
        assert pairs(file(name, text.encode(kind)), layout) == ROWS


def test_a_mark_is_skipped_once_and_only_where_it_is_one(file) -> None:
    assert texts(file("a.txt", "\ufeff\ufeffa\n\ufeffb")) == ["\ufeffa", "\ufeffb"]
    path = file("b.txt", b"\xef\xbb\xbfa")
    assert texts(path, layout=Layout(encoding="latin-1")) == ["ï»¿a"]


@pytest.mark.filterwarnings("error")
def test_a_wide_table_without_the_column_says_only_that(file) -> None:
    with pytest.raises(UsageError, match="has no column 'y'"):
        pairs(file("wide.csv", FILES["wide.csv"]), Layout(label="y"))


def test_a_folder_is_read_in_order_and_its_folders_are_labels(file, tmp_path: Path) -> None:
    for name in ("pos/2.txt", "pos/1.txt", "neg/sub/1.txt.gz", "0.txt", ".hidden.txt", "a.png"):
        content = name.encode()
        file(f"corpus/{name}", gzip.compress(content) if name.endswith("gz") else content)
    assert pairs(tmp_path / "corpus", Layout()) == [
        ("0.txt", None),
        ("neg/sub/1.txt.gz", "neg"),
        ("pos/1.txt", "pos"),
        ("pos/2.txt", "pos"),
    ]
    assert len(texts(tmp_path / "corpus", layout=Layout(format="txt"))) == 5


def test_a_hidden_folder_is_no_class_but_the_folder_that_was_named_may_be_hidden(
    file, tmp_path: Path
) -> None:
    for name in ("pos/1.txt", ".git/x.txt", "pos/.old/2.txt"):
        file(f".corpus/{name}", name)
    assert pairs(tmp_path / ".corpus", Layout()) == [("pos/1.txt", "pos")]


def test_a_corpus_may_be_read_again_but_for_standard_input(file, typed) -> None:
    corpus = Corpus([file("a.txt", "a\nb\n")])
    assert [len(list(corpus)) for _ in range(2)] == [2, 2]
    typed(b"a\n")
    heard = Corpus(["-"])
    assert len(list(heard)) == 1
    with pytest.raises(UsageError, match="can be read once; give a file instead"):
        list(heard)


def test_files_are_read_as_a_stream(file) -> None:
    path = file("a.txt", b"line\n" * 50_000)
    corpus = Corpus([path, path])
    documents = iter(corpus)
    assert next(documents) == Document("line", None, 1)
    assert 0 < corpus.done < 50_000 < corpus.size
    assert sum(1 for _ in documents) == 99_999
    assert corpus.done == corpus.size == 500_000


BROKEN = {
    "too many cells": (
        "a.csv",
        "text,y\na,b\nc,d,e\n",
        "line 3 has 3 columns where 2 were expected",
    ),
    "too few cells": ("a.tsv", "text\ty\na\n", "line 2 has 1 column where 2 were expected"),
    "an open quotation mark": ("a.csv", 'text\na\n"b\nc\n', "line 3 has its quotation marks wrong"),
    "a stray quotation mark": ("a.csv", 'text\n"b"c\nd\n', "line 2 has its quotation marks wrong"),
    "no JSON": ("a.jsonl", '{"text": "a"}\n{"text": \n', "line 2 is not valid JSON"),
    "deep JSON": ("a.jsonl", "[" * 100_000, "line 1 is not valid JSON"),
    "no object": ("a.jsonl", "[1]\n", "line 1 is no JSON object"),
    "no text": ("a.jsonl", '{"txt": "a"}\n', "line 1 has no 'text'; it has 'txt'"),
    "a number for a text": ("a.jsonl", '{"text": 5}\n', "line 1 has 5 for a text in 'text'"),
    "null for a text": ("a.jsonl", '{"text": null}\n', "line 1 has null for a text in 'text'"),
    "half a character": (
        "a.jsonl",
        '{"text": "a"}\n{"text": "b \\ud83d"}\n',
        "line 2 has half a character (a lone surrogate)",
    ),
    "no UTF-8": ("a.txt", b"a\nsp\xe4t\n", "line 2 is not valid UTF-8 at byte 3 (0xe4)"),
    "no UTF-8 in a cell": ("a.csv", b"text\na\n\xe4\n", "line 3 is not valid UTF-8 at byte 1"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_line_is_told_with_its_number(file, name: str) -> None:
    called, content, sentence = BROKEN[name]
    path = file(called, content)
    with pytest.raises(PellucidError) as raised:
        texts(path)
    assert str(raised.value).startswith(f"{path} {sentence}")
    assert str(raised.value).endswith("or leave such lines out (--broken skip).")


def test_a_broken_line_is_left_out_when_asked(file) -> None:
    good = file("good.txt", "good\n")
    for called, content, sentence in BROKEN.values():
        path = file(called, content)
        with pytest.warns(UserWarning, match="broken line was left out, first: ") as told:
            assert "good" in texts(path, good, broken="skip")
        assert sentence in str(told[0].message)


def test_reading_goes_on_after_a_broken_line(file) -> None:
    path = file("a.csv", b'text\na\n\xe4\nb,c\n"d"e\nf\n')
    with pytest.warns(UserWarning, match="3 broken lines were left out"):
        assert texts(path, broken="skip") == ["a", "f"]


def test_where_gaps_are_kept_a_broken_line_is_one(file) -> None:
    path = file("a.txt", b"a\nsp\xe4t\n\nb\n")
    with pytest.warns(UserWarning, match="1 broken line was left out"):
        assert texts(path, layout=Layout(gaps="kept"), broken="skip") == ["a", "", "", "b"]


def test_an_empty_text_of_a_table_may_count_as_broken(file) -> None:
    paths = file("a.csv", "text,y\na,1\n ,2\nb,3\n"), file("a.txt", "c\n\n \nd\n")
    strict = Layout(gaps="broken")
    with pytest.raises(PellucidError, match=r"a\.csv line 3 has \" \" for a text in 'text'; mend"):
        texts(*paths, layout=strict)
    with pytest.warns(UserWarning, match="1 broken line was left out"):
        assert texts(*paths, layout=strict, broken="skip") == ["a", "b", "c", "d"]
    assert texts(paths[0]) == ["a", " ", "b"]


def test_a_label_that_is_missing(file) -> None:
    path = file("a.csv", "text,label\na,\n")
    with pytest.raises(PellucidError, match="line 2 has \"\" for a label in 'label'"):
        texts(path, layout=LABELLED)


WRONG = {
    "no such column": ("a.csv", "review,stars\nx,1\n", {}, "has no column 'text'; it has 'review'"),
    "a name with a space": (
        "a.csv",
        "id, text\n1,a\n",
        {},
        "no column 'text'; it has 'id', ' text'",
    ),
    "a long name": ("a.csv", f"{'x' * 50}\n", {}, f"it has '{'x' * 39}…'. Say"),
    "a column twice": ("a.tsv", "text\tid\ttext\na\t1\tb\n", {}, "has 2 columns 'text'; rename"),
    "a name twice": ("a.tsv", "a\tb\n", {"columns": ("text", "text")}, "has 2 columns 'text'"),
    "no such name": (
        "a.tsv",
        "a\tb\n",
        {"columns": ("x", "y")},
        "has no column 'text'; it has 'x'",
    ),
    "no label": ("a.csv", "text\nx\n", {"label": "y"}, "has no column 'y'; it has 'text'."),
    "no column in Parquet": ("a.parquet", parquet_bytes(), {"text": "t"}, "has no column 't'"),
    "no Parquet": ("a.parquet", b"PAR1nonsense", {}, "is no Parquet that can be read"),
    "a column of plain text": ("a.txt", "x", {"text": "t"}, "is read as plain text, which has no"),
    "a long delimiter": ("a.csv", "text\nx", {"delimiter": "||"}, "cannot be cut at '||'"),
    "no encoding": ("a.txt", "x", {"encoding": "utf-9"}, "There is no encoding 'utf-9'"),
    "no text's encoding": ("a.txt", "x", {"encoding": "base64"}, "There is no encoding 'base64'"),
    "no whole gzip": ("a.txt.gz", gzip.compress(b"a" * 99)[:20], {}, "is no whole gzip file"),
    "broken gzip": ("a.txt.gz", b"\x1f\x8bnonsense", {}, "is no whole gzip file"),
    "no UTF-16": ("a.txt", b"\xff\xfea", {}, "cannot be decoded"),
    "no text at all": ("a.txt", " \n\n", {}, "There is no text in "),
    "a header alone": ("a.csv", "text\n", {}, "There is no text in "),
    "an empty file": ("a.csv", "", {}, "There is no text in "),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_file_that_is_not_as_was_said(file, name: str) -> None:
    called, content, layout, sentence = WRONG[name]
    with pytest.raises(PellucidError) as raised:
        texts(file(called, content), layout=Layout(**layout))
    assert sentence in str(raised.value)


def test_files_that_are_not_there(file, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no file nothing"):
        Corpus(["nothing"])
    with pytest.raises(UsageError, match=r"has no file in \.txt"):
        Corpus([tmp_path])
    with pytest.raises(UsageError, match="give - once"):
        Corpus(["-", "-"])


def test_nothing_is_said_where_nothing_is_broken(file) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert texts(file("a.txt", "a"), broken="skip") == ["a"]
