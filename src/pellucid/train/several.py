"""How good answers are where a text may be of several classes, as scikit-learn measures it."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pellucid.record.printed import aligned
from pellucid.train.score import CLASSES, ClassScore, percent

Sets = Sequence[Collection[str]]


@dataclass(frozen=True)
class SeveralScore:
    """Sets of classes against the true sets.

    `exact` is the share of texts that got all their classes and no other. `micro_f1` counts every
    answered class alike, `macro_f1` every class.
    """

    exact: float
    micro_f1: float
    macro_f1: float
    examples: int
    classes: list[ClassScore]

    @classmethod
    def of(cls, truth: Sets, answers: Sets) -> "SeveralScore":
        """Compare text by text; the order of a text's classes does not count."""
        # half a second that only measuring takes, not answering
        from sklearn.metrics import accuracy_score, f1_score, precision_recall_fscore_support
        from sklearn.preprocessing import MultiLabelBinarizer

        names = sorted({name for each in (*truth, *answers) for name in each})
        table = MultiLabelBinarizer(classes=names).fit([names])
        pair = table.transform(truth), table.transform(answers)
        measured = precision_recall_fscore_support(*pair, zero_division=0)
        columns = zip(names, *(each.tolist() for each in measured), strict=True)
        return cls(
            exact=float(accuracy_score(*pair)),
            micro_f1=float(f1_score(*pair, average="micro", zero_division=0)),
            macro_f1=float(f1_score(*pair, average="macro", zero_division=0)),
            examples=len(truth),
            classes=[ClassScore(name, n, p, r, f1) for name, p, r, f1, n in columns],
        )

    def summary(self) -> dict[str, float]:
        """The numbers that are compared most."""
        return {"exact": self.exact, "micro_f1": self.micro_f1, "macro_f1": self.macro_f1}

    def to_json(self) -> dict[str, Any]:
        """All numbers as plain data."""
        return asdict(self)

    def brief(self) -> str:
        """The same as a person reads them."""
        return aligned(
            [
                ("exactly right", percent(self.exact), f"of {self.examples:,} examples"),
                ("micro F1", percent(self.micro_f1), "over all answered classes"),
                ("macro F1", percent(self.macro_f1), f"over {len(self.classes):,} classes"),
            ]
        )

    def __str__(self) -> str:
        head = ("weakest classes", "examples", "precision", "recall", "F1")
        weakest = sorted(self.classes, key=lambda each: each.f1)[:CLASSES]
        return f"{self.brief()}\n\n{aligned([head, *(each.cells() for each in weakest)])}"


def split(label: str, sign: str) -> list[str]:
    """The names in a label, which have this sign between them; without one it is a name itself."""
    return [name.strip() for name in label.split(sign) if name.strip()] if sign else [label]
