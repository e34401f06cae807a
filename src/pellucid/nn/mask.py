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
    """Which of S positions of B rows are real tokens (boolean, True = real).

    Several documents may be packed into one row: `documents` then numbers them from 1, with 0 for
    padding; none sees another, and each has positions of its own. `padded` says whether any
    position is hidden for such a reason: without it there is a faster path.
    """

    real: Bool[Tensor, "B S"]
    padded: bool
    documents: Int[Tensor, "B S"] | None = None

    @classmethod
    def of(
        cls,
        ids: Int[Tensor, "B S"],
        real: Bool[Tensor, "B S"] | None = None,
        documents: Int[Tensor, "B S"] | None = None,
    ) -> "Mask":
        """The mask of these ids; without `real` or `documents` every position is a real token."""
        if documents is not None:
            return cls._packed(ids, real, documents)
        if real is None:
            return cls(torch.ones_like(ids, dtype=torch.bool), padded=False)
        if real.dtype != torch.bool or real.shape != ids.shape:
            raise UsageError(
                f"The mask is {real.dtype} {list(real.shape)}; expected is torch.bool "
                f"{list(ids.shape)}, True where a token is real."
            )
        return cls(real, padded=not bool(real.all()))

    @classmethod
    def _packed(cls, ids: Tensor, real: Tensor | None, documents: Tensor) -> "Mask":
        if real is not None or documents.is_floating_point() or documents.shape != ids.shape:
            raise UsageError(
                f"The documents are {documents.dtype} {list(documents.shape)}; expected is one "
                f"number a token, {list(ids.shape)}, 0 where it is padding, and no mask beside it."
            )
        return cls(documents != 0, padded=True, documents=documents.long())

    @property
    def marks(self) -> Tensor:
        """What formulas call `real`: the documents' numbers where there are several."""
        return self.real if self.documents is None else self.documents

    def allowed(self, query: Tensor, pattern: Pattern) -> Bool[Tensor, "B 1 T S"]:
        """What each of the query's T rows may see: every real token, or no later ones."""
        return reach.compute(query, self.marks, pattern=pattern)

    @property
    def longest(self) -> int:
        """Tokens of the longest text: of the row, or of a document in it."""
        if self.documents is None:
            return self.real.shape[-1]
        return int(self.positions.max()) + 1

    @cached_property
    def positions(self) -> Int[Tensor, "B S"]:
        """Each token's position, counted in real tokens: padding on any side changes nothing."""
        return positions.compute(self.marks)

    @property
    def key_positions(self) -> Int[Tensor, "B S"]:
        """Where the keys stand that one may look at: the same tokens, if nothing came before."""
        return self.positions

    def draw(self, pattern: Pattern, sentence: int = 0) -> str:
        """The square of who sees whom: ■ seen, · hidden."""
        rows = self.allowed(self.real[:, :, None], pattern)[sentence, 0]
        return "\n".join(" ".join("■" if seen else "·" for seen in row) for row in rows.tolist())
