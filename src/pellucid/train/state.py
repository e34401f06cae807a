"""Where a run is: all that it goes on from, but for weights and what the optimizer remembers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pellucid.train.order import Place


@dataclass
class State:
    """Steps taken, and the place of the next batch; `targets` and `seconds` are of all steps.

    `skipped` are batches without a target since the last step, `log` the bytes of the log that
    belong to it. `measured` are steps with their merit: the less the better.
    """

    step: int = 0
    place: Place = field(default_factory=Place)
    skipped: int = 0
    targets: int = 0
    seconds: float = 0.0
    log: int = 0
    measured: list[tuple[int, float, float]] = field(default_factory=list)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> "State":
        """From a checkpoint's JSON."""
        measured = [(int(step), a, b) for step, a, b in data["measured"]]
        return cls(**{**data, "place": Place(*data["place"]), "measured": measured})

    def took(self, targets: int, seconds: float) -> None:
        """One more step."""
        self.step, self.skipped = self.step + 1, 0
        self.targets, self.seconds = self.targets + targets, self.seconds + seconds

    def due(self, every: int, steps: int) -> bool:
        """Whether it should be measured now: after so many steps, and after the last one."""
        now = self.step > 0 and (self.step % every == 0 or self.step == steps)
        return now and self.step not in self.last(1)

    def last(self, count: int) -> list[int]:
        """The steps of the last measurements."""
        return [step for step, *_ in self.measured[-count:]] if count else []

    @property
    def best(self) -> int:
        """The step of the best measurement, the first of equals."""
        return min(self.measured, key=lambda each: each[1:])[0] if self.measured else self.step

    @property
    def waited(self) -> int:
        """Measurements since the best."""
        return sum(step > self.best for step, *_ in self.measured)
