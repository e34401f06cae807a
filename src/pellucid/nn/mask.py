"""Masks: which positions are real, and which of them a query may see."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from pellucid.errors import UsageError
from pellucid.formula.places import positions, reach

Pattern = Literal["full", "causal"]


@dataclass(frozen=True, eq=False)
class Mask:
    """Which of S positions of B sentences are real tokens (boolean, True = real).

    `padded` says whether any is padding: without it there is a faster path.
    """

    real: Bool[Tensor, "B S"]
    padded: bool

    @classmethod
    def of(cls, ids: Int[Tensor, "B S"], real: Bool[Tensor, "B S"] | None = None) -> "Mask":
        """The mask of these ids; without `real`, every position is a real token."""
        if real is None:
            return cls(torch.ones_like(ids, dtype=torch.bool), padded=False)
        if real.dtype != torch.bool or real.shape != ids.shape:
            raise UsageError(
                f"The mask is {real.dtype} {list(real.shape)}; expected is torch.bool "
                f"{list(ids.shape)}, True where a token is real."
            )
        return cls(real, padded=not bool(real.all()))

    def allowed(self, query: Tensor, pattern: Pattern) -> Bool[Tensor, "B 1 T S"]:
        """What each of the query's T rows may see: every real token, or no later ones."""
        return reach.compute(query, self.real, pattern=pattern)

    @cached_property
    def positions(self) -> Int[Tensor, "B S"]:
        """Each token's position, counted in real tokens: padding on any side changes nothing."""
        return positions.compute(self.real)

    def draw(self, pattern: Pattern, sentence: int = 0) -> str:
        """The square of who sees whom: ■ seen, · hidden."""
        rows = self.allowed(self.real[:, :, None], pattern)[sentence, 0]
        return "\n".join(" ".join("■" if seen else "·" for seen in row) for row in rows.tolist())
