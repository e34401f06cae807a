"""Every head silenced in turn, and what becomes of the last vectors.

The layers before a head do not know that it will be silent, so they run once; all heads of a layer
are silenced side by side, as if they were sentences of one batch. What a silent head of an encoder
changes, its decoder reads too.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from pellucid.models.encoder_decoder import EncoderDecoder
from pellucid.models.model import Model
from pellucid.nn.attention import Attention
from pellucid.nn.block import Block
from pellucid.nn.mask import Mask
from pellucid.nn.stack import Stack
from pellucid.nn.sublayer import Context, Sublayer

ROWS = 128  # tokens whose logits are held at once

Onward = Callable[[Tensor], Tensor]


@dataclass(frozen=True, eq=False)
class Pass:
    """A stack's way through a batch: what goes in, what may be looked at, where it goes from there.

    `onward` makes of the stack's output, of so many copies of the batch, the model's last vectors.
    """

    stack: Stack
    x: Float[Tensor, "B T D"]
    context: Context
    onward: Onward = lambda hidden: hidden

    @property
    def sublayers(self) -> list[Sublayer]:
        """All of the stack's, in the order of the road."""
        blocks: list[Block] = list(self.stack.layers)  # type: ignore[arg-type]
        parts = (part for b in blocks for part in (b.attention, b.cross, b.feedforward))
        return [part for part in parts if part is not None]

    @property
    def hidden(self) -> Float[Tensor, "B T W"]:
        """What the stack gives when nothing is silent."""
        seen = self.context
        y: Tensor = self.stack(self.x, seen.mask, seen.memory, seen.memory_mask)
        return y


@torch.no_grad()
def importance(model: Model, **inputs: Tensor | None) -> tuple[dict[str, Float[Tensor, "H"]], int]:
    """How much worse the model gets without each head, summed over tokens; and how many they are.

    `inputs` are those of the model's `forward`; the sums are by the name of the heads' sub-layer.
    Where it has a head for the next word: by how many nats the next token surprises it more. Else:
    1 − the cosine of each token's last vector with what it was.
    """
    last = passes(model, **inputs)[-1]
    ids = inputs["target_ids" if isinstance(model, EncoderDecoder) else "ids"]
    assert ids is not None
    real, whole = last.context.mask.real, last.hidden
    lost = surprises if model.config.head == "language" else turns
    usual = lost(model, ids, real, whole, whole[None])
    rows = {
        place: lost(model, ids, real, whole, hidden) - usual
        for place, hidden in without_each_head(model, **inputs)
    }
    return rows, int((real[:, 1:] if model.config.head == "language" else real).sum())


@torch.no_grad()
def without_each_head(
    model: Model, **inputs: Tensor | None
) -> Iterator[tuple[str, Float[Tensor, "H B T W"]]]:
    """For each sub-layer of heads the last vectors without head 0, without head 1, and so on."""
    heads = model.config.heads
    for run in passes(model, **inputs):
        many, x = repeated(run.context, heads), run.x
        for number, sublayer in enumerate(run.sublayers):
            if isinstance(sublayer, Attention):
                y = without(sublayer, x, run.context, many)
                for later in run.sublayers[number + 1 :]:
                    y = later(y, many)
                hidden = run.onward(run.stack.norm(y, many.mask.real))
                yield sublayer.path, hidden.unflatten(0, (heads, -1))
            x = sublayer(x, run.context)


def passes(model: Model, **inputs: Tensor | None) -> list[Pass]:
    """The stacks that a batch passes: one; or an encoder, then a decoder."""
    if isinstance(model, EncoderDecoder):
        return _both(model, **inputs)  # type: ignore[arg-type]
    return [_one(model, **inputs)]  # type: ignore[arg-type]


def _one(model: Model, ids: Int[Tensor, "B T"], mask: Bool[Tensor, "B T"] | None = None) -> Pass:
    real = Mask.of(ids, mask)
    stack: Stack = model.get_submodule(model.config.shape)  # type: ignore[assignment]
    return Pass(
        stack, model.get_submodule("entrance")(ids, real), Context(real, stack.positions(real))
    )


def _both(
    model: EncoderDecoder,
    source_ids: Int[Tensor, "B S"],
    target_ids: Int[Tensor, "B T"],
    source_mask: Bool[Tensor, "B S"] | None = None,
    target_mask: Bool[Tensor, "B T"] | None = None,
) -> list[Pass]:
    """The encoder's pass goes on into the decoder, which is read once for each copy."""
    source, target = Mask.of(source_ids, source_mask), Mask.of(target_ids, target_mask)
    x, y = model.source(source_ids, source), model.target(target_ids, target)

    def onward(memory: Float[Tensor, "_ S D"]) -> Float[Tensor, "_ T W"]:
        times = len(memory) // len(source_ids)
        many = y.repeat(times, 1, 1), copies(target, times), memory, copies(source, times)
        hidden: Tensor = model.decoder(*many)
        return hidden

    first = Pass(model.encoder, x, Context(source, model.encoder.positions(source)), onward)
    bias = model.decoder.positions(target)
    return [first, Pass(model.decoder, y, Context(target, bias, first.hidden, source))]


def without(
    attention: Attention, x: Float[Tensor, "B T D"], context: Context, many: Context
) -> Float[Tensor, "_ T D"]:
    """What the sub-layer gives without head 0, then without head 1, …: as H batches in one."""
    heads = attention.config.heads
    merged = _merged(attention, x, context)
    kept = 1 - torch.eye(heads, dtype=x.dtype, device=x.device)
    silenced = merged.unflatten(-1, (heads, -1)) * kept[:, None, None, :, None]
    y = attention.output(silenced.flatten(-2).flatten(0, 1))
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
    bias, memory, seen = context.bias, context.memory, context.memory_mask
    if bias is not None and bias.shape[0] > 1:
        bias = bias.repeat(times, 1, 1, 1)
    return Context(
        copies(context.mask, times),
        bias,
        None if memory is None else memory.repeat(times, 1, 1),
        None if seen is None else copies(seen, times),
    )


def copies(mask: Mask, times: int) -> Mask:
    """The mask of so many copies of a batch."""
    return Mask(mask.real.repeat(times, 1), mask.padded)


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
