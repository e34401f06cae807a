"""Nearest means: how near vectors are to the mean of each of some kinds, by two measures.

All vectors count with length one. By "angle" the nearest mean is that of the largest cosine. By
"spread" it is that which is nearest where the vectors of a kind spread alike in all directions
(Mahalanobis 1936): a step counts more in a direction in which they hardly differ. The spread is
that around the means of the known vectors, mixed with an even one as Ledoit and Wolf (2004) derive
from these vectors, so there is nothing to set.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float, Int
from sklearn.covariance import ledoit_wolf_shrinkage
from torch import Tensor
from torch.nn import functional

Distance = Literal["spread", "angle"]
LEAST = 1e-12  # spread, where all known vectors lie on their means


@dataclass(frozen=True)
class Known:
    """Vectors of known kinds, each of length one, and the number of each one's kind."""

    x: Float[Tensor, "N D"]
    numbers: Int[Tensor, "N"]

    @classmethod
    def of(cls, x: Float[Tensor, "N D"], numbers: Int[Tensor, "N"]) -> "Known":
        """The vectors made as long as one, in float64."""
        return cls(functional.normalize(x.double(), dim=-1), numbers)

    @property
    def counts(self) -> Float[Tensor, "C 1"]:
        """How many there are of each kind."""
        return self.numbers.bincount()[:, None].double()

    @property
    def sums(self) -> Float[Tensor, "C D"]:
        """The sum of each kind's vectors."""
        total = self.x.new_zeros(len(self.counts), self.x.shape[-1])
        return total.index_add_(0, self.numbers, self.x)

    @property
    def means(self) -> Float[Tensor, "C D"]:
        """The mean of each kind's vectors."""
        return self.sums / self.counts


def by_angle(known: Known, y: Float[Tensor, "M D"]) -> Float[Tensor, "M C"]:
    """Cosines of vectors with each kind's mean."""
    return functional.normalize(y, dim=-1) @ functional.normalize(known.sums, dim=-1).T


def by_angle_without(known: Known) -> Float[Tensor, "N C"]:
    """Cosines of each known vector with each kind's mean, itself left out of its own."""
    rest = functional.normalize(known.sums[known.numbers] - known.x, dim=-1)
    scores = by_angle(known, known.x)
    scores[range(len(scores)), known.numbers] = (known.x * rest).sum(-1)
    return scores


def by_spread(known: Known, y: Float[Tensor, "M D"]) -> Float[Tensor, "M C"]:
    """−distance² of vectors from each kind's mean, where kinds spread evenly."""
    even, _ = evened(known)
    return -torch.cdist(y @ even, known.means @ even).square()


def by_spread_without(known: Known) -> Float[Tensor, "N C"]:
    """The same for each known vector, itself left out of its own mean and of the spread.

    Leaving r out takes b r rᵀ from the spread, which adds b P r rᵀ P / (1 − b rᵀ P r) to its
    inverse P (Sherman and Morrison 1950). How much of it is even stays as it was.
    """
    even, kept = evened(known)
    z, means = known.x @ even, known.means @ even
    counts = known.counts[known.numbers]
    grown = counts / (counts - 1).clamp(min=1)  # how much further away the mean is without it
    r = z - means[known.numbers]
    from_means = z[:, None] - means
    from_means[range(len(z)), known.numbers] = grown * r
    along = (from_means * r[:, None]).sum(-1)
    b = kept * grown
    change = b * along.square() / (1 - b * r.square().sum(-1, keepdim=True))
    return -(from_means.square().sum(-1) + change)


def evened(known: Known) -> tuple[Float[Tensor, "D D"], float]:
    """What vectors are multiplied with so that kinds spread evenly; and how much of it was theirs.

    That is W with W Wᵀ = (kept · Σ r rᵀ + (1 − kept) · n · m)⁻¹, r from the means, m mean variance.
    """
    r = known.x - known.means[known.numbers]
    scatter = r.T @ r
    kept = 1 - float(ledoit_wolf_shrinkage(r.numpy(force=True), assume_centered=True))
    sizes, directions = torch.linalg.eigh(scatter)
    mixed = kept * sizes + (1 - kept) * scatter.trace() / len(scatter)
    return directions * mixed.clamp(min=LEAST).rsqrt(), kept


MEASURES: Mapping[Distance, tuple[Callable[[Known, Tensor], Tensor], Callable[[Known], Tensor]]] = {
    "angle": (by_angle, by_angle_without),
    "spread": (by_spread, by_spread_without),
}


def nearness(
    x: Float[Tensor, "N D"],
    numbers: Int[Tensor, "N"],
    y: Float[Tensor, "M D"],
    distance: Distance = "spread",
) -> Float[Tensor, "M C"]:
    """How near new vectors are to the mean of each kind of known ones; the nearest is largest."""
    return MEASURES[distance][0](Known.of(x, numbers), functional.normalize(y.double(), dim=-1))


def left_out(
    x: Float[Tensor, "N D"], numbers: Int[Tensor, "N"], distance: Distance = "spread"
) -> Float[Tensor, "N C"]:
    """How near known vectors are, each with itself left out of its kind: one alone has no mean."""
    known = Known.of(x, numbers)
    scores = MEASURES[distance][1](known)
    alone = known.counts[numbers, 0] == 1
    scores[alone, numbers[alone]] = -torch.inf
    return scores
