"""`pellucid train`: Transformers from files, whatever the task; what is wrong is said early."""

import json
import tomllib
from pathlib import Path

import pytest

import pellucid
from pellucid.models.encoder_decoder import EncoderDecoder

SMALL = ("--width", "16", "--layers", "1", "--heads", "2", "--vocabulary", "300", "--rate", "0.01")
BRIEF = (*SMALL, "--steps", "6", "--measure", "3", "--warmup", "1")
TOPICS = {"animal": "cat seal bird mouse", "tech": "screen cable key mouse"}
LINES = [
    f"the {word} was {place}\t{topic}"
    for topic, words in TOPICS.items()
    for word in words.split()
    for place in ("here", "there", "gone", "his", "hers", "old", "new", "red")
]
NUMBERS = "one two three four five six seven eight nine ten".split()


@pytest.fixture(autouse=True)
def data(tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text("\n".join(["text\tlabel", *LINES]))
    (tmp_path / "dev.tsv").write_text("text\tlabel\na cat\tanimal\na key\ttech\n")
    english = [f"{a} and {b}" for a in NUMBERS for b in NUMBERS[:4]]
    (tmp_path / "train.en").write_text("\n".join(english))
    (tmp_path / "train.xx").write_text("\n".join(" ".join(text.split()[::-1]) for text in english))
    (tmp_path / "a.txt").write_text("\n\n".join(" ".join(NUMBERS) for _ in range(30)))
    (tmp_path / "b.txt").write_text("\n\n".join(LINES))


def said(folder: Path) -> dict:
    return tomllib.loads((folder / "settings.toml").read_text())


def test_a_classifier(run, tmp_path: Path) -> None:
    options = ("--valid", "dev.tsv", *SMALL, "--epochs", "30", "--rows", "16", "--warmup", "10")
    ran = run("train", "classify", "train.tsv", *options, "--out", "run")
    assert (ran.status, ran.err) == (0, "saved: run\n")
    assert ran.out == (tmp_path / "run" / "report.txt").read_text()
    assert "On dev:\n\naccuracy  100.0%  of 2 examples" in ran.out
    score = json.loads(run("evaluate", "run", "dev.tsv", "--json").out)
    assert score == {"accuracy": 1.0, "macro_f1": 1.0}
    trace = pellucid.load(tmp_path / "run").see("the cat was here")
    assert trace["classes.probabilities"].argmax() == 0


@pytest.mark.parametrize(
    ("task", "files", "measure"),
    [
        ("generate", ["a.txt"], {"loss", "perplexity", "bits_per_byte"}),
        ("translate", ["train.en", "train.xx"], {"loss", "perplexity", "bits_per_byte"}),
        ("bert", ["a.txt", "b.txt"], {"words", "next_sentence"}),
    ],
)
def test_every_task(run, tmp_path: Path, task: str, files: list[str], measure: set[str]) -> None:
    longest = ("--longest", "32")
    ran = run("train", task, *files, *BRIEF, *longest, "--out", "run")
    assert (ran.status, ran.err) == (0, "saved: run\n")
    score = json.loads(run("evaluate", "run", *files, "--json").out)
    assert score.keys() == measure
    assert all(number > 0 for number in score.values())
    model = pellucid.load(tmp_path / "run")
    texts = ("one and two", "two and one") if isinstance(model, EncoderDecoder) else ("one two",)
    assert model.see(*texts)
    lines = (tmp_path / "run" / "log.jsonl").read_text().splitlines()
    log = [json.loads(line) for line in lines]
    assert [entry["step"] for entry in log if "valid" in entry] == [3, 6]
    assert [entry["step"] for entry in log if "loss" in entry] == [1, 2, 3, 4, 5, 6]


def test_a_run_is_measured_on_texts_that_are_too_long_if_they_may_be_cut(
    run, tmp_path: Path
) -> None:
    (tmp_path / "long.tsv").write_text("text\tlabel\nthe cat\tanimal\n" + "key " * 40 + "\ttech\n")
    run("train", "classify", "train.tsv", *BRIEF, "--longest", "32", "--out", "run")
    said = run("evaluate", "run", "long.tsv").sentence
    assert said.endswith("reads at most 32; cut such texts (--too-long cut).")
    ran = run("evaluate", "run", "long.tsv", "--too-long", "cut")
    assert (ran.status, ran.err) == (0, "note: 1 text was cut to 32 tokens.\n")
    run("train", "generate", "a.txt", *BRIEF, "--longest", "32", "--out", "writer")
    run("train", "classify", "train.tsv", "--model", "tfidf", "--out", "tfidf")
    for vain in (
        ("evaluate", "writer", "a.txt"),
        ("evaluate", "tfidf", "train.tsv"),
        ("classify", "--model", "tfidf", "the cat"),
    ):
        told = run(*vain, "--too-long", "cut").sentence
        assert told == "No text is too long for this model; leave --too-long out."


def test_a_run_is_repeated_from_its_settings_and_goes_on(run, tmp_path: Path) -> None:
    run("train", "generate", "a.txt", *BRIEF, "--longest", "32", "--out", "run")
    first = (tmp_path / "run" / "model.safetensors").read_bytes()
    assert run("train", "--settings", "run/settings.toml", "--out", "again").status == 0
    assert (tmp_path / "again" / "model.safetensors").read_bytes() == first
    assert said(tmp_path / "run") == said(tmp_path / "again")
    ran = run("train", "--resume", "run", "--set", "steps=8")
    assert "Settings changed since this run began: steps was 6, is 8." in ran.err
    assert said(tmp_path / "run")["learning"]["steps"] == 8
    assert (tmp_path / "run" / "model.safetensors").read_bytes() != first
    refused = run("train", "--resume", "run", "--set", "width=32")
    assert "A run that goes on cannot be another: width was 16, is 32." in refused.sentence
    assert run("train", "--resume", "run").status == 0


def test_tokens_of_a_step_take_the_place_of_the_rows_that_a_file_says(run, tmp_path: Path) -> None:
    run("train", "classify", "train.tsv", *BRIEF, "--out", "run")
    again = ("train", "--settings", "run/settings.toml", "--out", "again")
    assert run(*again, "--set", "tokens=64").status == 0
    batches = said(tmp_path / "again")["batches"]
    assert (batches["tokens"], batches["rows"]) == (64, 0)


def test_help_has_what_a_task_hears(run) -> None:
    told = run("train", "generate", "--help").out
    assert "--documents" in told
    assert "--pooling" not in told


def test_a_run_goes_on_in_the_words_that_began_it(run, tmp_path: Path) -> None:
    begun = ("train", "classify", "train.tsv", "--valid", "dev.tsv", *BRIEF)
    run(*begun, "--out", "run")
    assert run(*begun, "--resume", "run").err == "saved: run\n"
    (tmp_path / "copy.tsv").write_bytes((tmp_path / "train.tsv").read_bytes())
    ran = run("train", "classify", "copy.tsv", "--resume", "run", "--steps", "8")
    assert "Settings changed since this run began: steps was 6, is 8." in ran.err
    assert 'otherwise, with the same data: files was ["train.tsv"], is ["copy.tsv"].' in ran.err
    assert said(tmp_path / "run")["files"] == {
        **said(tmp_path / "run")["files"], "files": ["copy.tsv"], "valid": ["dev.tsv"]
    }  # fmt: skip
    before = (tmp_path / "run" / "settings.toml").read_bytes()
    (tmp_path / "copy.tsv").write_text("\n".join(["text\tlabel", *LINES[:-1]]))
    for wrong, sentence in {
        ("classify", "copy.tsv"): "began with (64 examples, 400 tokens then, 63 examples, ",
        ("classify", "train.tsv", "--valid", "train.tsv"): "The validation data are not those",
        ("classify", "train.tsv", "--width", "32"): "be another: width was 16, is 32.",
        ("generate", "a.txt"): "run was begun as classify with transformer; it cannot go on as",
        ("classify", "train.tsv", "--model", "gru"): "begun as classify with transformer;",
        ("classify", "train.tsv", "--out", "other"): "leave --out and --force.",
    }.items():
        assert sentence in run("train", *wrong, "--resume", "run").sentence
    assert (tmp_path / "run" / "settings.toml").read_bytes() == before


def test_a_run_that_goes_on_elsewhere_asks_for_its_files(run, tmp_path: Path, monkeypatch) -> None:
    run("train", "generate", "a.txt", *BRIEF, "--longest", "32", "--out", "run")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert run("train", "--resume", "../run").sentence == (
        "There is no file a.txt here, which ../run learns from; go on in the folder that it began "
        "in, or name its files: pellucid train generate FILE … --resume ../run"
    )
    assert run("train", "generate", "../a.txt", "--resume", "../run").status == 0


def test_a_rival_is_trained_taken_up_and_repeated(run, tmp_path: Path) -> None:
    small = ("--width", "8", "--vocabulary", "300", "--steps", "4", "--measure", "2")
    command = ("train", "classify", "train.tsv", "--valid", "dev.tsv", "--model", "gru", *small)
    assert run(*command, "--out", "run").status == 0
    about = said(tmp_path / "run")
    assert (about["rival"], about["learning"]["rate"]) == ({"kind": "gru"}, 3e-3)
    assert run("train", "--settings", "run/settings.toml", "--out", "again").status == 0
    pair = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("run", "again")]
    assert pair[0] == pair[1]
    assert "steps was 4, is 6" in run(*command[:5], "--resume", "run", "--steps", "6").err
    assert (tmp_path / "run" / "model.safetensors").read_bytes() != pair[0]
    assert json.loads(run("evaluate", "run", "dev.tsv", "--json").out)["accuracy"] >= 0
    assert (
        "gru has nothing to do with heads" in run(*command, "--heads", "2", "--out", "x").sentence
    )
    assert not (tmp_path / "x").exists()


