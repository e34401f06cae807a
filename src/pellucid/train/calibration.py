"""Calibration: whether a model that is 80% sure is right 80% of the time."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from pellucid.record.printed import aligned

BINS = 10


@dataclass(frozen=True)
class Bin:
    """Answers that were about as sure: from where, how many, how sure and how often right."""

    least: float
    examples: int
    confidence: float
    accuracy: float

    def cells(self) -> tuple[str, ...]:
        """The bin as a line of a table."""
        sure = f"{self.least:.0%} to {self.least + 1 / BINS:.0%}"
        return sure, f"{self.examples:,}", f"{self.confidence:.1%}", f"{self.accuracy:.1%}"


@dataclass(frozen=True)
class Calibration:
    """The reliability table, and the expected calibration error (Guo et al. 2017):

    Σ n/N · |accuracy − confidence| over bins of equal width; those with no answer are left out.
    """

    error: float
    bins: list[Bin]

    @classmethod
    def of(cls, confidences: Float[np.ndarray, "N"], right: Bool[np.ndarray, "N"]) -> "Calibration":
        """Of how sure each answer was, a probability, and whether it was right."""
        from sklearn.calibration import calibration_curve  # slow to import

        sure = np.clip(confidences.astype(np.float64), 0, 1)
        accuracy, mean = calibration_curve(right, sure, pos_label=True, n_bins=BINS)
        edges = np.linspace(0, 1, BINS + 1)
        counts = np.bincount(np.searchsorted(edges[1:-1], sure), minlength=BINS)
        (filled,) = counts.nonzero()
        rows = zip(edges[filled], counts[filled], mean, accuracy, strict=True)
        return cls(
            error=float(np.average(np.abs(accuracy - mean), weights=counts[filled])),
            bins=[Bin(float(a), int(n), float(p), float(q)) for a, n, p, q in rows],
        )

    def __str__(self) -> str:
        head = ("how sure", "examples", "mean", "right")
        table = aligned([head, *(each.cells() for each in self.bins)])
        return f"calibration error  {self.error:.1%}\n\n{table}"
