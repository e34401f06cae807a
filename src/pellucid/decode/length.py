"""How the length of an answer counts in its score, and when a beam search may stop.

Sums of log-probabilities sink with every token, so long answers need help. Only generated tokens
are counted, the end among them, never the prompt. With L tokens and the exponent p:

    mean   sum / Lᵖ                 (Jean et al. 2015; `transformers`)
    gnmt   sum / ((5 + L) / 6)ᵖ     (Wu et al. 2016, equation 14)
    none   sum

A search of k beams may stop as soon as it has k answers and

    first      that is all: it is quick, and misses better ones
    heuristic  the best branch, if it ended with the length it has now, would beat none of them
    exact      no branch can beat any of them, however long it may still get
"""

from collections.abc import Callable
from typing import Literal

Penalty = Literal["mean", "gnmt", "none"]
Stopping = Literal["exact", "first", "heuristic"]

DIVISORS: dict[Penalty, Callable[[int, float], float]] = {
    "mean": lambda length, p: float(length**p),
    "gnmt": lambda length, p: float(((5 + length) / 6) ** p),
    "none": lambda length, p: 1.0,
}


def divisor(penalty: Penalty, length: int, p: float) -> float:
    """What the sum of log-probabilities is divided by."""
    return DIVISORS[penalty](length, p)


def attainable(penalty: Penalty, total: float, lengths: tuple[int, int], p: float) -> float:
    """The best score that a branch with this sum can still get, from the first length to the last.

    Values are at most 0, so the sum only sinks; the divisor is monotone, so one end is best.
    """
    return max(total / divisor(penalty, length, p) for length in lengths)


def may_stop(stopping: Stopping, worst: float, now: float, later: float) -> bool:
    """Whether k answers, the worst of them this good, are enough; see above."""
    return {"first": True, "heuristic": now <= worst, "exact": later <= worst}[stopping]