def test_tensorboard_is_told_as_it_goes(run, tmp_path: Path) -> None:
    reading = pytest.importorskip(
        "tensorboard.backend.event_processing.event_accumulator", exc_type=ImportError
    )
    command = ("train", "classify", "train.tsv", "--valid", "dev.tsv", *BRIEF)
    assert run(*command, "--out", "run", "--tensorboard", "events").status == 0
    ran = run(*command, "--resume", "run", "--steps", "8", "--tensorboard", "events")
    assert ran.status == 0
    events = reading.EventAccumulator(str(tmp_path / "events")).Reload()
    assert [point.step for point in events.Scalars("loss/train")] == [*range(1, 9)]
    log = [json.loads(line) for line in (tmp_path / "run" / "log.jsonl").read_text().splitlines()]
    valid = [entry["valid"]["loss"] for entry in log if "valid" in entry]
    assert [point.value for point in events.Scalars("loss/valid")] == pytest.approx(valid)
    again = run(*command, "--out", "again", "--tensorboard", "events")
    assert "events exists already" in again.sentence


def test_fine_tuning(run, tmp_path: Path) -> None:
    run("train", "bert", "a.txt", "b.txt", *BRIEF, "--longest", "32", "--out", "bert")
    options = ("--from", "bert", "--steps", "4", "--freeze", "1", "--pooling", "pooled")
    ran = run("train", "classify", "train.tsv", *options, "--out", "run")
    assert ran.status == 0
    pair = [pellucid.load(tmp_path / name) for name in ("bert", "run")]
    words = [model.state()["entrance.embed.words.weight"] for model in pair]
    assert (words[0] == words[1]).all()
    assert said(tmp_path / "run")["learning"]["rate"] == 1e-4


