"""Prompts: what a model is given to go on from, as ids; and many of them side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from pellucid.decode.said import Said
from pellucid.errors import UsageError
from pellucid.models.batch import Batch
from pellucid.models.model import Model

Ids = Tensor | Sequence[Sequence[int]]


@dataclass(frozen=True)
class Prompt:
    """The ids that the decoder begins with, and the source where there is an encoder."""

    ids: tuple[int, ...]
    source: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.source) or len(self.ids)


def prompts(
    model: Model,
    said: Said,
    texts: str | Sequence[str] | None,
    ids: Ids | None,
    mask: Tensor | None,
) -> list[Prompt]:
    """From texts, or from ids and a mask."""
    if (texts is None) == (ids is None):
        raise UsageError("Give texts, or ids=…, one of the two.")
    if ids is not None:
        rows = unpadded(ids, mask)
    else:
        given = [texts] if isinstance(texts, str) else list(texts or ())
        rows = [_encoded(model, said, text) for text in given]
    if not rows:
        raise UsageError("No text came; give at least one.")
    return [_prompt(model, said, row) for row in rows]


def unpadded(ids: Ids, mask: Tensor | None) -> list[tuple[int, ...]]:
    """The ids of each row where the mask says that they are real."""
    if not isinstance(ids, Tensor):
        return [tuple(map(int, row)) for row in ids]
    real = torch.ones_like(ids, dtype=torch.bool) if mask is None else mask.bool()
    if real.shape != ids.shape or ids.dim() != 2:
        raise UsageError(f"ids are {list(ids.shape)} and the mask {list(real.shape)}; give B T.")
    return [tuple(row[kept].tolist()) for row, kept in zip(ids, real, strict=True)]


def _encoded(model: Model, said: Said, text: str) -> tuple[int, ...]:
    """A decoder goes on from its prompt, so an end that the tokenizer sets is left out."""
    tokens = model.tokenizer.encode(text)
    ended = model.config.shape == "decoder" and tokens.special[-1] and tokens.ids[-1] in said.ends
    return tokens.ids[:-1] if ended and len(tokens) > 1 else tokens.ids


def _prompt(model: Model, said: Said, row: tuple[int, ...]) -> Prompt:
    model.check_length(len(row))
    if not row:
        raise UsageError("A prompt has no tokens; give at least one.")
    words = model.config.source_vocabulary or model.config.vocabulary
    if not 0 <= min(row) <= max(row) < words:
        raise UsageError(
            f"The ids reach from {min(row)} to {max(row)}; this model has words from 0 to "
            f"{words - 1}."
        )
    if model.config.shape == "decoder":
        return Prompt(row)
    if said.start is None:
        raise UsageError(
            "The checkpoint says no decoder_start_token_id, so nobody knows how an answer "
            "begins; set model.generation['decoder_start_token_id']."
        )
    return Prompt((said.start,), row)


def side_by_side(given: Sequence[Prompt], device: torch.device) -> tuple[Batch, Batch | None]:
    """The prompts, and the sources where there are any, padded on the right."""
    sources = [prompt.source for prompt in given if prompt.source]
    prompt = Batch.rows([prompt.ids for prompt in given], device)
    return prompt, Batch.rows(sources, device) if sources else None
