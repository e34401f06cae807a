"""Dropout (Srivastava et al. 2014): some numbers become 0, and others grow to make up for it."""

import torch
from torch import Tensor, nn

PARTS = 1 << 16  # a share is told to so fine a part
FOUR = 4  # decisions that one number of 64 bits makes


class Dropout(nn.Dropout):
    """torch's, which asks its generator for each number; here one answer decides about four."""

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or not self.p:
            return x
        kept = round((1 - self.p) * PARTS)
        if not kept:
            return x * 0
        drawn = torch.empty(-(-x.numel() // FOUR), dtype=torch.int64, device=x.device)
        drawn.random_(-(2**63), None)
        parts = drawn.view(torch.int16)[: x.numel()].view(x.shape)
        keep = (parts < kept - PARTS // 2).to(x.dtype)
        return x * keep.mul_(PARTS / kept)
