"""Rollout: how much of each token is mixed into each other, all layers taken together."""

import torch
from jaxtyping import Float
from torch import Tensor

from pellucid.errors import UsageError
from pellucid.record.trace import Trace


@torch.no_grad()
def rollout(trace: Trace, stack: str = "", sentence: int = 0) -> Float[Tensor, "L T T"]:
    """After each layer, the share of each token (columns) in each token's vector (rows).

    A layer passes on half of what was there and half of what its heads, on average, look at:
    R = (½ I + ½ mean of the heads) R of the layer before (Abnar and Zuidema 2020). Rows sum to 1.

    What it does not show: values. A token that is looked at may bring nearly nothing, since a
    weight says how much of a vector is taken and not how large it is.
    """
    stacks = [stack] if stack else [s for s in ("decoder", "encoder") if trace.names(f"{s}.0.*")]
    names = trace.names(f"{stacks[0]}.*.attention.weights")
    if not names:
        raise UsageError(f"The trace has no attention in {stacks[0]!r}.")
    tokens = trace.tokens(names[0], "T", sentence)
    total: list[Tensor] = []
    for name in names:
        mean = trace[name][sentence].double().mean(0)
        mean = mean[: len(tokens), : len(tokens)] if tokens else mean
        step = (mean + torch.eye(len(mean), dtype=mean.dtype)) / 2
        step = step / step.sum(-1, keepdim=True)
        total.append(step @ total[-1] if total else step)
    return torch.stack(total)
