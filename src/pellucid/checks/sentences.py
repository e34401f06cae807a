"""Random sentences to check a model with, and their ids side by side, padded as one likes."""

from collections.abc import Mapping
from typing import Literal

import torch
from torch import Tensor

from pellucid.models.again import END, START, special
from pellucid.models.batch import Batch
from pellucid.models.model import Model

Sentences = Mapping[str, list[list[int]]]  # ids, by stream and sentence
Batches = Mapping[str, Batch]
Side = Literal["right", "left"]

SIDES: tuple[Side, ...] = ("right", "left")
LONGEST = 24  # tokens, where the model reads as many
FIRST = 4  # tokens of the first segment
SHARES = {"source": (1.0, 0.5, 0.75), "target": (0.5, 0.75, 1.0)}  # of the longest sentence


def draw(model: Model, seed: int = 0) -> Sentences:
    """Three sentences of different lengths for each stream of the model."""
    generator = torch.Generator().manual_seed(seed)
    longest = min(model.config.longest or LONGEST, LONGEST)
    drawn = {
        stream: [
            _words(model, stream, max(1, round(share * longest)), generator)
            for share in SHARES.get(stream, SHARES["source"])
        ]
        for stream in model.streams
    }
    return _read_again(model, drawn["source"]) if model.streams == ("source",) else drawn


def _read_again(model: Model, rows: list[list[int]]) -> Sentences:
    """A classifier's sources end where it looks, and nowhere before; its targets follow."""
    start, end = (special(model.settings, name) for name in (START, END))
    sources = [[*(word for word in row[1:] if word != end), end] for row in rows]
    return {"source": sources, "target": [[start, *row[:-1]] for row in sources]}


def _words(model: Model, stream: str, length: int, generator: torch.Generator) -> list[int]:
    """Ids of the stream's vocabulary, other than the one for padding."""
    padding = padding_id(model)
    ids = torch.randint(vocabulary(model, stream) - 1, (length,), generator=generator)
    return (ids + (ids >= padding)).tolist()


def vocabulary(model: Model, stream: str) -> int:
    """How many words the stream has."""
    own = model.config.source_vocabulary if stream == "source" else 0
    return own or model.config.vocabulary


def padding_id(model: Model) -> int:
    """The id that the checkpoint calls padding."""
    return model.settings.get("pad_token_id") or 0


def level(sentences: Sentences) -> Sentences:
    """All cut to the length of the shortest, so that none needs padding; a source keeps its end."""
    return {
        stream: [_cut(row, min(map(len, rows)), stream) for row in rows]
        for stream, rows in sentences.items()
    }


def _cut(row: list[int], length: int, stream: str) -> list[int]:
    return row[:length] if stream == "tokens" else row[-length:]


def apart(sentences: Sentences) -> list[Sentences]:
    """Each sentence, with its source where it has one, for itself."""
    streams = [[[row] for row in rows] for rows in sentences.values()]
    return [dict(zip(sentences, each, strict=True)) for each in zip(*streams, strict=True)]


def batches(sentences: Sentences, padding: int | None = None, side: Side = "right") -> Batches:
    """Each stream's sentences side by side; without a mask where none needs padding.

    Unless told otherwise the padding is a word like any other: the mask alone sets it apart.
    """
    return {stream: _batch(rows, padding, side) for stream, rows in sentences.items()}


def _batch(rows: list[list[int]], padding: int | None, side: Side) -> Batch:
    longest = max(map(len, rows))
    ids = torch.full((len(rows), longest), rows[0][0] if padding is None else padding)
    mask = torch.zeros(len(rows), longest, dtype=torch.bool)
    for number, row in enumerate(rows):
        place = slice(0, len(row)) if side == "right" else slice(longest - len(row), longest)
        ids[number, place] = torch.tensor(row)
        mask[number, place] = True
    return Batch(ids, None if bool(mask.all()) else mask)


def arguments(model: Model, given: Batches) -> dict[str, Tensor | None]:
    """The arguments of the model's `forward`."""
    named: dict[str, Tensor | None] = {}
    for stream, batch in given.items():
        prefix = "" if stream == "tokens" else f"{stream}_"
        named |= {f"{prefix}ids": batch.ids, f"{prefix}mask": batch.mask}
        if has_segments(model):
            named["segments"] = segments(model, batch)
    return named


def has_segments(model: Model) -> bool:
    """Whether tokens are told which segment they are of."""
    return model.config.shape == "encoder" and model.config.segments > 0


def segments(model: Model, batch: Batch) -> Tensor:
    """The first tokens of each sentence are of the first segment, the others of the last."""
    return (real(batch).cumsum(-1) > FIRST).long() * (model.config.segments - 1)


def real(batch: Batch) -> Tensor:
    """Which positions are no padding, as 1 and 0."""
    return torch.ones_like(batch.ids) if batch.mask is None else batch.mask.long()
