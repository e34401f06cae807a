"""Cross-entropy over a large vocabulary, in chunks, so that not all logits exist at once.

    −Σ q log softmax(h Wᵀ + b),   and its gradient, which is  p − q  at the logits

The gradient of a chunk is made right after its loss, while the chunk's logits are still in the
processor's cache. It costs the same as making it later, and of N·V logits only a chunk is held.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from pellucid.formula.linear import linear
from pellucid.train.agreement import apart, gradient, summed

if TYPE_CHECKING:
    from pellucid.train.loss import Smoothing

CHUNK, ROWS = 1 << 22, 256  # logits held at once, but at least those of so many targets


def cross_entropy(
    hidden: Float[Tensor, "N D"],
    weight: Float[Tensor, "V D"],
    bias: Float[Tensor, "V"] | None,
    ids: Int[Tensor, "N"],
    smoothing: "Smoothing",
) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
    """The sum over N targets: with label smoothing, and without it (that one has no gradient)."""
    wanted = torch.is_grad_enabled()
    precision = hidden.dtype
    if torch.is_autocast_enabled(hidden.device.type):
        precision = torch.get_autocast_dtype(hidden.device.type)
    total, plain = _Chunked.apply(  # type: ignore[no-untyped-call]
        hidden, weight, bias, ids, (smoothing, precision, wanted)
    )
    return total, plain


class _Chunked(torch.autograd.Function):
    """Loss and gradients chunk by chunk; products in `precision`, all else in float32."""

    @staticmethod
    def forward(  # noqa: PLR0917
        ctx: Any,
        hidden: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        ids: Tensor,
        how: "tuple[Smoothing, torch.dtype, bool]",
    ) -> tuple[Tensor, Tensor]:
        smoothing, precision, wanted = how
        words = weight.to(precision)
        given = hidden.to(precision)
        exact = torch.promote_types(hidden.dtype, torch.float32)
        totals = torch.zeros(2, dtype=exact, device=hidden.device)
        grads = _zeros(hidden, weight, bias) if wanted else None
        rows = max(ROWS, CHUNK // len(weight))
        for at in _parts(len(ids), rows, paired=bool(smoothing.r_drop)):
            vectors = given[at]
            logits = linear(vectors, words).to(exact)
            if bias is not None:
                logits += bias
            totals += _losses(logits, ids[at], smoothing)
            if grads is not None:
                _add(grads, at, logits, words, vectors)
        if grads is not None:
            ctx.save_for_backward(*filter(lambda each: each is not None, grads))
        total, plain = totals[0].clone(), totals[1].clone()
        ctx.mark_non_differentiable(plain)
        return total, plain

    @staticmethod
    def backward(ctx: Any, *given: Tensor) -> tuple[Tensor | None, ...]:
        hidden, weight, *bias = ctx.saved_tensors
        share = given[0]
        for each in (hidden, weight, *bias):
            each.mul_(share)
        return hidden, weight, bias[0] if bias else None, None, None


def _parts(count: int, rows: int, *, paired: bool) -> Iterator[Tensor]:
    """The numbers of the targets of chunk after chunk; paired, both looks at one stand in one."""
    looks = 2 if paired else 1
    numbers = torch.arange(count).view(looks, count // looks)
    return (part.flatten() for part in numbers.split(max(1, rows // looks), 1))


def _zeros(*of: Tensor | None) -> list[Tensor | None]:
    return [None if each is None else torch.zeros_like(each) for each in of]


def _losses(logits: Tensor, ids: Tensor, smoothing: "Smoothing") -> Tensor:
    """The two sums of a chunk. In place, its logits become the gradient p − q."""
    right, other, nothing = smoothing.beliefs(logits.shape[-1])
    logits.sub_(logits.amax(-1, keepdim=True))
    differ = apart(logits) if smoothing.r_drop else None
    said = wanted = logits.gather(1, ids[:, None])[:, 0]
    if smoothing.share:
        spread = logits.sum(-1) if nothing is None else logits.sum(-1) - logits[:, nothing]
        wanted = (right - other) * said + other * spread
    sums = logits.exp_().sum(-1)
    norm = sums.log()
    total, plain = (norm - wanted).sum(), (norm - said).sum()
    logits.div_(sums[:, None])
    further = None
    if differ is not None:
        further = smoothing.r_drop * gradient(logits, differ)
        total = total + smoothing.r_drop * summed(logits, differ)
    if other:
        logits.sub_(other)
        if nothing is not None:
            logits[:, nothing] += other
    logits.scatter_add_(1, ids[:, None], logits.new_full((len(ids), 1), other - right))
    if further is not None:
        logits += further
    return torch.stack([total, plain])


def _add(
    grads: list[Tensor | None], at: Tensor, gradient: Tensor, words: Tensor, given: Tensor
) -> None:
    """What a chunk adds to the gradients of hidden vectors, words and bias."""
    hidden, weight, bias = grads
    if bias is not None:
        bias += gradient.sum(0)
    gradient = gradient.to(words.dtype)
    if hidden is not None and weight is not None:
        hidden[at] = linear(gradient, words.t()).to(hidden)
        weight += linear(gradient.t(), given.t())
