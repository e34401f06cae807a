"""A run: the folder that training leaves. It holds the model, its report, and how it came about.

run.json       which model, how the files it learned from were laid out, whether it is finished
report.txt     the report for people; report.json for programs
settings.toml  what it was asked to do, from which it can be done again
log.jsonl      how it went, step by step
checkpoint/    what it goes on from
…              the model's own files
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

from pellucid import __version__
from pellucid.errors import PellucidError, UsageError
from pellucid.record.files import Existing, check_folder, write, write_folder
from pellucid.record.printed import aligned
from pellucid.text.formats import Layout
from pellucid.train.classifiers import Classifier, classifier
from pellucid.train.examples import Examples
from pellucid.train.job import FILE, Job
from pellucid.train.learner import Learner
from pellucid.train.score import Score
from pellucid.train.settings import TaskName, check
from pellucid.train.several import SeveralScore, split

FORMAT = 1
ABOUT = "run.json"

# a task and where its learner lives; classifiers have a table of their own
LEARNERS = {
    "generate": ("pellucid.train.writer", "Writer"),
    "translate": ("pellucid.train.translator", "Translator"),
    "bert": ("pellucid.train.bert", "Bert"),
}


@runtime_checkable
class Trained(Protocol):
    """What is trained, whatever its task."""

    def facts(self) -> dict[str, str]: ...
    def lessons(self) -> str: ...
    def save(self, folder: Path) -> None: ...
    @classmethod
    def load(cls, folder: Path) -> "Trained": ...


@runtime_checkable
class Scored(Protocol):
    """How well it does."""

    def summary(self) -> dict[str, float]: ...
    def to_json(self) -> dict[str, Any]: ...
    def brief(self) -> str: ...


@dataclass(frozen=True)
class Run:
    """A trained model, the name of its kind, the layout of its files, and its scores.

    `scores` go by what they were measured on: the train set, and the dev set if there is one.
    """

    kind: str
    model: Trained
    layout: Layout
    scores: Mapping[str, Scored] = field(default_factory=dict)
    task: TaskName = "classify"

    def measured(self, sets: Mapping[str, Any]) -> "Run":
        """The same run with its scores on these examples."""
        return replace(self, scores={on: scored(self.model, sets[on]) for on in sets})

    def save(self, folder: Path, existing: Existing = "refuse") -> None:
        """Write the folder, all of it or nothing."""
        write_folder(folder, self.fill, existing, mark=ABOUT)

    def begin(self, folder: Path) -> None:
        """Write that it has begun."""
        folder.mkdir(exist_ok=True)
        self._write(folder, finished=False)

    def fill(self, folder: Path) -> None:
        """Write the model and the report; then, that it is finished."""
        self.model.save(folder)
        scores = {on: score.to_json() for on, score in self.scores.items()}
        write_text(folder / "report.json", as_json(scores))
        write_text(folder / "report.txt", f"{self}\n")
        self._write(folder, finished=True)

    def _write(self, folder: Path, *, finished: bool) -> None:
        about = {"format": FORMAT, "pellucid": __version__, "task": self.task, "model": self.kind}
        layout = {"layout": asdict(self.layout), "finished": finished}
        write_text(folder / ABOUT, as_json(about | layout))

    @classmethod
    def load(cls, folder: Path) -> "Run":
        """Read a run; its scores stay in the report."""
        if not (folder / ABOUT).is_file():
            raise UsageError(f"{folder} is no run of pellucid train; it has no {ABOUT}.")
        try:
            about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
            layout = Layout(**about["layout"] | {"columns": tuple(about["layout"]["columns"])})
            kind, task = about["model"], check("task", about.get("task", "classify"), TaskName)
            finished = about.get("finished", True)
        except (ValueError, TypeError, LookupError) as error:
            raise PellucidError(f"{folder / ABOUT} cannot be read ({error}).") from error
        if not finished:
            raise UsageError(
                f"{folder} is not finished; go on with: pellucid train --resume {folder}"
            )
        model = trained(task, kind).load(folder)
        if isinstance(model, Learner) and (folder / FILE).is_file():
            model.settings = Job.read(folder / FILE).settings  # so that it measures as it did
        return cls(kind, model, layout, task=task)

    def __str__(self) -> str:
        """The report: what the model is, how good, and what it has learned."""
        facts = aligned(list(self.model.facts().items()))
        scores = (
            f"On {on}:\n\n{score.brief() if on == 'train' else score}"
            for on, score in self.scores.items()
        )
        return "\n\n".join(filter(None, (facts, *scores, self.model.lessons())))


def is_finished(folder: Path) -> bool:
    """Whether a run says that it came to its end."""
    try:
        return bool(json.loads((folder / ABOUT).read_text(encoding="utf-8"))["finished"])
    except (OSError, ValueError, TypeError, LookupError):
        return False


def trained(task: str, kind: str) -> type[Trained]:
    """The class of models of a task."""
    if task == "classify":
        return classifier(kind)
    module, name = LEARNERS[task]
    return cast(type[Trained], getattr(import_module(module), name))


def scored(model: Any, given: Any) -> Scored:
    """How well a model does on what it is for; each task has a measure of its own."""
    if not isinstance(given, Examples):
        return model.score(given)
    sign = getattr(model, "sign", "")
    return measure_several(model, given, sign) if sign else measure(model, given)


def measure(model: Classifier, examples: Examples) -> Score:
    """How well a classifier does on examples."""
    labels, sure = zip(*model.guess(examples.texts), strict=True)
    return Score.of(examples.labels, labels, sure)


def measure_several(model: Classifier, examples: Examples, sign: str) -> SeveralScore:
    """The same where labels are several names with a sign between them."""
    told = (split(label, sign) for label in model.predict(examples.texts))
    return SeveralScore.of([split(label, sign) for label in examples.labels], list(told))


def check_place(folder: Path, existing: Existing) -> None:
    """Say early why a run could not be written there."""
    check_folder(folder, existing, mark=ABOUT)


def as_json(data: Mapping[str, Any]) -> str:
    """Data as a file for programs."""
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def write_text(path: Path, text: str) -> None:
    """Write a file, all of it or nothing."""

    def fill(beside: Path) -> None:
        beside.write_text(text, encoding="utf-8")

    write(path, fill, "replace")
