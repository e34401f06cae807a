"""One vector for a text: the mean of its tokens' last vectors, or the first or the last of them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

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

BATCH = 32
WINDOW = 64  # batches that are sorted by length together


def embed(
    model: Model, texts: Iterable[str], *, pooling: Pooling = "mean", batch: int = BATCH
) -> Iterator[Float[Tensor, "D"]]:
    """A vector of length 1 for each text, in their order, float32; memory stays bounded.

    Texts of like length are read side by side. Their tokens are cut at the model's limit.
    """
    if model.config.shape == "encoder-decoder":
        raise UsageError(f"{model.name} is an encoder-decoder; vectors come from an encoder.")
    if batch < 1:
        raise UsageError(f"A batch of {batch} texts makes no sense; give 1 or more.")
    for window in batched(texts, WINDOW * batch):
        yield from _window(model, [model.tokenizer.encode(text) for text in window], pooling, batch)


def _window(
    model: Model, texts: Sequence[Tokens], pooling: Pooling, batch: int
) -> Iterator[Float[Tensor, "D"]]:
    longest = model.config.longest or max(map(len, texts))
    order = sorted(range(len(texts)), key=lambda at: -len(texts[at]))
    found: dict[int, Tensor] = {}
    for start in range(0, len(order), batch):
        chosen = order[start : start + batch]
        rows = [texts[at].ids[:longest] for at in chosen]
        found |= zip(chosen, _vectors(model, rows, pooling), strict=True)
    yield from (found[at] for at in range(len(texts)))


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
