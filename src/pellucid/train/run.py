"""A run: the folder that training leaves. It holds the model, its report, and how it came about.

run.json     which model, and how the files it learned from were laid out
report.txt   the report for people; report.json for programs
…            the model's own files
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from pellucid import __version__
from pellucid.errors import PellucidError, UsageError
from pellucid.record.files import Existing, check_folder, write_folder
from pellucid.record.printed import aligned
from pellucid.text.formats import Layout
from pellucid.train.classifiers import Classifier, classifier
from pellucid.train.examples import Examples
from pellucid.train.score import Score

FORMAT = 1
ABOUT = "run.json"

# what a model learned from says little of how good it is
SHOWN: dict[str, Callable[[Score], str]] = {"train": Score.brief, "dev": str}


@dataclass(frozen=True)
class Run:
    """A trained model, the name of its kind, the layout of its files, and its scores.

    `scores` go by what they were measured on: the train set, and the dev set if there is one.
    """

    kind: str
    model: Classifier
    layout: Layout
    scores: Mapping[str, Score] = field(default_factory=dict)

    def measured(self, sets: Mapping[str, Examples]) -> "Run":
        """The same run with its scores on these examples."""
        return replace(self, scores={on: measure(self.model, sets[on]) for on in sets})

    def save(self, folder: Path, existing: Existing = "refuse") -> None:
        """Write the folder, all of it or nothing."""
        write_folder(folder, self._fill, existing, mark=ABOUT)

    def _fill(self, folder: Path) -> None:
        self.model.save(folder)
        about = {"format": FORMAT, "pellucid": __version__, "task": "classify", "model": self.kind}
        _write(folder / ABOUT, about | {"layout": asdict(self.layout)})
        _write(folder / "report.json", {on: score.to_json() for on, score in self.scores.items()})
        (folder / "report.txt").write_text(f"{self}\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> "Run":
        """Read a run; its scores stay in the report."""
        if not (folder / ABOUT).is_file():
            raise UsageError(f"{folder} is no run of pellucid train; it has no {ABOUT}.")
        try:
            about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
            layout = Layout(**about["layout"] | {"columns": tuple(about["layout"]["columns"])})
            kind = about["model"]
        except (ValueError, TypeError, LookupError) as error:
            raise PellucidError(f"{folder / ABOUT} cannot be read ({error}).") from error
        return cls(kind, classifier(kind).load(folder), layout)

    def __str__(self) -> str:
        """The report: what the model is, how good, and what it has learned."""
        facts = aligned(list(self.model.facts().items()))
        scores = (f"On {on}:\n\n{SHOWN[on](score)}" for on, score in self.scores.items())
        return "\n\n".join(filter(None, (facts, *scores, self.model.lessons())))


def measure(model: Classifier, examples: Examples) -> Score:
    """How well a model does on examples."""
    return Score.of(examples.labels, list(model.predict(examples.texts)))


def check_place(folder: Path, existing: Existing) -> None:
    """Say early why a run could not be written there."""
    check_folder(folder, existing, mark=ABOUT)


def _write(path: Path, data: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
