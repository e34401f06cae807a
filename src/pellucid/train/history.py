"""The journal of a run as curves: of each number, its value at every step that has one."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pellucid.errors import PellucidError, UsageError
from pellucid.train.journal import LOG

Entry = Mapping[str, Any]
Panel = dict[str, "Curve"]

# title, then the name of each curve and where in an entry its number stands
PANELS: dict[str, dict[str, tuple[str, ...]]] = {
    "loss": {
        "train": ("entropy",),
        "valid": ("valid", "loss"),
        "train, smoothed": ("loss",),
    },
    "share wrong": {"valid": ("valid", "wrong")},
    "learning rate": {"rate": ("rate",)},
    "gradient norm": {"before clipping": ("norm",)},
}


@dataclass(frozen=True)
class Curve:
    """Values at steps, in the order of the steps."""

    steps: list[float]
    values: list[float]

    @classmethod
    def of(cls, entries: Iterable[Entry], path: tuple[str, ...]) -> "Curve":
        """The number at this place in each entry that has it."""
        told = ((entry["step"], found(entry, path)) for entry in entries)
        kept = {step: value for step, value in told if value is not None}
        return cls(list(kept), list(kept.values()))

    def finite(self) -> "Curve":
        """Without what is no number."""
        pairs = zip(self.steps, self.values, strict=True)
        kept = [(step, value) for step, value in pairs if math.isfinite(value)]
        return Curve([step for step, _ in kept], [value for _, value in kept])


def found(entry: Any, path: tuple[str, ...]) -> float | None:
    """The number at a place in an entry, if there is one."""
    for name in path:
        entry = entry.get(name) if isinstance(entry, Mapping) else None
    return None if entry is None else float(entry)


def panels(entries: Iterable[Entry]) -> dict[str, Panel]:
    """What is worth drawing, by title; what there are no numbers of is left out."""
    entries = list(entries)
    drawn = {
        title: {name: Curve.of(entries, path) for name, path in curves.items()}
        for title, curves in PANELS.items()
    }
    if drawn["loss"]["train"] == drawn["loss"]["train, smoothed"]:
        del drawn["loss"]["train, smoothed"]
    if not any(drawn["share wrong"]["valid"].values):
        del drawn["share wrong"]
    told = {title: {n: c for n, c in panel.items() if c.steps} for title, panel in drawn.items()}
    return {title: panel for title, panel in told.items() if panel}


def read(run: Path) -> list[Entry]:
    """The entries of a run's log; a last line that is torn was being written, and is left out."""
    path = run / LOG
    if not path.is_file():
        raise UsageError(f"{run} has no {LOG}, so there are no curves to draw.")
    *lines, _torn = path.read_bytes().split(b"\n")
    if not lines:
        raise PellucidError(f"{path} has no step yet, so there are no curves to draw.")
    try:
        entries = [json.loads(line) for line in lines]
        return [{**entry, "step": float(entry["step"])} for entry in entries]
    except (ValueError, TypeError, LookupError) as error:
        raise PellucidError(f"{path} cannot be read ({error}).") from error
