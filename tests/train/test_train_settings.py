"""Settings: good defaults, one file that says them all, and every one a flag."""

import re
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest
from typer.main import get_command

from pellucid import UsageError
from pellucid.cli.train import train
from pellucid.cli.training import change
from pellucid.text.formats import Layout
from pellucid.text.kinds import KindName
from pellucid.train.job import Job, flat
from pellucid.train.settings import Pieces, Settings, TaskName, check, usual

RECIPES = sorted((Path(__file__).parents[2] / "recipes").glob("*.toml"))


def written(folder: Path, job: Job) -> Path:
    (folder / "settings.toml").write_text(job.to_toml())
    return folder / "settings.toml"


@pytest.mark.parametrize("task", get_args(TaskName))
def test_written_and_read(tmp_path: Path, task: str) -> None:
    layout = Layout(columns=("label", "text"), delimiter="\t", encoding="latin-1")
    settings = usual(task=task, rate=0.02, schedule="cosine", start='a "b" \\ ü')
    job = Job(settings=settings, files=("a.tsv", "b c.tsv"), layout=layout, sign=",")
    path = written(tmp_path, job)
    assert Job.read(path) == job
    said = flat({k: v for k, v in tomllib.loads(path.read_text()).items() if k != "files"})
    assert {each.name for each in fields(Settings)} <= said.keys()


@pytest.mark.parametrize("task", get_args(TaskName))
def test_every_setting_is_a_flag_that_says_what_is_usual(task: str) -> None:
    command = get_command(train).commands[task]
    flags = {name for option in command.params for name in option.opts}
    for each in fields(Settings):
        if each.name != "task":
            assert {"start": "--from"}.get(each.name, f"--{each.name.replace('_', '-')}") in flags
    (rate,) = (option for option in command.params if "--rate" in option.opts)
    assert rate.show_default == f"{usual(task=task).rate:g}"


def test_kinds_of_pieces_are_those_of_tokenizers() -> None:
    assert get_args(Pieces) == get_args(KindName)


def test_going_on_is_gentler_than_beginning() -> None:
    assert usual(start="x").rate < usual().rate
    assert usual(start="x", rate=1.0).rate == 1.0
    assert usual(task="generate", rate=1e-5).least == 0


def test_tokens_of_a_step_take_the_place_of_usual_rows() -> None:
    assert usual(task="classify").rows == usual(task="translate", start="x").rows == 32
    assert usual(task="classify", tokens=999).rows == 0
    assert usual(task="translate", start="x", tokens=999).rows == 0
    assert usual(task="classify", tokens=999, rows=8).rows == 8


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_the_recipes_can_be_read(path: Path) -> None:
    job = Job.read(path)
    assert job.files
    known = {each.name for each in fields(Settings)} | {"files", "valid"} | vars(Layout()).keys()
    assert flat(tomllib.loads(path.read_text())).keys() <= known


@pytest.mark.parametrize("name", ["width", "longest", "window", "average", "rounds", "vocabulary"])
def test_where_there_must_be_one(name: str) -> None:
    with pytest.raises(UsageError, match=f"{name} is 0; expected is a whole number, 1 or more"):
        usual(**{name: 0})


@pytest.mark.parametrize("name", ["hidden", "smoothing", "dropout", "merge_dropout", "beta1"])
def test_a_share_leaves_something(name: str) -> None:
    with pytest.raises(UsageError, match=f"{name} is 1.0; expected is a number, 0 or more, and"):
        usual(**{name: 1.0})
    usual(**{name: 0.999})


def test_what_is_usual_is_within_its_range() -> None:
    for each in fields(Settings):
        assert check(each.name, each.default, each.type, each.metadata["within"]) == each.default


def test_a_change() -> None:
    assert change("rate=0.5") == ("rate", 0.5)
    assert change("steps=7") == ("steps", 7)
    assert change("keep=last") == ("keep", "last")
    for odd in ("rate", "rate=fast"):
        with pytest.raises(UsageError, match=f"--set {odd}"):
            change(odd)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"steps": 1.5}, "steps is 1.5; expected is a whole number, 0 or more."),
        ({"rate": float("inf")}, "rate is inf; expected is a number"),
        ({"steps": True}, "steps is True"),
        ({"least": 1.0}, "The rate cannot fall from 0.001 to 1"),
        ({"start": "minilm", "width": 64}, "width is as in minilm, where it begins; leave it out."),
        ({"accumulate": 0}, "accumulate is 0; expected is a whole number, 1 or more."),
        ({"epochs": 0.0}, "epochs is 0.0; expected is a number, more than 0."),
        ({"held_out": 1.0}, "held_out is 1.0; expected is a number, 0 or more, and less than 1."),
        ({"beta2": 1}, "beta2 is 1; expected is a number, 0 or more, and less than 1."),
        ({"taught": 1.5}, "taught is 1.5; expected is a number, 0 to 1."),
        ({"smoothing": float("nan")}, "smoothing is nan; expected is a number"),
        ({"seed": 1 << 63}, "seed is 9223372036854775808; expected is a whole number, 0 or more, "),
        ({"task": "bert", "longest": 4}, "longest is 4; bert reads two texts at once, which are 5"),
        ({"norm": "group"}, "norm is 'group'; the choices are layer, rms, batch, none."),
    ],
)
def test_what_makes_no_sense(said: dict, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        usual(**said)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("files = 'a.tsv'", "files is 'a.tsv'; expected is a section, [files]."),
        ("[files]\nfiles = 'a.tsv'", "files is 'a.tsv'; expected is a list of names."),
        ("[files]\nfiles = [1]", "files is [1]; expected is a list of names."),
        ("[files]\nfile = ['a.tsv']", "[files] has no 'file'; it has files, valid, pair, sign"),
        ("[files]\nbroken = 'maybe'", "broken is 'maybe'; the choices are refuse, skip."),
        ("[files]\npair = 3", "pair is 3; expected is a name."),
        ("[layout]\nlabels = 'wrong'", "labels is 'wrong'; the choices are as said, wanted."),
        ("[layout]\nunit = 'page'", "unit is 'page'; the choices are line, paragraph, file."),
        ("[layout]\nformat = 'doc'", "format is 'doc'; the choices are txt, csv"),
        ("[layout]\ntext = 1", "text is 1; expected is a name."),
        ("[rival]\nkind = 'oracle'", "kind is 'oracle'; the choices are tfidf, majority"),
        ("[rival]\nwhat = 1", "kind is None; the choices are tfidf, majority"),
        ("task = 'bert'\n[rival]\nkind = 'gru'", "gru tells classes alone, so task is classify;"),
        ("[learning]\nrate = 'fast'", "rate is 'fast'; expected is a number, 0 or more."),
    ],
)
def test_a_file_with_a_mistake(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=re.escape(f"{path}: {sentence}")):
        Job.read(path)


def test_a_file_without_files_names_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There are no files to learn from; name"):
        Job.read(written(tmp_path, Job(settings=usual(), files=()))).data()


def test_a_mark_at_the_beginning_of_a_file_is_no_setting(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("rate = 0.5", encoding="utf-8-sig")
    assert Job.read(path).settings.rate == 0.5
