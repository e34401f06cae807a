"""Recurrent networks: LSTM (Hochreiter, Schmidhuber 1997) and GRU (Cho et al. 2014)."""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence, pack_sequence, pad_packed_sequence

from pellucid.models.heads import Output
from pellucid.train.rivals.sizes import Sizes
from pellucid.train.rivals.words import words

CELLS: dict[str, Callable[..., nn.Module]] = {"lstm": nn.LSTM, "gru": nn.GRU}


class Recurrent(nn.Module):
    """Words, read once forwards and once backwards; the states pooled; classes."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.pool = POOLS[sizes.pool]
        self.words = words(sizes)
        self.cell = CELLS[sizes.kind](
            sizes.width, sizes.hidden, num_layers=sizes.layers, bidirectional=True
        )
        self.dropout = nn.Dropout(sizes.dropout)
        self.classes = nn.Linear(2 * sizes.hidden, sizes.classes)

    def forward(self, ids: Int[Tensor, "B T"], mask: Bool[Tensor, "B T"] | None = None) -> Output:
        real = torch.ones_like(ids, dtype=torch.bool) if mask is None else mask
        x = self.words(ids)
        states, _ = self.cell(packed(x, real))
        return Output(x, classes=self.classes(self.dropout(self.pool(states))))


def packed(x: Float[Tensor, "B T D"], real: Bool[Tensor, "B T"]) -> PackedSequence:
    """Only the real tokens, so that padding on any side is never read."""
    return pack_sequence(x[real].split(real.sum(1).tolist()), enforce_sorted=False)


def mean(states: PackedSequence) -> Float[Tensor, "B D"]:
    """The mean over a text's own states."""
    padded, lengths = pad_packed_sequence(states, batch_first=True)
    return padded.sum(1) / lengths[:, None].to(padded)


def largest(states: PackedSequence) -> Float[Tensor, "B D"]:
    """Each column's largest number over a text's own states."""
    padded, _ = pad_packed_sequence(states, batch_first=True, padding_value=float("-inf"))
    return padded.amax(1)


POOLS = {"mean": mean, "max": largest}
