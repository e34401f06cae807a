"""Texts as tensors."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from pellucid.record.tokens import Tokens


@dataclass(frozen=True, eq=False)
class Batch:
    """Texts side by side: ids padded on the right, and which of them are real tokens.

    The mask is left out where no text needs padding.
    """

    ids: Int[Tensor, "B T"]
    mask: Bool[Tensor, "B T"] | None

    @classmethod
    def of(cls, texts: Sequence[Tokens], device: torch.device) -> "Batch":
        """The ids of these texts."""
        return cls.rows([text.ids for text in texts], device)

    @classmethod
    def rows(cls, rows: Sequence[Sequence[int]], device: torch.device) -> "Batch":
        """The same for ids."""
        longest = max(map(len, rows))
        ids = torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows], device=device)
        if all(len(row) == longest for row in rows):
            return cls(ids, None)
        lengths = torch.tensor([[len(row)] for row in rows], device=device)
        return cls(ids, torch.arange(longest, device=device) < lengths)
