"""A model's run up to the words: logits for a vocabulary are made only where they are needed."""

from collections.abc import Callable, Mapping
from typing import cast

from torch import Tensor, nn

from pellucid.models.decoder import Decoder
from pellucid.models.encoder import Encoder
from pellucid.models.encoder_decoder import EncoderDecoder
from pellucid.models.heads import Heads, Output
from pellucid.nn.mask import Mask

Given = Tensor | None


def look(model: nn.Module, inputs: Mapping[str, Given]) -> Output:
    """Hidden vectors and what the heads for whole texts say; of other modules, all they say."""
    for kind, body in BODIES.items():
        if isinstance(model, kind):
            return body(model, **inputs)
    return cast(Output, model(**inputs))


def encoder(
    model: Encoder,
    ids: Tensor,
    mask: Given = None,
    segments: Given = None,
    documents: Given = None,
) -> Output:
    real = Mask.of(ids, mask, documents)
    return whole(model.heads, model.encoder(model.entrance(ids, real, segments), real), real)


def decoder(model: Decoder, ids: Tensor, mask: Given = None, documents: Given = None) -> Output:
    real = Mask.of(ids, mask, documents)
    return whole(model.heads, model.hidden(ids, real), real)


def encoder_decoder(
    model: EncoderDecoder,
    source_ids: Tensor,
    target_ids: Given = None,
    source_mask: Given = None,
    target_mask: Given = None,
) -> Output:
    if target_ids is None:  # one that tells classes reads its source again
        return cast(Output, model(source_ids, source_mask=source_mask))
    memory = model.encode(source_ids, Mask.of(source_ids, source_mask))
    target = Mask.of(target_ids, target_mask)
    return whole(model.heads, model.hidden(target_ids, target, memory), target)


def whole(heads: Heads, hidden: Tensor, mask: Mask) -> Output:
    """The heads for whole texts: pooler, next sentence, classes."""
    pooled = heads.pooler(hidden, mask.real) if heads.pooler else None
    taken = pooled if heads.config.classify == "pooled" else hidden
    return Output(
        hidden,
        pooled=pooled,
        next_sentence=heads.next(pooled) if heads.next else None,
        classes=heads.classes(taken, mask.real) if heads.classes else None,
    )


BODIES: dict[type[nn.Module], Callable[..., Output]] = {
    Encoder: encoder,
    Decoder: decoder,
    EncoderDecoder: encoder_decoder,
}
