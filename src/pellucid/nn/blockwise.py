"""Attention for learning in bf16: the formula some texts at a time, made once more on the way back.

torch's fused kernel takes up to twelve times as long on the way back in bf16 as these products do
(on a processor, torch 2.13). Of the squares of weights only a block is held, as in the kernel.

    P = softmax(Q Kᵀ s),  Y = P V;     dV = Pᵀ dY,  dS = P ∘ (dP − Σ P ∘ dP),  dP = dY Vᵀ
"""

from collections.abc import Iterator
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

HELD = 1 << 20  # weights held at once


def blockwise(
    q: Float[Tensor, "B H T K"],
    k: Float[Tensor, "B G S K"],
    v: Float[Tensor, "B G S W"],
    allowed: Bool[Tensor, "_ 1 T S"] | None,
    scale: float | None = None,
) -> Float[Tensor, "B H T W"]:
    """softmax(Q Kᵀ · scale) V over what is allowed, 0 where nothing is; the scale is 1/√K."""
    shared = q.shape[1] // k.shape[1]
    if shared > 1:
        k, v = k.repeat_interleave(shared, 1), v.repeat_interleave(shared, 1)
    hidden = None
    if allowed is not None:
        hidden = torch.zeros_like(allowed, dtype=q.dtype)
        hidden.masked_fill_(~allowed, torch.finfo(q.dtype).min)
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    mixed: Tensor = _Blockwise.apply(q, k, v, hidden, scale)  # type: ignore[no-untyped-call]
    return mixed if allowed is None else mixed * allowed.any(-1, keepdim=True)


class _Blockwise(torch.autograd.Function):
    """What autograd would do, but with no square of weights kept in between."""

    @staticmethod
    def forward(  # noqa: PLR0917
        ctx: Any, q: Tensor, k: Tensor, v: Tensor, hidden: Tensor | None, scale: float
    ) -> Tensor:
        ctx.save_for_backward(q, k, v, hidden)
        ctx.scale = scale
        texts, heads, length, _ = q.shape
        mixed = q.new_empty(texts, length, heads, v.shape[-1]).transpose(1, 2)
        for at in _blocks(q, k):
            mixed[at] = _weights(q[at], k[at], _part(hidden, at), scale) @ v[at]
        return mixed

    @staticmethod
    def backward(ctx: Any, *given: Tensor) -> tuple[Tensor | None, ...]:
        q, k, v, hidden = ctx.saved_tensors
        dq, dk, dv = (torch.empty_like(x) for x in (q, k, v))
        for at in _blocks(q, k):
            weights, dy = _weights(q[at], k[at], _part(hidden, at), ctx.scale), given[0][at]
            dv[at] = weights.transpose(-1, -2) @ dy
            ds = torch._softmax_backward_data(
                dy @ v[at].transpose(-1, -2), weights, -1, weights.dtype
            )
            dq[at] = ds @ k[at] * ctx.scale
            dk[at] = ds.transpose(-1, -2) @ q[at] * ctx.scale
        return dq, dk, dv, None, None


def _blocks(q: Tensor, k: Tensor) -> Iterator[slice]:
    """Some texts after others."""
    texts, heads, length, _ = q.shape
    size = max(1, HELD // (heads * length * k.shape[2]))
    return (slice(start, start + size) for start in range(0, texts, size))


def _part(hidden: Tensor | None, at: slice) -> Tensor | None:
    """These texts' own squares of what is hidden, or the one of all."""
    return hidden if hidden is None or len(hidden) == 1 else hidden[at]


def _weights(q: Tensor, k: Tensor, hidden: Tensor | None, scale: float) -> Tensor:
    scores = (q * scale) @ k.transpose(-1, -2)
    return (scores if hidden is None else scores.add_(hidden)).softmax(-1)
