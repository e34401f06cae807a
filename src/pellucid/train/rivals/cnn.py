"""A convolutional network for sentences (Kim 2014)."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from pellucid.models.heads import Output
from pellucid.train.rivals.sizes import Sizes
from pellucid.train.rivals.words import words


class Convolutional(nn.Module):
    """Words, filters over a few neighbours, of each filter the largest answer, classes."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.windows = sizes.windows
        self.words = words(sizes)
        self.filters = nn.ModuleList(
            nn.Conv1d(sizes.width, sizes.hidden, size, padding=size - 1) for size in sizes.windows
        )
        self.dropout = nn.Dropout(sizes.dropout)
        self.classes = nn.Linear(sizes.hidden * len(sizes.windows), sizes.classes)

    def forward(self, ids: Int[Tensor, "B T"], mask: Bool[Tensor, "B T"] | None = None) -> Output:
        real = torch.ones_like(ids, dtype=torch.bool) if mask is None else mask
        x = self.words(ids).masked_fill(~real[..., None], 0)
        sized = zip(self.filters, self.windows, strict=True)
        best = [largest(filter, size, x.mT, real) for filter, size in sized]
        return Output(x, classes=self.classes(self.dropout(torch.cat(best, dim=-1))))


def largest(
    filter: nn.Module, size: int, x: Float[Tensor, "B D T"], real: Bool[Tensor, "B T"]
) -> Float[Tensor, "B F"]:
    """Each filter's largest answer over all windows that touch a real token.

    Beyond a text's ends are zeros, whether it was padded or not; so its answers stay the same.
    """
    beside = functional.pad(real[:, None].to(x.dtype), (size - 1, size - 1))
    touched = functional.max_pool1d(beside, size, stride=1)
    return (filter(x).relu() * touched).amax(dim=-1)  # no answer is below zero
