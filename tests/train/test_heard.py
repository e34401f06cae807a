"""What is said and would not be heard is refused, by every door; what is as usual does no harm."""

from dataclasses import fields, replace
from pathlib import Path
from typing import get_args

import pytest
from test_train_settings import RECIPES
from train_texts import examples

import pellucid
from pellucid import UsageError
from pellucid.train.classifiers import CLASSIFIERS
from pellucid.train.comparing import AS_USUAL
from pellucid.train.heard import DEAF, NEEDS, unusual
from pellucid.train.job import Job
from pellucid.train.rivals.making import changed, checked, usual_of
from pellucid.train.rivals.networks import NETWORKS
from pellucid.train.settings import INSTEAD, MADE, Settings, TaskName, usual

MODELS = sorted((Path(__file__).parents[2] / "recipes" / "models").glob("*.toml"))
NAMES = {each.name for each in fields(Settings)}


def job(**said) -> Job:
    return Job(settings=usual(**said), files=())


def test_the_tables_know_every_learner_and_no_setting_that_there_is_not() -> None:
    assert DEAF.keys() == {*get_args(TaskName), *NETWORKS}
    assert DEAF.keys() - {*get_args(TaskName)} < CLASSIFIERS.keys()
    assert {*NEEDS, *INSTEAD, *MADE, *(name for deaf in DEAF.values() for name in deaf)} <= NAMES


@pytest.mark.parametrize("task", get_args(TaskName))
@pytest.mark.parametrize("start", ["", "run"])
def test_what_is_unusual_is_all_there_is_to_say(task: str, start: str) -> None:
    settings = usual(task=task, start=start, tokens=999, schedule="constant", rate=1e-5, seed=3)
    assert usual(**unusual(settings)) == settings
    assert unusual(usual(task=task)) == {"task": task, "start": ""}


@pytest.mark.parametrize(
    ("task", "said", "sentence"),
    [
        ("classify", {"masked": 0.3}, "classify has nothing to do with masked; leave it out."),
        ("generate", {"pooling": "first"}, "generate has nothing to do with pooling"),
        ("generate", {"too_long": "cut"}, r"nothing to do with too_long \(--too-long\); leave it"),
        ("translate", {"hidden": 0.1}, "translate has nothing to do with hidden"),
        ("bert", {"merge_dropout": 0.1}, "bert has nothing to do with merge_dropout"),
        ("classify", {"taught": 0.9}, "taught is heard only beside a teacher; say so, or leave it"),
        ("classify", {"convention": "fairseq"}, "convention is heard only beside smoothing"),
        ("classify", {"average": 3}, "average is heard only where keep is average"),
        ("generate", {"least": 2e-4, "schedule": "constant"}, "least is heard only where the sche"),
        ("classify", {"start": "run", "width": 128}, "width is as in run, where it begins; leave"),
        ("classify", {"teacher": "t", "norm": "layer"}, "norm is as in t, which teaches; leave it"),
        ("classify", {"tokens": 9, "rows": 8}, "tokens is not heard beside rows; leave one of the"),
        ("classify", {"epochs": 9.0, "steps": 8}, "epochs is not heard beside steps; leave one of"),
    ],
)
def test_what_would_be_said_in_vain(task: str, said: dict, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        usual_of(task, said)
    with pytest.raises(UsageError, match=sentence):
        changed(job(task=task), said)


@pytest.mark.parametrize(
    ("kind", "said", "sentence"),
    [
        ("cnn", {"start": "minilm"}, r"cnn has nothing to do with start \(--from\); leave it out."),
        ("gru", {"layer_rate": 0.9}, r"gru has nothing to do with layer_rate \(--layer-rate\)"),
        ("tfidf", {"held_out": 0.5}, r"tfidf has nothing to do with held_out \(--held-out\)"),
        ("majority", {"rate": 5.0}, "majority has nothing to do with rate"),
    ],
)
def test_a_rival_hears_less(kind: str, said: dict, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        usual_of("classify", said, {"kind": kind})
    with pytest.raises(UsageError, match=sentence):
        changed(replace(job(), rival={"kind": kind}), said)


def test_what_is_as_usual_does_no_harm() -> None:
    for task in get_args(TaskName):
        plain = usual(task=task)
        either = {*INSTEAD, *INSTEAD.values()}
        said = {name: value for name, value in vars(plain).items() if name not in either}
        assert usual_of(task, said) == plain
    assert usual_of("classify", {"steps": 0, "epochs": 3.0}).epochs == 3
    assert usual_of("classify", {"taught": 0.9, "teacher": "t", "width": 64}).taught == 0.9
    assert usual_of("classify", {"teacher": "t", "pieces": "own", "norm": "rms"}).norm == "rms"
    assert usual_of("generate", {"start": "run", "longest": 64}).longest == 64


def test_a_change_is_heard_where_its_opposite_stood() -> None:
    assert changed(job(), {"tokens": 64}).settings == usual(tokens=64)
    assert changed(job(steps=9), {"epochs": 2.0}).settings == usual(epochs=2.0)
    again = {"masked": 0.4, "steps": 9}  # an older run may have been begun with what is not heard
    assert changed(job(**again), again).settings == usual(**again)


@pytest.mark.parametrize(
    ("began", "said"),
    [
        ({"epochs": 2.0}, {"steps": 9}),
        ({"tokens": 64}, {"rows": 8}),
        ({"keep": "average", "average": 2}, {"keep": "last"}),
        ({"smoothing": 0.1, "convention": "fairseq"}, {"smoothing": 0.0}),
        ({"schedule": "cosine", "least": 1e-4}, {"schedule": "constant"}),
    ],
)
def test_a_run_that_was_changed_can_be_repeated(began: dict, said: dict) -> None:
    checked(changed(job(**began), said))


@pytest.mark.parametrize("path", RECIPES + MODELS, ids=lambda path: path.stem)
def test_all_that_the_recipes_say_is_heard(path: Path) -> None:
    checked(Job.read(path))


def test_what_a_comparison_writes_is_heard() -> None:
    for kind in NETWORKS:
        checked(Job(settings=AS_USUAL, files=(), rival={"kind": kind}))
    checked(Job(settings=AS_USUAL, files=()))


@pytest.mark.parametrize("said", [{"patience": 3}, {"keep": "average"}])
@pytest.mark.parametrize("few", [{"held_out": 0.0}, {}])
def test_nothing_waits_for_measurements_that_never_come(said: dict, few: dict) -> None:
    with pytest.raises(UsageError, match=r"is (3|average), but there is nothing to measure on"):
        pellucid.train("classify", examples(40 if few else 8), vocabulary=300, **said, **few)
