"""One vector for a text: the mean of its tokens' last vectors, or the first or the last of them."""

import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Literal, cast

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from pellucid.errors import UsageError
from pellucid.formula.places import first, last
from pellucid.models.batch import Batch
from pellucid.models.model import Model
from pellucid.nn.mask import Mask
from pellucid.record.batched import batched
from pellucid.record.tokens import Tokens

Pooling = Literal["mean", "first", "last"]

BATCH, MOST = 32, 1_000_000
WINDOW = 64  # batches that are sorted by length together


def embed(
    model: Model, texts: Iterable[str], *, pooling: Pooling = "mean", batch: int = BATCH
) -> Iterator[Float[Tensor, "D"]]:
    """A vector of length 1 for each text, in their order, float32; memory stays bounded.

    Texts of like length are read side by side. Longer ones than the model reads are cut, and a
    warning says how many.
    """
    if model.config.shape == "encoder-decoder":
        raise UsageError(f"{model.name} is an encoder-decoder; vectors come from an encoder.")
    if not 1 <= batch <= MOST:
        raise UsageError(f"A batch of {batch} texts makes no sense; give from 1 to {MOST}.")
    longest = model.config.longest or sys.maxsize
    cut, found = 0, cast(Iterator[Tensor], iter(()))
    for window in batched(texts, WINDOW * batch):
        yield from found
        tokens = [model.tokenizer.encode(text) for text in window]
        cut += sum(len(text) > longest for text in tokens)
        found = _window(model, [shortened(text, longest) for text in tokens], pooling, batch)
    if cut:
        said = "text was" if cut == 1 else "texts were"
        warnings.warn(
            f"{cut:,} {said} cut to {longest} tokens; {model.name} reads no more.", stacklevel=2
        )
    yield from found  # after the warning, which so reaches whoever takes but one


def shortened(text: Tokens, longest: int) -> tuple[int, ...]:
    """At most so many of its ids; special pieces that end it stay."""
    if len(text) <= longest:
        return text.ids
    end = len(text) - sum(1 for _ in takewhile(bool, reversed(text.special)))
    return text.ids[: longest - len(text.ids[end:])] + text.ids[end:]


def _window(
    model: Model, rows: Sequence[Sequence[int]], pooling: Pooling, batch: int
) -> Iterator[Float[Tensor, "D"]]:
    order = sorted(range(len(rows)), key=lambda at: -len(rows[at]))
    found: dict[int, Tensor] = {}
    for chosen in batched(order, batch):
        vectors = _vectors(model, [rows[at] for at in chosen], pooling)
        found |= zip(chosen, vectors, strict=True)
    yield from (found[at] for at in range(len(rows)))


@torch.inference_mode()
def _vectors(model: Model, rows: Sequence[Sequence[int]], pooling: Pooling) -> Float[Tensor, "B D"]:
    batch = Batch.rows(rows, model.device)
    hidden = model(batch.ids, batch.mask).hidden.float()
    real = Mask.of(batch.ids, batch.mask).real
    return functional.normalize(POOLINGS[pooling](hidden, real), dim=-1)


def mean(x: Float[Tensor, "B T D"], real: Tensor) -> Float[Tensor, "B D"]:
    """The mean over real tokens."""
    weights = real.to(x.dtype)[..., None]
    return (x * weights).sum(1) / weights.sum(1).clamp(min=1)


POOLINGS = {"mean": mean, "first": first.compute, "last": last.compute}
