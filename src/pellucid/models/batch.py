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
        longest = max(map(len, texts))
        rows = [[*text.ids, *[0] * (longest - len(text))] for text in texts]
        ids = torch.tensor(rows, device=device)
        if all(len(text) == longest for text in texts):
            return cls(ids, None)
        lengths = torch.tensor([[len(text)] for text in texts], device=device)
        return cls(ids, torch.arange(longest, device=device) < lengths)
