"""How good answers are: the same numbers for every classifier, as scikit-learn defines them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pellucid.record.printed import aligned
from pellucid.train.calibration import Calibration

CLASSES, MISTAKES, SQUARE = 15, 10, 8  # shown at most


@dataclass(frozen=True)
class ClassScore:
    """One class. `precision` is the share that was right of those answered so, `recall` of those
    that are so, and `f1` the harmonic mean of both.
    """

    name: str
    examples: int
    precision: float
    recall: float
    f1: float

    @classmethod
    def of(cls, name: str, pairs: Mapping[tuple[str, str], int]) -> "ClassScore":
        """Of how often each answer was given to each truth."""
        right = pairs.get((name, name), 0)
        true = sum(times for (truth, _), times in pairs.items() if truth == name)
        answered = sum(times for (_, answer), times in pairs.items() if answer == name)
        return cls(
            name=name,
            examples=true,
            precision=right / answered if answered else 0.0,
            recall=right / true if true else 0.0,
            f1=2 * right / (true + answered),
        )

    def cells(self) -> tuple[str, ...]:
        """The class as a line of a table."""
        shares = (self.precision, self.recall, self.f1)
        return self.name, f"{self.examples:,}", *map(percent, shares)


@dataclass(frozen=True)
class Score:
    """Answers against the truth.

    `macro_f1` is the mean over the classes that are true or answered somewhere, each class
    counting alike; a class never answered has precision 0. `mistakes` are pairs of what was true
    and what was answered, with how often. `confusion` has a row for each true class and a column
    for each answer, both in the order of `classes`. `calibration` is there where the model said
    how sure it was.
    """

    accuracy: float
    macro_f1: float
    examples: int
    classes: list[ClassScore]
    mistakes: list[tuple[str, str, int]]
    confusion: list[list[int]]
    calibration: Calibration | None = None

    @classmethod
    def of(
        cls,
        truth: Sequence[str],
        answers: Sequence[str],
        confidences: Sequence[float] | None = None,
    ) -> "Score":
        """Compare answer by answer; `confidences` are the probabilities that answers had."""
        pairs = Counter(zip(truth, answers, strict=True))
        names = sorted({*truth, *answers})
        classes = [ClassScore.of(name, pairs) for name in names]
        right = np.array([a == b for a, b in zip(truth, answers, strict=True)])
        return cls(
            accuracy=sum(pairs[each.name, each.name] for each in classes) / len(truth),
            macro_f1=sum(each.f1 for each in classes) / len(classes),
            examples=len(truth),
            classes=classes,
            mistakes=[(*pair, times) for pair, times in pairs.most_common() if len({*pair}) == 2],
            confusion=[[pairs[true, answer] for answer in names] for true in names],
            calibration=Calibration.of(np.array(confidences), right) if confidences else None,
        )

    def summary(self) -> dict[str, float]:
        """The two numbers that are compared most."""
        return {"accuracy": self.accuracy, "macro_f1": self.macro_f1}

    def to_json(self) -> dict[str, Any]:
        """All numbers as plain data."""
        return asdict(self)

    def brief(self) -> str:
        """The same two as a person reads them."""
        return aligned(
            [
                ("accuracy", percent(self.accuracy), f"of {self.examples:,} examples"),
                ("macro F1", percent(self.macro_f1), f"over {len(self.classes):,} classes"),
            ]
        )

    def __str__(self) -> str:
        sure = str(self.calibration or "")
        parts = (self.brief(), self._weakest(), sure, self._square(), self._commonest())
        return "\n\n".join(filter(None, parts))

    def _weakest(self) -> str:
        head = ("weakest classes", "examples", "precision", "recall", "F1")
        weakest = sorted(self.classes, key=lambda each: each.f1)[:CLASSES]
        return aligned([head, *(each.cells() for each in weakest)])

    def _square(self) -> str:
        names = [each.name for each in self.classes]
        if len(names) > SQUARE:
            return ""
        rows = zip(names, self.confusion, strict=True)
        cells = [(name, *(f"{times:,}" for times in row)) for name, row in rows]
        return aligned([("true, below what was answered", *names), *cells])

    def _commonest(self) -> str:
        head = ("commonest mistakes: true", "answered", "times")
        lines = [(name, answer, f"{times:,}") for name, answer, times in self.mistakes[:MISTAKES]]
        return aligned([head, *lines]) if lines else ""


def percent(share: float) -> str:
    """One decimal is what some thousand examples can tell."""
    return f"{share:.1%}"