def test_several_labels_and_pairs(run, tmp_path: Path) -> None:
    (tmp_path / "several.tsv").write_text("text\tlabel\na\tx,y\nb\tx\nc\ty\nd\tx,y\n")
    ran = run("train", "classify", "several.tsv", "--several", ",", *BRIEF, "--out", "several")
    assert ran.status == 0
    assert "classes     2" in ran.out
    (tmp_path / "pairs.tsv").write_text("text\tother\tlabel\na\tb\t0\nb\tb\t1\nc\ta\t0\na\ta\t1\n")
    ran = run("train", "classify", "pairs.tsv", "--pair", "other", *BRIEF, "--out", "pairs")
    assert ran.status == 0
    assert run("evaluate", "pairs", "pairs.tsv", "--json").status == 0
    assert pellucid.load(tmp_path / "pairs").config.segments == 2


CLASSIFY = ("train", "classify", "train.tsv")


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        ([*CLASSIFY, "--heads", "3"], 2, "The width 128 cannot be cut into 3 equal heads."),
        ([*CLASSIFY, "--rate", "-1"], 2, "rate is -1.0; expected is a number, 0 or more."),
        ([*CLASSIFY, "--masked", "0.3"], 2, "classify has nothing to do with masked; leave it out"),
        ([*CLASSIFY, "--ngrams", "1"], 2, "transformer has nothing to do with ngrams; leave it"),
        ([*CLASSIFY, "--from", "minilm", "--width", "128"], 2, "width is as in minilm, where it"),
        ([*CLASSIFY, "--model", "cnn", "--from", "x"], 2, "nothing to do with start (--from); lea"),
        ([*CLASSIFY, "--longest", "3"], 1, "and the model reads at most 3; cut such texts"),
        ([*CLASSIFY, "--valid", "new.tsv"], 1, "has the label 'food', which no text to learn from"),
        ([*CLASSIFY, "--from", "nothing"], 2, "There is no model 'nothing'"),
        (["train", "classify", "signs.tsv", "--several", ","], 1, "All texts have no label; two"),
        (["train", "classify", "one.tsv"], 1, "All texts have the label 'x'; two labels"),
        (["train", "classify", "empty.tsv"], 1, "Text 1 is empty; leave it out, or fill it."),
        (["train", "translate", "train.en", "one.tsv"], 1, "train.en has 40 lines and one.tsv 2"),
        (["train", "translate", "train.en"], 2, "1 files came; give one of sources and one of"),
        (["train", "translate", "gap.en", "gap.xx"], 1, "gap.xx line 2 is empty; fill it, or"),
        (["train", "bert", "a.txt"], 1, "learned from two documents or more"),
        (["train", "generate", "blank.txt"], 1, "There is no text in blank.txt."),
        (["train", "--resume", "no"], 2, "no is no run that can go on; it has no settings.toml."),
        (["train", "--resume", "no", "--force"], 2, "own folder; leave --out and --force."),
        (["train", "--resume", "no", "--settings", "odd.toml"], 2, "leave --settings, or say --s"),
        (["train", "--settings", "vain.toml"], 2, "bert has nothing to do with hidden; leave it"),
        (["train", "--settings", "odd.toml"], 2, "There is no setting 'colour'"),
        (["train", "--settings", "bad.toml"], 2, "bad.toml cannot be read as settings"),
    ],
)
def test_bad_input_is_said_and_leaves_nothing(
    run, tmp_path: Path, arguments: list[str], status: int, sentence: str
) -> None:
    (tmp_path / "new.tsv").write_text("text\tlabel\nsoup\tfood\n")
    (tmp_path / "signs.tsv").write_text("text\tlabel\na\t,\nb\t,\n")
    (tmp_path / "one.tsv").write_text("text\tlabel\na\tx\nb\tx\n")
    (tmp_path / "empty.tsv").write_text("text\tlabel\n \tx\nb\ty\n")
    (tmp_path / "gap.en").write_text("a\nb\nc\n")
    (tmp_path / "gap.xx").write_text("a\n\nc\n")
    (tmp_path / "blank.txt").write_text("\n\n")
    (tmp_path / "odd.toml").write_text('task = "generate"\n[model]\ncolour = "red"\n')
    vain = 'task = "bert"\n[learning]\nhidden = 0.1\n[files]\nfiles = ["a.txt"]\n'
    (tmp_path / "vain.toml").write_text(vain)
    (tmp_path / "bad.toml").write_text("task = ")
    out = () if "--resume" in arguments else ("--out", "run")
    held = () if "--valid" in arguments or "classify" not in arguments else ("--held-out", "0")
    ran = run(*arguments, *held, *out)
    assert ran.status == status
    assert sentence in ran.sentence
    assert not (tmp_path / "run").exists()
    assert not list(tmp_path.glob(".*"))


def test_long_texts_are_cut_when_asked_and_counted(run) -> None:
    options = (*BRIEF, "--longest", "8", "--too-long", "cut")
    ran = run("train", "classify", "train.tsv", *options, "--out", "run")
    assert ran.status == 0
    assert "texts were cut to 8 tokens." in ran.err
