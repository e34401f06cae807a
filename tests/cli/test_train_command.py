"""`pellucid train classify` and `pellucid evaluate`: from examples to a run, and how good it is."""

import json
import tomllib
from pathlib import Path

import pytest

from pellucid.cli.train import TrainClassify
from pellucid.train.linear import TfidfClassifier, usual_vectorizer

TRAIN = ("train", "classify", "--model", "tfidf")
TOPICS = {"animal": "cat seal bird mouse", "tech": "screen cable key mouse"}
LINES = [
    (f"the {word} was {place}", topic)
    for topic, words in TOPICS.items()
    for word in words.split()
    for place in ("here", "there", "gone")
]


@pytest.fixture(autouse=True)
def data(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("\n".join(["text,label", *map(",".join, LINES)]))
    (tmp_path / "test.csv").write_text("text,label\na cat,animal\na key,tech\na screen,animal\n")


@pytest.fixture
def trained(run) -> None:
    assert run(*TRAIN, "train.csv", "--out", "run").status == 0


def test_a_run(run, tmp_path: Path) -> None:
    ran = run(*TRAIN, "train.csv", "--dev", "test.csv", "--out", "run")
    assert ran.status == 0
    assert ran.err == "saved: run\n"
    assert ran.out == (tmp_path / "run" / "report.txt").read_text()
    assert "On dev:\n\naccuracy  66.7%  of 3 examples" in ran.out


def test_without_a_dev_set_it_says_so(run) -> None:
    ran = run(*TRAIN, "train.csv", "--out", "run")
    assert ran.err.endswith(
        "note: Give --valid FILE to measure it on texts that it did not learn from.\n"
    )
    assert "On dev" not in ran.out


@pytest.mark.usefixtures("trained")
def test_evaluate(run) -> None:
    ran = run("evaluate", "run", "test.csv", "--json")
    assert (ran.status, ran.err) == (0, "")
    assert json.loads(ran.out) == {"accuracy": 2 / 3, "macro_f1": pytest.approx(2 / 3)}
    people = run("evaluate", "run", "test.csv").out
    assert people.startswith("accuracy  66.7%  of 3 examples\nmacro F1  66.7%  over 2 classes\n")
    assert people.splitlines()[-1].split() == ["animal", "tech", "1"]


@pytest.mark.usefixtures("trained")
def test_a_class_that_was_never_learned_is_a_mistake(run, tmp_path: Path) -> None:
    (tmp_path / "new.csv").write_text("text,label\na cat,food\n")
    assert json.loads(run("evaluate", "run", "new.csv", "--json").out)["accuracy"] == 0


def test_a_run_knows_how_its_files_were_laid_out(run, tmp_path: Path) -> None:
    (tmp_path / "lines").write_bytes("\n".join(f"{y} {text}" for text, y in LINES).encode("utf-16"))
    layout = ("--delimiter", " ", "--columns", "label,text", "--encoding", "utf-16")
    assert run(*TRAIN, "lines", *layout, "--out", "run").status == 0
    assert json.loads(run("evaluate", "run", "lines", "--json").out)["accuracy"] > 0.8


def test_a_layout_may_be_taken_back(run, tmp_path: Path) -> None:
    """Learned from a file without a header, measured on one that has it."""
    (tmp_path / "bare.csv").write_text("\n".join(f"{y},{text}" for text, y in LINES))
    assert run(*TRAIN, "bare.csv", "--columns", "label,text", "--out", "run").status == 0
    assert run("evaluate", "run", "test.csv").status == 0  # its header is taken for an example
    as_it_is = json.loads(run("evaluate", "run", "test.csv", "--columns", "none", "--json").out)
    assert as_it_is == {"accuracy": 2 / 3, "macro_f1": pytest.approx(2 / 3)}


def test_a_folder_for_each_class(run, tmp_path: Path) -> None:
    for number, (text, label) in enumerate(LINES):
        (tmp_path / "corpus" / label).mkdir(parents=True, exist_ok=True)
        (tmp_path / "corpus" / label / f"{number}.txt").write_text(text)
    assert run(*TRAIN, "corpus", "--unit", "file", "--out", "run").status == 0
    assert json.loads(run("evaluate", "run", "test.csv", "--unit", "line", "--json").out)


def test_the_usual_settings_are_the_models_own() -> None:
    usual = TrainClassify(files=["train.csv"], out=Path("run")).tfidf()
    assert usual.vectorizer.get_params() == usual_vectorizer().get_params()
    assert usual.freedom == TfidfClassifier().freedom


def test_settings_reach_the_model(run, tmp_path: Path) -> None:
    words = ("--ngrams", "1", "--stem", "porter", "--normalize", "nfc,lower")
    options = (*words, "--fewest", "3", "--freedom", "3")
    run(*TRAIN, "train.csv", *options, "--out", "run")
    about = json.loads((tmp_path / "run" / "model.json").read_text())
    assert (about["freedom"], about["fewest"], about["kind"]) == (3, 3, "tfidf-log")
    assert about["analyzer"]["steps"] == ["nfc", "lower", "porter"]
    assert about["analyzer"]["ngrams"] == [1, 1]


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        ([*TRAIN, "train.csv"], 2, "Missing option --out; or go on with a run (--resume RUN)."),
        ([*TRAIN, "--out", "run"], 2, "Missing argument FILE; or go on with a run"),
        ([*TRAIN, "train.csv", "--out", "run", "--rate", "1"], 2, "tfidf has nothing to do with r"),
        (
            [*TRAIN, "train.csv", "--out", "run", "--several", ","],
            2,
            "Only a Transformer tells sev",
        ),
        ([*TRAIN, "no.csv", "--out", "run"], 2, "There is no file no.csv."),
        ([*TRAIN, "train.csv", "--out", "test.csv"], 2, "test.csv exists already"),
        ([*TRAIN, "train.csv", "--out", "no/run"], 2, "The folder no does not exist"),
        ([*TRAIN, "train.csv", "--label", "y", "--out", "run"], 2, "train.csv has no column 'y'"),
        ([*TRAIN, "train.csv", "--dev", "no.csv", "--out", "run"], 2, "There is no file no.csv."),
        ([*TRAIN, "train.csv", "--model", "oracle", "--out", "run"], 2, "'oracle' is not"),
        ([*TRAIN, "train.csv", "--ngrams", "0", "--out", "run"], 2, "N-grams of 0 to 0 words"),
        ([*TRAIN, "one.csv", "--out", "run"], 1, "All texts have the label 'x'"),
        ([*TRAIN, "a.txt", "--out", "run"], 1, "The text of line 1 has no label"),
        (["train", "--resume", "x", *TRAIN[1:], "a.txt", "--out", "y"], 2, "before classify does"),
        ([*TRAIN, "train.csv", "--text", "y", "--out", "run"], 2, "'label'. Say which (--text)."),
        (["train"], 2, "Missing command: say what is to be trained, --resume RUN, or"),
        (["evaluate", "no", "test.csv"], 2, "no is no run of pellucid train"),
        (["evaluate", ".", "test.csv"], 2, ". is no run of pellucid train"),
        (["evaluate", "no"], 2, "Missing argument 'FILE'"),
    ],
)
def test_a_request_that_makes_no_sense(
    run, tmp_path: Path, arguments: list[str], status: int, sentence: str
) -> None:
    (tmp_path / "one.csv").write_text("text,label\na,x\nb,x\n")
    (tmp_path / "a.txt").write_text("a\n")
    ran = run(*arguments)
    assert ran.status == status
    assert sentence in ran.sentence
    assert {path.name for path in tmp_path.iterdir()} == {
        "train.csv",
        "test.csv",
        "one.csv",
        "a.txt",
    }


