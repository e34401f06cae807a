"""Sentences as points: a word's vectors in two directions, layer by layer."""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor


@dataclass(frozen=True)
class Clouds:
    """What there is to draw: for each layer a caption and a point a sentence, [L N 2].

    `kinds` are the names of what is told apart, `of` the name that each sentence has.
    """

    word: str
    captions: tuple[str, ...]
    kinds: tuple[str, ...]
    of: tuple[str, ...]
    points: Float[Tensor, "L N 2"]


def cloud(
    x: Float[Tensor, "N D"], numbers: Int[Tensor, "N"], y: Float[Tensor, "M D"]
) -> Float[Tensor, "M 2"]:
    """The vectors `y` in two directions: those in which the means of `x` lie furthest apart.

    Two means have one such direction; the other is then that in which `x` varies most beside it.
    """
    middle = x.mean(0)
    means = torch.stack([x[numbers == sense].mean(0) for sense in range(int(numbers.max()) + 1)])
    between = torch.linalg.svd(means - middle, full_matrices=False).Vh[: min(2, len(means) - 1)]
    rest = (x - middle) - (x - middle) @ between.T @ between
    within = torch.linalg.svd(rest, full_matrices=False).Vh
    directions = torch.cat([between, within])[:2]
    return (y - middle) @ directions.T
