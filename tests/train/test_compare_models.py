"""Rivals side by side."""

import json
from pathlib import Path
from statistics import fmean, stdev

import pytest
from train_texts import examples, unchecked

import pellucid
from pellucid import UsageError
from pellucid.train.classifiers import CERTAIN
from pellucid.train.comparing import AS_USUAL, RIVALS, Comparison, lasting
from pellucid.train.job import Job
from pellucid.train.run import Run, measure
from pellucid.train.settings import usual

SMALL = {"width": 16, "heads": 2, "layers": 1, "longest": 32, "rows": 20, "tokens": 512}
SMALL |= {"epochs": 3.0, "warmup": 5, "rate": 1e-2, "vocabulary": 400, "patience": 2}
SETS = {"train": examples(200), "valid": examples(60, 1), "test": examples(80, 2)}
TOLD: list[str] = []


@pytest.fixture(scope="module")
def compared() -> Comparison:
    train, valid, test = SETS.values()
    settings = usual(**SMALL)
    with unchecked():
        return pellucid.compare_models(
            train, valid=valid, test=test, seeds=2, settings=settings, tell=TOLD.append
        )


def test_every_rival_is_there(compared: Comparison) -> None:
    seeds = {name: [trial.seed for trial in compared.of(name)] for name in RIVALS}
    assert seeds == {name: [0, 1] for name in RIVALS} | {"majority": [0], "tfidf": [0]}
    assert TOLD[:3] == ["majority", "tfidf", "cnn, seed 1 of 2"]
    assert compared.sets == {"train": 200, "dev": 60, "test": 80}


def test_scores_are_those_of_the_models(compared: Comparison) -> None:
    for name, run in compared.runs.items():
        assert compared.of(name)[0].scores["test"] == measure(run.model, SETS["test"])
    majority, tfidf = (compared.of(name)[0].scores["test"].accuracy for name in RIVALS[:2])
    assert majority < 0.5
    assert tfidf > 0.9


def test_means_and_spreads(compared: Comparison) -> None:
    told = compared.to_json()["rivals"]["gru"]
    found = [trial.scores["test"].accuracy for trial in compared.of("gru")]
    assert told["test.accuracy"] == {"mean": fmean(found), "spread": stdev(found)}
    assert [trial["seed"] for trial in told["trials"]] == [0, 1]
    assert compared.to_json()["rivals"]["tfidf"]["dev.accuracy"]["spread"] == 0


def test_one_table(compared: Comparison) -> None:
    head, *rows = str(compared).splitlines()
    assert [row.split()[0] for row in rows] == list(RIVALS)
    assert head.split("  ")[-1] == "size"
    assert "accuracy test" in head
    assert "±" not in rows[1]
    assert rows[2].count("±") == 3
    trial = compared.of("cnn")[0]
    assert f"{trial.parameters:,}" in rows[2]
    assert trial.bytes > 4 * trial.parameters
    assert trial.training > 0 < trial.each


def test_written(compared: Comparison, tmp_path: Path) -> None:
    compared.save(tmp_path / "rivals")
    assert json.loads((tmp_path / "rivals" / "comparison.json").read_text()) == compared.to_json()
    assert (tmp_path / "rivals" / "comparison.txt").read_text() == f"{compared}\n"
    for name, run in compared.runs.items():
        loaded = Run.load(tmp_path / "rivals" / name)
        texts = SETS["test"].texts
        assert list(loaded.model.predict(texts)) == list(run.model.predict(texts))
        said = Job.read(tmp_path / "rivals" / name / "settings.toml")
        assert said.kind == name
        assert said.settings.rate == (1e-3 if name in CERTAIN else SMALL["rate"])
    with pytest.raises(UsageError, match="exists already"):
        compared.save(tmp_path / "rivals")
    compared.save(tmp_path / "rivals", existing="replace")


def test_what_makes_no_sense() -> None:
    with pytest.raises(UsageError, match="There is no rival 'oracle'; there are majority, tfidf"):
        pellucid.compare_models(SETS["train"], valid=SETS["valid"], rivals=["oracle"])
    with pytest.raises(UsageError, match="at least one rival and one seed"):
        pellucid.compare_models(SETS["train"], valid=SETS["valid"], seeds=0)
    with pytest.raises(UsageError, match=r"There is no file no\.tsv"):
        pellucid.compare_models("no.tsv", valid=SETS["valid"])


def test_a_rival_that_is_named_twice_is_one() -> None:
    twice = pellucid.compare_models(SETS["train"], valid=SETS["valid"], rivals=["tfidf"] * 2)
    assert [trial.rival for trial in twice.trials] == ["tfidf"]


def test_networks_stop_as_usual() -> None:
    assert AS_USUAL.patience == 3


@pytest.mark.parametrize(
    ("seconds", "told"), [(12.34, "12.3 s"), (0.00052, "520 µs"), (0.05, "50 ms"), (0, "0 µs")]
)
def test_times(seconds: float, told: str) -> None:
    assert lasting(seconds) == told
