"""Two looks at a text, under different dropout, should say the same (R-Drop, Liang et al. 2021).

    α/2 (KL(p‖q) + KL(q‖p))  =  α/2 Σ (p − q)(a − b)

p and q are what two looks believe, a and b their logits. Σ (p − q) is 0, so what log p and a differ
by falls out; for yes or no it is the same sum with p = σ(a).
"""

from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from pellucid.train.batches import Batch, Targets


def twice(batch: Batch) -> Batch:
    """Every example a second time, behind all first ones."""
    return replace(
        batch,
        inputs={name: _twice(tensor) for name, tensor in batch.inputs.items()},
        targets={term: _targets(targets) for term, targets in batch.targets.items()},
        tokens=2 * batch.tokens,
        padded=2 * batch.padded,
    )


def _twice(tensor: Tensor | None) -> Tensor | None:
    return None if tensor is None else torch.cat([tensor, tensor])


def _targets(targets: Targets) -> Targets:
    both = torch.cat([targets.ids, targets.ids]), torch.cat([targets.counted, targets.counted])
    return Targets(*both, _twice(targets.scores))


def disagreement(
    believed: Float[Tensor, "N2 ..."], logits: Float[Tensor, "N2 ..."]
) -> Float[Tensor, ""]:
    """½ Σ (p − q)(a − b), the second half of the rows being second looks at the first."""
    return summed(believed, apart(logits))


def summed(believed: Float[Tensor, "N2 ..."], further: Float[Tensor, "N ..."]) -> Float[Tensor, ""]:
    """The same, where `further` is a − b."""
    return (apart(believed) * further).sum() / 2


def gradient(believed: Float[Tensor, "N2 V"], further: Float[Tensor, "N V"]) -> Tensor:
    """Its gradient at the logits, where p and q are softmax and `further` is a − b.

    ½ (p (a − b − Σ p (a − b)) + p − q)   at a, and the same with all signs changed at b
    """
    p = believed.unflatten(0, (2, -1))
    found = p * (further - (p * further).sum(-1, keepdim=True)) + apart(believed)
    found[1].neg_()
    return found.flatten(0, 1).div_(2)


def apart(rows: Float[Tensor, "N2 ..."]) -> Float[Tensor, "N ..."]:
    """By how much first looks differ from second ones."""
    first, second = rows.chunk(2)
    return first - second
