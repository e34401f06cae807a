"""What a check found: a row for each number that was compared."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from math import inf
from typing import Any, Literal

from torch import Tensor

from pellucid.record.printed import aligned
from pellucid.record.verify import apart

Values = Mapping[str, Tensor]

TOLERANCE = 1e-5  # of the largest magnitude, in float32
EXACT = 0.0  # the same to the bit
SAID = {True: "equal", False: "DIFFERENT"}
VERDICT = ("difference", "allowed", "")
LAYER = re.compile(r"\.(\d+)\.")


@dataclass(frozen=True)
class Row:
    """One number of ours, and how far it is from what it was compared with.

    `difference` is relative: the largest |a − b| over the largest |b|. It is infinite where the
    shapes differ, or where one of the two is no number. `absolute` is the largest |a − b|;
    `against` says where in another program's model the number comes from.
    """

    check: str
    name: str
    difference: float
    tolerance: float
    absolute: float | None = None
    against: str = ""

    @property
    def passed(self) -> bool:
        return self.difference <= self.tolerance

    @property
    def kind(self) -> str:
        """The name without the layer's number: `encoder.*.attention.q`."""
        return LAYER.sub(".*.", self.name)

    @property
    def verdict(self) -> tuple[str, str, str]:
        """The difference, what is allowed, and what follows, as a person reads it."""
        return f"{self.difference:.1e}", f"{self.tolerance:.0e}", SAID[self.passed]

    @property
    def setting(self) -> str:
        """The layer, and in which setting it was looked at."""
        layer = LAYER.search(self.name)
        return f"layer {layer[1]}, {self.check}" if layer else self.check

    def to_json(self) -> dict[str, Any]:
        """The row as plain data; a difference without bound is null."""
        data = {**asdict(self), "passed": self.passed}
        return {name: None if value == inf else value for name, value in data.items()}

    def __str__(self) -> str:
        theirs = f" from {self.against}" if self.against else ""
        return (
            f"{self.name} differs by {self.difference:.1e}{theirs}, "
            f"allowed is {self.tolerance:.0e} ({self.check})"
        )


class Rows(list[Row]):
    """Rows that print as a table: a line for each check, with the furthest of its numbers."""

    @property
    def failed(self) -> "Rows":
        return Rows(row for row in self if not row.passed)

    @property
    def worst(self) -> Row:
        """The number that is furthest from what it should be."""
        return max(self, key=lambda row: (not row.passed, row.difference))

    def by(self, key: Literal["check", "kind"]) -> dict[str, "Rows"]:
        """The rows in groups, in the order in which the groups appear."""
        groups: dict[str, "Rows"] = {}
        for row in self:
            groups.setdefault(getattr(row, key), Rows()).append(row)
        return groups

    def __str__(self) -> str:
        lines = [
            (check, f"{len(rows):7}", *rows.worst.verdict, rows.worst.name)
            for check, rows in self.by("check").items()
        ]
        return aligned([("", "numbers", *VERDICT, "the furthest"), *lines])

    def kinds(self) -> str:
        """A table of the kinds of numbers, with the layer and the setting of the furthest."""
        lines = [
            (kind, f"{len(rows):7}", *rows.worst.verdict, rows.worst.setting)
            for kind, rows in self.by("kind").items()
        ]
        return aligned([("", "numbers", *VERDICT, "the furthest"), *lines])

    def listed(self) -> str:
        """A table of all rows."""
        lines = [(row.check, row.name, *row.verdict, row.against) for row in self]
        return aligned([("", "number", *VERDICT, "theirs"), *lines])


def compare(
    check: str,
    names: Iterable[str],
    pairs: Iterable[tuple[Values, Values]],
    tolerance: float = TOLERANCE,
    against: Mapping[str, str] | None = None,
) -> Rows:
    """A row for each name: the furthest of the pairs."""
    pairs, rows = list(pairs), Rows()
    for name in names:
        difference, absolute = max(differ(a[name], b[name]) for a, b in pairs)
        where = (against or {}).get(name, "")
        rows.append(Row(check, name, difference, tolerance, absolute, where))
    return rows


def differ(value: Tensor, truth: Tensor) -> tuple[float, float]:
    """How far two values are apart: relative to the second's largest number, and as they are."""
    if value.shape != truth.shape:
        return inf, inf
    finite = truth.isfinite()
    gaps = (value[finite].double() - truth[finite].double()).abs()
    return apart(value, truth), gaps.max().item() if gaps.numel() else 0.0
