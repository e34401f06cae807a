"""Memory for time: what is cheap to make again is not kept for the way back."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks


def made_again(tensor: Tensor, make: Callable[[], Tensor]) -> AbstractContextManager[Any]:
    """Where an operation would keep `tensor` for its gradient, it keeps how to make it.

    `make` must hold nothing that is not kept anyway. Gradients of gradients do not reach it.
    """
    if torch.compiler.is_compiling() or not tensor.requires_grad:
        return nullcontext()
    place, size = tensor.data_ptr(), tensor.numel()

    def pack(kept: Tensor) -> Any:
        same = kept.data_ptr() == place and kept.numel() == size
        return kept.shape if same else kept

    def unpack(kept: Any) -> Tensor:
        if isinstance(kept, Tensor):
            return kept
        with torch.no_grad():
            return make().view(kept)

    return saved_tensors_hooks(pack, unpack)
