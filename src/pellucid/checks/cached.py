"""Reading on: a cache gives, token by token and on every branch, what one whole reading gives."""

import torch
from torch import Tensor

from pellucid.checks.rows import Rows, compare
from pellucid.checks.run import answers
from pellucid.checks.sentences import Batches, batches, draw, level
from pellucid.decode.writer import Writer, vectors, words
from pellucid.models.encoder_decoder import EncoderDecoder
from pellucid.models.model import Model
from pellucid.nn.cache import Cache
from pellucid.nn.mask import Mask

BESIDE = 2  # other branches at each token


def cached(model: Model, seed: int = 0) -> Rows:
    """What an encoder, or a classifier that reads its source again, reads at once: no rows."""
    given = batches(level(draw(model, seed)))
    stream = model.streams[-1]
    if model.config.shape == "encoder" or stream == "source":
        return Rows()
    assert isinstance(model, Writer)
    plain, found = answers(model, given), {"hidden": step_by_step(model, given)}
    if model.heads.head:
        with torch.no_grad():
            found["logits"] = words(model, found["hidden"])
    return compare("cached = uncached", found, [(found, plain)])


@torch.no_grad()
def step_by_step(model: Writer, given: Batches) -> Tensor:
    """The last vectors, B T W; at each token other branches go another way and are given up."""
    ids, cache = given[model.streams[-1]].ids, Cache(len(model.decoder.layers))
    memory = None
    if isinstance(model, EncoderDecoder):
        memory = model.encode(given["source"].ids, Mask.of(given["source"].ids))
    parts = [vectors(model, ids[:, :1], cache.begin(Mask.of(ids[:, :1])), memory, cache)]
    parents = torch.zeros(len(ids), 1 + BESIDE, dtype=torch.long)
    for tokens in ids[:, 1:].unbind(1):
        others = [(tokens + other) % model.config.vocabulary for other in range(1 + BESIDE)]
        mask = cache.branch(parents)
        parts.append(vectors(model, torch.stack(others, 1), mask, memory, cache)[:, :1])
    return torch.cat(parts, 1)
