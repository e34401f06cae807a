"""x Wᵀ + b in float32 by oneDNN, which torch has along but asks for 16 bits only.

torch asks MKL, which on AMD's processors leaves half of AVX-512 unused: oneDNN takes half the time
there, forward and backward. Both add up in float32; where oneDNN does not serve, torch is asked.
"""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

FEW = 8  # rows below which nothing is gained
HALVES = torch.bfloat16, torch.float16
SERVES = (
    torch.backends.mkldnn.is_available() and "AVX512" in torch.backends.cpu.get_cpu_capability()
)


def linear(
    x: Float[Tensor, "*B I"], weight: Float[Tensor, "O I"], bias: Float[Tensor, "O"] | None = None
) -> Float[Tensor, "*B O"]:
    """x Wᵀ + b in the precision of x, though the products of weights in 16 bits have 16 bits."""
    if weight.dtype in HALVES and not torch.is_autocast_enabled("cpu"):
        added = None if bias is None else bias.to(weight.dtype)
        return functional.linear(x.to(weight.dtype), weight, added).to(x.dtype)
    if not _serves(x, weight):
        return functional.linear(x, weight, bias)
    if torch.is_grad_enabled() and (x.requires_grad or weight.requires_grad):
        y: Tensor = _Linear.apply(x, weight, bias)  # type: ignore[no-untyped-call]
        return y
    return _product(x, weight, bias)


def once(x: Tensor) -> Tensor:
    """x as autocast wants it for products, so that several of them share one copy."""
    kind = x.device.type
    if not (torch.amp.is_autocast_available(kind) and torch.is_autocast_enabled(kind)):
        return x
    return x.to(torch.get_autocast_dtype(kind))


def exact(x: Tensor) -> Tensor:
    """In float32 at least."""
    return x.to(torch.promote_types(x.dtype, torch.float32))


def _serves(x: Tensor, weight: Tensor) -> bool:
    written_down = torch.compiler.is_compiling() or torch.compiler.is_exporting()
    return (
        SERVES
        and not written_down
        and x.dtype == weight.dtype == torch.float32
        and x.device.type == weight.device.type == "cpu"
        and x.shape[-1] == weight.shape[-1]
        and x.numel() >= FEW * x.shape[-1] > 0
        and not torch.is_autocast_enabled("cpu")
    )


def _product(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    added = None if bias is None else bias.contiguous()  # a bias with gaps would be misread
    y: Tensor = torch.ops.mkldnn._linear_pointwise(x, weight, added, "none", [], "")
    return y


class _Linear(torch.autograd.Function):
    """dX = dY W,  dW = dYᵀ X,  db = Σ dY: products of the same kind."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(x, weight)
        return _product(x, weight, bias)

    @staticmethod
    def backward(ctx: Any, *given: Tensor) -> tuple[Tensor | None, ...]:
        (dy,), (x, weight) = given, ctx.saved_tensors
        wanted = ctx.needs_input_grad
        rows = dy.flatten(0, -2)
        dx = linear(dy, weight.t()) if wanted[0] else None
        dw = linear(rows.t(), x.flatten(0, -2).t()) if wanted[1] else None
        return dx, dw, rows.sum(0) if wanted[2] else None
