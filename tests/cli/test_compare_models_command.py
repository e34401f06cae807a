"""`pellucid compare-models`: one table, from files."""

import json
from pathlib import Path

import pytest

TOPICS = {"animal": "cat seal bird mouse", "tech": "screen cable key mouse"}
LINES = [
    f"the {word} was {place}\t{topic}"
    for topic, words in TOPICS.items()
    for word in words.split()
    for place in ("here", "there", "gone")
]
QUICK = ("--seeds", "1", "--epochs", "1", "--width", "16")

pytestmark = pytest.mark.usefixtures("unchecked")  # types are checked where training is tested


@pytest.fixture(autouse=True)
def data(tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text("\n".join(["text\tlabel", *LINES]))
    (tmp_path / "dev.tsv").write_text("\n".join(["text\tlabel", *LINES[::3]]))
    (tmp_path / "new.tsv").write_text("text\tlabel\nbread\tfood\n")


def test_one_table(run, tmp_path: Path) -> None:
    ran = run("compare-models", "train.tsv", "--valid", "dev.tsv", *QUICK, "--out", "rivals")
    assert (ran.status, ran.err) == (0, "saved: rivals\n")
    names = [line.split()[0] for line in ran.out.splitlines()[1:]]
    assert names == ["majority", "tfidf", "cnn", "lstm", "gru", "transformer"]
    assert (tmp_path / "rivals" / "comparison.txt").read_text() == ran.out
    told = run("evaluate", "rivals/gru", "dev.tsv", "--json")
    written = json.loads((tmp_path / "rivals" / "comparison.json").read_text())
    score = written["rivals"]["gru"]["trials"][0]["scores"]["dev"]
    assert json.loads(told.out)["accuracy"] == score["accuracy"]


def test_some_rivals_for_programs(run) -> None:
    sets = ("train.tsv", "--valid", "dev.tsv", "--test", "dev.tsv")
    ran = run("compare-models", *sets, "--rivals", "majority,tfidf", "--json")
    told = json.loads(ran.out)
    assert list(told["rivals"]) == ["majority", "tfidf"]
    assert told["examples"] == {"train": 24, "dev": 8, "test": 8}
    assert told["rivals"]["majority"]["test.accuracy"]["mean"] == 0.5


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (["train.tsv"], 2, "Missing option '--valid'"),
        (["no.tsv", "--valid", "dev.tsv"], 2, "There is no file no.tsv"),
        (["train.tsv", "--valid", "dev.tsv", "--rivals", "oracle"], 2, "There is no rival"),
        (["train.tsv", "--valid", "dev.tsv", "--out", "dev.tsv"], 2, "dev.tsv exists already"),
        (["train.tsv", "--valid", "dev.tsv", "--text", "y"], 2, "train.tsv has no column 'y'"),
        (["train.tsv", "--valid", "new.tsv", *QUICK], 1, "There is no example of 'food'"),
    ],
)
def test_bad_input(run, arguments: list[str], status: int, sentence: str) -> None:
    ran = run("compare-models", *arguments)
    assert ran.status == status
    assert ran.sentence.startswith(sentence)


@pytest.mark.parametrize("sets", [("-", "--valid", "-"), ("train.tsv", "--valid", "-")])
def test_standard_input_is_one_of_the_files_at_most(run, sets: tuple[str, ...]) -> None:
    said = run("compare-models", *sets, "--test", "-", *QUICK).sentence
    assert said == "Standard input can be read once; give - once."
