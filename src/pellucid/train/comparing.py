"""Rivals side by side: the same examples, the same measure, several seeds.

print(pellucid.compare_models("train.tsv", valid="dev.tsv", test="test.tsv"))
"""

import json
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from pellucid.errors import UsageError
from pellucid.record.files import Existing, write_folder
from pellucid.record.printed import aligned, in_words
from pellucid.text.formats import Layout
from pellucid.text.sources import Corpus
from pellucid.train.classifiers import CERTAIN, Classifier, classifier
from pellucid.train.examples import Examples
from pellucid.train.job import FILE, Job
from pellucid.train.linear import TfidfClassifier
from pellucid.train.rivals.classifier import NetworkClassifier
from pellucid.train.rivals.making import as_told
from pellucid.train.rivals.networks import NETWORKS, USUAL
from pellucid.train.run import Run, measure, write_text
from pellucid.train.score import Score, percent
from pellucid.train.settings import Settings, usual
from pellucid.train.transformer import TransformerClassifier

Given = str | Path | Corpus | Examples
Tell = Callable[[str], object]

SEEDED = ("cnn", "lstm", "gru", "transformer")
RIVALS = (*CERTAIN, *SEEDED)
LAYOUT = Layout(labels="wanted")
AS_USUAL = usual(tokens=1024, **USUAL)  # small batches suit small sets
ABOUT = "comparison.json"
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


@dataclass(frozen=True)
class Trial:
    """One rival, trained once. Times are seconds, `bytes` those of its saved files."""

    rival: str
    seed: int
    scores: Mapping[str, Score]
    training: float
    each: float  # to answer one text
    parameters: int
    bytes: int

    def to_json(self) -> dict[str, Any]:
        """The numbers as plain data."""
        scores = {on: score.summary() for on, score in self.scores.items()}
        return {**vars(self), "scores": scores}


@dataclass(frozen=True)
class Comparison:
    """All trials, and of each rival the first trained model, with what it was asked to do."""

    trials: Sequence[Trial]
    runs: Mapping[str, Run]
    jobs: Mapping[str, Job]
    sets: Mapping[str, int]  # examples of each set

    def of(self, rival: str) -> list[Trial]:
        """One rival's trials, a seed each."""
        return [trial for trial in self.trials if trial.rival == rival]

    def to_json(self) -> dict[str, Any]:
        """Sets, and each rival's means, spreads and trials."""
        return {
            "examples": dict(self.sets),
            "rivals": {name: self._told(name) for name in self.runs},
        }

    def _told(self, rival: str) -> dict[str, Any]:
        trials = self.of(rival)
        figures = {
            f"{on}.{name}": [trial.scores[on].summary()[name] for trial in trials]
            for on in trials[0].scores
            for name in trials[0].scores[on].summary()
        }
        means = {name: {"mean": fmean(x), "spread": spread(x)} for name, x in figures.items()}
        return {**means, "trials": [trial.to_json() for trial in trials]}

    def __str__(self) -> str:
        """One table; ± is the standard deviation over seeds."""
        measured = list(self.trials[0].scores)
        scores = [*(f"accuracy {on}" for on in measured), f"macro F1 {measured[-1]}"]
        head = ("", *scores, "training", "a text", "parameters", "size")
        return aligned([head, *(self._row(name) for name in self.runs)])

    def _row(self, rival: str) -> tuple[str, ...]:
        trials = self.of(rival)
        measured = [[trial.scores[on] for trial in trials] for on in trials[0].scores]
        scores = [shared([score.accuracy for score in each]) for each in measured]
        scores.append(shared([score.macro_f1 for score in measured[-1]]))
        times = (lasting(fmean(t.training for t in trials)), lasting(fmean(t.each for t in trials)))
        first = trials[0]
        return rival, *scores, *times, f"{first.parameters:,}", in_words(first.bytes)

    def save(self, folder: Path, existing: Existing = "refuse") -> None:
        """The table, the numbers, and a run for each rival; all of it or nothing."""
        write_folder(folder, self._fill, existing, mark=ABOUT)

    def _fill(self, folder: Path) -> None:
        text = json.dumps(self.to_json(), ensure_ascii=False, indent=1)
        (folder / ABOUT).write_text(f"{text}\n", encoding="utf-8")
        (folder / "comparison.txt").write_text(f"{self}\n", encoding="utf-8")
        for name, run in self.runs.items():
            run.save(folder / name)
            write_text(folder / name / FILE, self.jobs[name].to_toml())


