"""Texts that lie in a file: the same as a list of them, and hardly any memory."""

import io
import json
import sys
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from train_texts import examples

from pellucid import PellucidError, UsageError
from pellucid.text.formats import Layout
from pellucid.train.examples import Examples, Pair, called
from pellucid.train.job import Job, labelled, parallel
from pellucid.train.kept import Kept, Some, number_of
from pellucid.train.settings import usual
from pellucid.train.training import divided, learner_of

TEXTS = ["the cat", "", "ein Bär 🐻", "half \ud83d", "the seal"]
LINES, LONG = 20_000, 240  # 4.8 MB


def test_the_same_as_a_list() -> None:
    kept = Kept.of(iter(TEXTS))
    assert kept == TEXTS
    assert (len(kept), kept[-1], kept[1:3]) == (5, TEXTS[-1], TEXTS[1:3])
    assert kept.empty.tolist() == [False, True, False, False, False]
    some = Some(kept, np.array([4, 0]))
    assert some == [TEXTS[4], TEXTS[0]]
    assert some != TEXTS
    with pytest.raises(IndexError):
        kept[5]


def test_nothing_at_all() -> None:
    assert len(Kept.of([])) == 0
    assert Kept.of(["", ""]) == ["", ""]


def test_pairs_are_put_together_when_they_are_wanted() -> None:
    pairs = Examples(Kept.of(["a", "b"]), ["x", "y"]).paired(Kept.of(["c", "d"]))
    assert isinstance(pairs.texts[1], Pair)
    assert (pairs.texts[1].first, pairs.texts[1].second) == ("b", "d")
    assert pairs.some(np.array([1])).texts[0] == "b\nd"
    with pytest.raises(PellucidError, match="2 texts cannot be paired with 1"):
        Examples(["a", "b"], ["x", "y"]).paired(["c"])


