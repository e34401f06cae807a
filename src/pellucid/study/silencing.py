"""Every head silenced in turn, and what becomes of the last vectors.

The layers before a head do not know that it will be silent, so they run once; all heads of a layer
are silenced side by side, as if they were sentences of one batch.
"""

from collections.abc import Iterator
from dataclasses import replace

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from pellucid.errors import UsageError
from pellucid.models.model import Model
from pellucid.nn.attention import Attention
from pellucid.nn.block import Block
from pellucid.nn.mask import Mask
from pellucid.nn.stack import Stack
from pellucid.nn.sublayer import Context

ROWS = 128  # tokens whose logits are held at once


@torch.no_grad()
def importance(
    model: Model, ids: Int[Tensor, "B T"], mask: Bool[Tensor, "B T"] | None = None
) -> tuple[Float[Tensor, "L H"], int]:
    """How much worse the model gets without each head, summed over tokens; and how many they are.

    Where it has a head for the next word: by how many nats the next token surprises it more. Else:
    1 − the cosine of each token's last vector with what it was.
    """
    real = Mask.of(ids, mask)
    whole = stack_of(model)(model.get_submodule("entrance")(ids, real), real)
    lost = surprises if model.config.head == "language" else turns
    usual = lost(model, ids, real.real, whole, whole[None])
    rows = [
        lost(model, ids, real.real, whole, x) - usual for x in without_each_head(model, ids, real)
    ]
    tokens = real.real[:, 1:] if model.config.head == "language" else real.real
    return torch.stack(rows), int(tokens.sum())


def without_each_head(
    model: Model, ids: Int[Tensor, "B T"], mask: Mask
) -> Iterator[Float[Tensor, "H B T D"]]:
    """For each layer the last vectors without head 0, without head 1, and so on."""
    stack = stack_of(model)
    context = Context(mask, stack.positions(mask))
    heads = model.config.heads
    many = repeated(context, heads)
    x = model.get_submodule("entrance")(ids, mask)
    blocks: list[Block] = list(stack.layers)  # type: ignore[arg-type]
    for number, block in enumerate(blocks):
        y = without(block.attention, x, context, many)
        y = block.feedforward(y, many) if block.feedforward else y
        for later in blocks[number + 1 :]:
            y = later(y, many)
        yield stack.norm(y, many.mask.real).unflatten(0, (heads, -1))
        x = block(x, context)


def stack_of(model: Model) -> Stack:
    """The one stack of an encoder or a decoder."""
    if model.config.shape == "encoder-decoder":
        raise UsageError(
            "Heads are measured over texts in encoders and in decoders; this model takes a source "
            "and a target. For a single pair there are compare, lens and why."
        )
    found: Stack = model.get_submodule(model.config.shape)  # type: ignore[assignment]
    return found


def without(
    attention: Attention, x: Float[Tensor, "B T D"], context: Context, many: Context
) -> Float[Tensor, "_ T D"]:
    """What the sub-layer gives without head 0, then without head 1, …: as H batches in one."""
    heads = attention.config.heads
    merged = _merged(attention, x, context)
    kept = 1 - torch.eye(heads, dtype=x.dtype, device=x.device)
    copies = merged.unflatten(-1, (heads, -1)) * kept[:, None, None, :, None]
    y = attention.output(copies.flatten(-2).flatten(0, 1))
    y = attention._residual(x.repeat(heads, 1, 1), y)
    return y if attention.config.place == "pre" else attention.norm(y, many.mask.real)


def _merged(attention: Attention, x: Tensor, context: Context) -> Tensor:
    """What the heads give, side by side, before they are put together."""
    heard: list[Tensor] = []

    def hear(_module: nn.Module, given: tuple[Tensor, ...]) -> None:
        heard.append(given[0])

    hook = attention.output.register_forward_pre_hook(hear)
    try:
        attention(x, context)
    finally:
        hook.remove()
    return heard[0]


def repeated(context: Context, times: int) -> Context:
    """What a layer may look at, for so many copies of a batch."""
    mask, bias = context.mask, context.bias
    real = mask.real.repeat(times, 1)
    if bias is not None and bias.shape[0] > 1:
        bias = bias.repeat(times, 1, 1, 1)
    return replace(context, mask=Mask(real, mask.padded), bias=bias)


def turns(
    _model: Model,
    _ids: Int[Tensor, "B T"],
    real: Bool[Tensor, "B T"],
    whole: Float[Tensor, "B T D"],
    hidden: Float[Tensor, "H B T D"],
) -> Float[Tensor, "H"]:
    """1 − the cosine of each token's last vector with what it was, summed over tokens."""
    cosines = functional.cosine_similarity(whole.double()[None], hidden.double(), dim=-1)
    return (1 - cosines)[:, real].sum(-1)


def surprises(
    model: Model,
    ids: Int[Tensor, "B T"],
    real: Bool[Tensor, "B T"],
    _whole: Float[Tensor, "B T D"],
    hidden: Float[Tensor, "H B T D"],
) -> Float[Tensor, "H"]:
    """−log p of each next token, summed, in nats, for each of several last vectors.

    Only some rows' logits are in memory at once.
    """
    followed = real[:, 1:]
    rows = hidden[:, :, :-1][:, followed].flatten(0, 1)
    targets = ids[:, 1:][followed].repeat(len(hidden))
    losses = []
    for some, said in zip(rows.split(ROWS), targets.split(ROWS), strict=True):
        (logits,) = model.heads.words(some[None])
        losses.append(functional.cross_entropy(logits, said, reduction="none"))
    return torch.cat(losses).double().view(len(hidden), -1).sum(-1)