def compare_models(
    train: Given,
    *,
    valid: Given,
    test: Given | None = None,
    rivals: Sequence[str] = RIVALS,
    seeds: int = 3,
    settings: Settings = AS_USUAL,
    tell: Tell = lambda what: None,
) -> Comparison:
    """Train each rival on the same examples, networks once a seed, and measure them.

    `valid` decides when a network stops learning, so only `test` is fair to all. `settings` are
    those of the networks; `tell` is told what is being trained.
    """
    check_rivals(rivals, seeds)
    given = {"train": train, "dev": valid} | ({} if test is None else {"test": test})
    sets = {name: read(each) for name, each in given.items()}
    layout = train.layout if isinstance(train, Corpus) else LAYOUT
    trials: list[Trial] = []
    runs: dict[str, Run] = {}
    for name in dict.fromkeys(rivals):
        for seed in range(seeds if name in SEEDED else 1):
            tell(f"{name}, seed {seed + 1} of {seeds}" if name in SEEDED else name)
            trial, model = attempt(name, replace(settings, seed=seed), sets)
            trials.append(trial)
            runs.setdefault(name, Run(name, model, layout, trial.scores))
    asked = Job(
        settings=replace(settings, seed=0), files=paths(train), valid=paths(valid), layout=layout
    )
    jobs = {name: replace(asked, rival=told(name, run.model)) for name, run in runs.items()}
    return Comparison(trials, runs, jobs, {name: len(each) for name, each in sets.items()})


def told(name: str, model: object) -> dict[str, Any]:
    """What is said of a rival in settings.toml."""
    if name == "transformer":
        return {}
    return as_told(model) if isinstance(model, TfidfClassifier) else {"kind": name}


def paths(given: Given) -> tuple[str, ...]:
    """The files that examples came from, if they did."""
    if isinstance(given, Examples):
        return ()
    return given.paths if isinstance(given, Corpus) else (str(given),)


def attempt(
    name: str, settings: Settings, sets: Mapping[str, Examples]
) -> tuple[Trial, Classifier]:
    """Train one rival once, and measure it on all but what it learned from."""
    model = untrained(name, settings)
    started = time.perf_counter()
    model.fit(sets["train"], sets["dev"])
    learned = time.perf_counter()
    scores = {on: measure(model, each) for on, each in sets.items() if on != "train"}
    took = time.perf_counter() - learned
    trial = Trial(
        rival=name,
        seed=settings.seed,
        scores=scores,
        training=learned - started,
        each=took / sum(score.examples for score in scores.values()),
        parameters=model.size(),
        bytes=saved_bytes(model),
    )
    return trial, model


def untrained(name: str, settings: Settings) -> Classifier:
    """A rival that has learned nothing yet."""
    if name in NETWORKS:
        return NetworkClassifier(name, settings)
    return TransformerClassifier(settings) if name in SEEDED else classifier(name)()


def saved_bytes(model: Classifier) -> int:
    """The bytes of a model's files."""
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder))
        return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())


def check_rivals(rivals: Sequence[str], seeds: int) -> None:
    """Say early what makes no sense."""
    for name in rivals:
        if name not in RIVALS:
            raise UsageError(f"There is no rival {name!r}; there are {', '.join(RIVALS)}.")
    if not rivals or seeds < 1:
        raise UsageError("Give at least one rival and one seed.")


def read(given: Given) -> Examples:
    """Examples, or a file of them."""
    if isinstance(given, Examples):
        return given
    return Examples.of(given if isinstance(given, Corpus) else Corpus([given], LAYOUT))


def spread(numbers: Sequence[float]) -> float:
    """The standard deviation over seeds; of one it is not known, and 0 is said."""
    return stdev(numbers) if len(numbers) > 1 else 0.0


def shared(numbers: Sequence[float]) -> str:
    """The mean of shares, and their spread where there are several."""
    mean = percent(fmean(numbers))
    return f"{mean} ± {100 * spread(numbers):.1f}" if len(numbers) > 1 else mean


def lasting(seconds: float) -> str:
    """A time as a person says it: 12.3 s, 0.52 ms."""
    size, unit = next(((s, u) for s, u in UNITS if seconds >= s), UNITS[-1])
    return f"{seconds / size:.3g} {unit}"
