"""Timing things in turn, so that a noisy machine is noisy for all of them alike."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

Seconds = list[float]


def in_turn(runs: dict[str, Callable[[], object]], rounds: int) -> dict[str, Seconds]:
    """The seconds of each run in each round; every other round goes backwards.

    A first round is not counted. A run ends when its result has been let go.
    """
    taken: dict[str, Seconds] = {name: [] for name in runs}
    for number in range(rounds + 1):
        for name in reversed(runs) if number % 2 else runs:
            start = perf_counter()
            runs[name]()
            if number:
                taken[name].append(perf_counter() - start)
    return taken


def memory(kind: str) -> int:
    """Bytes that the process has (VmRSS), or had at most (VmHWM).

    getrusage would know the most of those who started it, too.
    """
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(kind))


@dataclass(frozen=True)
class Spread:
    """Half of the values lie between `low` and `high`, half of them below `middle`."""

    low: float
    middle: float
    high: float

    @classmethod
    def of(cls, values: Seconds) -> "Spread":
        """The quartiles."""
        low, _, high = quantiles(values, n=4)
        return cls(low, median(values), high)


def overhead(plain: Seconds, more: Seconds) -> Spread:
    """How much longer than the plain run, as a share of it, round by round."""
    return Spread.of([b / a - 1 for a, b in zip(plain, more, strict=True)])


def longer(plain: Seconds, more: Seconds) -> Spread:
    """How many seconds longer than the plain run, round by round."""
    return Spread.of([b - a for a, b in zip(plain, more, strict=True)])