def job(task: str, *files: Path, **layout: str) -> Job:
    return Job(settings=usual(task=task), files=tuple(map(str, files)), layout=Layout(**layout))


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of lines with labels, larger than what may be held of it."""
    path = tmp_path_factory.mktemp("long") / "long.tsv"
    with path.open("w") as file:
        file.write("text\tlabel\n")
        file.writelines(f"{number:0{LONG}}\t{'ab'[number % 2]}\n" for number in range(LINES))
    return path


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("task", ["classify", "translate"])
def test_data_are_not_held_in_memory(long: Path, task: str) -> None:
    read = {"classify": labelled, "translate": parallel}[task]
    asked = job(task, *[long] * (2 if task == "translate" else 1), label="label")
    tracemalloc.start()
    try:
        found = read(asked, asked.files)
        held, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(found) == LINES
    assert held < LINES * 2 * 40
    assert most < LINES * LONG / 2
    last = found.texts[-1] if task == "classify" else found.targets[-1]
    assert last == f"{LINES - 1:0{LONG}}"


def test_lines_without_a_partner(tmp_path: Path) -> None:
    a, b = tmp_path / "a.txt", tmp_path / "b.txt"
    a.write_text("one\n\ntwo\n")
    b.write_text("eins\n\nzwei\n")
    both = parallel(job("translate", a, b), (str(a), str(b)))
    assert (both.sources, both.targets) == (["one", "two"], ["eins", "zwei"])
    b.write_text("eins\n\n\n")
    with pytest.raises(PellucidError, match=r"b\.txt line 3 is empty; fill it"):
        parallel(job("translate", a, b), (str(a), str(b)))
    b.write_text("eins\n")
    with pytest.raises(PellucidError, match=r"a\.txt has 3 lines and .*b\.txt 1"):
        parallel(job("translate", a, b), (str(a), str(b)))


def test_where_one_half_is_broken_the_pair_is_left_out(tmp_path: Path) -> None:
    a, b = tmp_path / "a.txt", tmp_path / "b.txt"
    a.write_bytes(b"one\ntw\xff\nthree\nfour\nfive\n")
    b.write_bytes(b"eins\nzwei\ndrei\nv\xffer\n\n")
    asked = replace(job("translate", a, b), broken="skip")
    with pytest.warns(UserWarning, match="left out") as told:
        both = parallel(asked, asked.files)
    assert (both.sources, both.targets) == (["one", "three"], ["eins", "drei"])
    said = [str(each.message) for each in told]
    assert [each.startswith("1 broken line was left out") for each in said] == [True, True, False]
    assert said[2] == f"3 half pairs left out, first: {a} line 2 is broken or empty."


ROWS = [{"text": f"one {at}", "b": f"two {at}", "label": "xy"[at % 2]} for at in range(4)]


@pytest.mark.parametrize("task", ["classify", "translate"])
def test_a_row_that_lacks_one_text_of_its_pair_is_left_out(tmp_path: Path, task: str) -> None:
    lacking = [{"b": "two", "label": "x"}, *ROWS, {"text": "one", "b": None, "label": "y"}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, lacking)))
    asked = replace(job(task, tmp_path / "a.jsonl", label="label"), pair="b", broken="skip")
    with pytest.warns(UserWarning, match="^2 broken lines were left out, first: ") as told:
        found = asked.data()[0]
    assert len(told) == 1  # the file is read once
    first, second = ([row[column] for row in ROWS] for column in ("text", "b"))
    if task == "translate":
        assert (found.sources, found.targets) == (first, second)
    else:
        assert [(pair.first, pair.second) for pair in found.texts] == [
            *zip(first, second, strict=True)
        ]
        assert found.labels == [row["label"] for row in ROWS]
    with pytest.raises(PellucidError, match="line 1 has no 'text'"):
        replace(asked, broken="refuse").data()


@pytest.mark.parametrize(
    ("task", "pair", "column"),
    [
        ("generate", "", ["one", "two"]),
        ("bert", "", ["one", "two"]),
        ("classify", "b", ["one\neins", "two\nzwei"]),
        ("translate", "b", ["one", "two"]),
    ],
)
def test_standard_input_can_be_read_again(
    monkeypatch: pytest.MonkeyPatch, task: str, pair: str, column: list[str]
) -> None:
    content = b"text\tb\tlabel\none\teins\tx\ntwo\tzwei\ty\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    asked = replace(job(task, Path("-"), format="tsv", label="label"), pair=pair)
    found = asked.data()[0]
    texts = {"classify": "texts", "translate": "sources"}
    for _ in range(2):
        assert [*(getattr(found, texts[task]) if pair else found)] == column
    with pytest.raises(UsageError, match="give - once"):
        replace(asked, valid=("-",)).data()


def test_a_second_column_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("text\tlabel\na\tx\n")
    asked = replace(job("classify", tmp_path / "a.tsv", label="label"), pair="b")
    with pytest.raises(PellucidError, match=r"no column 'b'; .* Say which \(--pair\)"):
        asked.data()


def spoiled(text: str) -> Examples:
    """Forty texts, of which the thirtieth is this one."""
    return Examples([*["the cat"] * 29, text, *["a seal"] * 10], ["x", "y"] * 20)


@pytest.mark.parametrize("kind", ["transformer", "gru"])
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (" ", "Text 30 is empty; leave it out, or fill it."),
        ("cat " * 30, "Text 30 has"),
        ("half \ud83d", "Text 30 is not valid Unicode at character 5; mend it."),
    ],
)
def test_a_text_has_its_own_number_held_out_or_not(kind: str, text: str, sentence: str) -> None:
    settings = usual(task="classify", width=8, heads=1, layers=1, longest=16, vocabulary=300)
    for seed in range(4):
        asked = Job(settings=replace(settings, seed=seed, held_out=0.5), files=())
        given, valid = divided(asked, spoiled(text), None)
        learner = learner_of(replace(asked, rival={} if kind == "transformer" else {"kind": kind}))
        with pytest.raises(PellucidError, match=f"^{sentence}"):
            learner.prepare(given, valid)


@pytest.mark.parametrize("sign", ["", ","])
def test_the_last_of_a_class_is_never_held_out(sign: str) -> None:
    labels = [*["x", "y"] * 30, *(f"x{sign} rare {at}" for at in range(20)), "odd", "odd"]
    given = Examples([f"text {at}" for at in range(len(labels))], labels)
    for seed in range(4):
        asked = Job(settings=usual(seed=seed, held_out=0.5), files=(), sign=sign)
        learned, held = divided(asked, given, None)
        assert sorted([*learned.texts, *held.texts]) == sorted(given.texts)
        assert set(learned.labels) >= set(labels) - {"x", "y"}
        assert len(held) > 20
    only = Examples(["a", "b", "c"], ["x", "y", "z"])
    assert divided(asked, only, None) == (only, None)


def test_the_numbers_of_pairs_are_those_of_lines(tmp_path: Path) -> None:
    a, b = tmp_path / "a.txt", tmp_path / "b.txt"
    a.write_text("one\n\ntwo\n" * 10)
    b.write_text("eins\n\nzwei\n" * 10)
    both = parallel(job("translate", a, b), (str(a), str(b)))
    assert [number_of(both.some(np.array([0, 1, 19])).targets, at) for at in range(3)] == [1, 3, 30]


def test_what_is_measured_on_has_a_name() -> None:
    whole = examples(8)
    learned, held = whole.some(np.arange(6)), whole.some(np.arange(6, 8))
    assert called(held, learned) == "Text"
    assert called(examples(8), learned) == called(held, whole) == "Validation text"