@pytest.mark.usefixtures("trained")
def test_an_existing_run_stays_unless_asked(run, tmp_path: Path) -> None:
    before = (tmp_path / "run" / "model.npz").read_bytes()
    assert "run exists already" in run(*TRAIN, "train.csv", "--out", "run").sentence
    assert (tmp_path / "run" / "model.npz").read_bytes() == before
    assert run(*TRAIN, "train.csv", "--freedom", "1", "--out", "run", "--force").status == 0
    assert (tmp_path / "run" / "model.npz").read_bytes() != before


@pytest.mark.usefixtures("trained")
def test_a_run_says_all_that_it_was_told_and_is_repeated_from_it(run, tmp_path: Path) -> None:
    run(*TRAIN, "train.csv", "--fewest", "2", "--ngrams", "1", "--out", "run", "--force")
    said = tomllib.loads((tmp_path / "run" / "settings.toml").read_text())
    assert (said["rival"]["kind"], said["rival"]["fewest"]) == ("tfidf", 2)
    assert "learning" not in said
    assert run("train", "--settings", "run/settings.toml", "--out", "again").status == 0
    first, again = (tmp_path / name / "report.txt" for name in ("run", "again"))
    assert first.read_text() == again.read_text()
    assert "is tfidf, which learns at once" in run("train", "--resume", "run").sentence


def test_the_commonest_class(run) -> None:
    ran = run("train", "classify", "--model", "majority", "train.csv", "--out", "run")
    assert (ran.status, "the commonest class" in ran.out) == (0, True)
    assert json.loads(run("evaluate", "run", "test.csv", "--json").out)["accuracy"] == 2 / 3
