"""The least a model has to beat: it always says the commonest class."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from pellucid.errors import PellucidError
from pellucid.train.classifiers import Guess
from pellucid.train.examples import Examples

FILE = "model.json"


class MajorityClassifier:
    """Says the class that most examples had; of two as common, the first by name."""

    label: str
    share: float

    def fit(self, examples: Examples, valid: Examples | None = None) -> "MajorityClassifier":
        """Count the labels."""
        counts = Counter(sorted(examples.labels))
        self.label, most = counts.most_common(1)[0]
        self.share = most / len(examples)
        return self

    def guess(self, texts: Iterable[str]) -> Iterator[Guess]:
        """The same class for each text, as likely as it was among the examples."""
        return (Guess(self.label, self.share) for _ in texts)

    def predict(self, texts: Iterable[str]) -> Iterator[str]:
        """The class alone."""
        return (self.label for _ in texts)

    def size(self) -> int:
        """The share."""
        return 1

    def facts(self) -> dict[str, str]:
        """What it is, in a few words."""
        return {"model": "the commonest class", "says": f"{self.label}, as {self.share:.1%} do"}

    def lessons(self) -> str:
        """It has learned no more than it says."""
        return ""

    def save(self, folder: Path) -> None:
        """Write model.json."""
        text = json.dumps({"label": self.label, "share": self.share}, ensure_ascii=False)
        (folder / FILE).write_text(f"{text}\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> "MajorityClassifier":
        """Read it back."""
        model = cls()
        try:
            words = json.loads((folder / FILE).read_text(encoding="utf-8"))
            model.label, model.share = str(words["label"]), float(words["share"])
        except (OSError, ValueError, TypeError, LookupError) as error:
            raise PellucidError(f"{folder / FILE} cannot be read ({error}).") from error
        return model
