"""Embedding: a token's vector, where it stands, and which segment it belongs to, added up."""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor

from pellucid.errors import UsageError
from pellucid.formula.elements import add, scale, shift
from pellucid.formula.places import gather, positions
from pellucid.formula.positions import sinusoid
from pellucid.nn.config import Config
from pellucid.nn.dropout import Dropout
from pellucid.nn.layer import Layer, Linear, Table, step
from pellucid.nn.mask import Mask
from pellucid.nn.norm import NORMS
from pellucid.record.note import Steps, link, note

VECTOR = "B T D"


class Tokens(Layer):
    """The ids as they come, which of them are real, and the positions that follow."""

    def steps(self) -> Steps:
        return {"positions": positions("real", axes="B T")}

    def forward(self, ids: Int[Tensor, "B T"], mask: Mask) -> None:
        note(self, ids=ids, real=mask.marks)
        link(self, positions=mask.positions)


class Embedding(Layer):
    """words[id] (· scale) + position + segments[segment], normed where the model does so."""

    def __init__(self, config: Config, vocabulary: int) -> None:
        super().__init__()
        self.config = config
        width = config.embedding_width or config.width
        self.words = Table(vocabulary, width)
        if config.positions == "learned":
            self.positions = Table(config.longest + config.position_offset, width)
        if config.segments:
            self.segments = Table(config.segments, width)
        self.norm = NORMS[config.embedding_norm](width, config.epsilon)
        self.projection = Linear(width, config.width) if config.embedding_width else None
        self.dropout = Dropout(config.dropout)

    def steps(self) -> Steps:
        words, places, segments = self._word_steps(), self._place_steps(), self._segment_steps()
        parts = [list(steps)[-1] for steps in (words, places, segments) if steps]
        total = {"sum": add(*parts, axes=VECTOR)}
        if self.projection is None:
            return {**words, **places, **segments, **total}
        projected = step("projection", self.projection, of="reduced", axes=VECTOR)
        return {**words, **places, **segments, **total, **projected}

    def _word_steps(self) -> Steps:
        words = {"words": gather("words.weight", "ids", axes=VECTOR)}
        if self.config.embedding_scaling == "none":
            return words
        return {**words, "scaled": scale("words", by=self._scale, axes=VECTOR)}

    def _place_steps(self) -> Steps:
        c = self.config
        table: dict[str, Steps] = {
            "learned": {
                "rows": shift("places", by=c.position_offset, axes="B T"),
                "positions": gather("positions.weight", "rows", axes=VECTOR),
            },
            "sinusoidal": {"positions": sinusoid("places", **self._waves, axes=VECTOR)},
        }
        return table.get(c.positions, {})

    def _segment_steps(self) -> Steps:
        if not self.config.segments:
            return {}
        return {"segments": gather("segments.weight", "segment_ids", axes=VECTOR)}

    @property
    def _scale(self) -> float:
        return math.sqrt(self.config.width) if self.config.embedding_scaling == "root" else 1.0

    @property
    def _waves(self) -> dict[str, object]:
        return {"width": self.config.width, "base": 10000.0, "layout": self.config.wave_layout}

    def forward(
        self, ids: Int[Tensor, "B T"], mask: Mask, segment_ids: Int[Tensor, "B T"]
    ) -> Float[Tensor, "B T D"]:
        link(self, ids=ids, places=mask.positions)
        x = self._place(self._words(ids) * self._scale, mask.positions)
        if self.config.segments:
            note(self, segment_ids=segment_ids)
            x = x + self.segments(segment_ids)
        link(self, sum=x)
        x = self.dropout(self.norm(x, mask.real))
        if self.projection is not None:
            note(self, reduced=x)
            x = self.projection(x)
            link(self, projection=x)
        note(self, output=x)
        return x

    def _words(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B T _"]:
        try:
            words: Tensor = self.words(ids)
        except IndexError as error:
            raise UsageError(
                f"The ids reach from {int(ids.min())} to {int(ids.max())}; this model has words "
                f"from 0 to {self.words.num_embeddings - 1}."
            ) from error
        return words

    def _place(self, x: Float[Tensor, "B T D"], places: Int[Tensor, "B T"]) -> Tensor:
        if self.config.positions == "learned":
            return x + self.positions(places + self.config.position_offset)
        if self.config.positions == "sinusoidal":
            waves: Tensor = sinusoid.compute(places, **self._waves)
            return x + waves.to(x.dtype)
        return x


class Entrance(Layer):
    """The way in: ids, then their embedding."""

    def __init__(self, config: Config, vocabulary: int = 0) -> None:
        super().__init__()
        self.tokens = Tokens()
        self.embed = Embedding(config, vocabulary or config.vocabulary)

    def forward(
        self, ids: Int[Tensor, "B T"], mask: Mask, segment_ids: Int[Tensor, "B T"] | None = None
    ) -> Float[Tensor, "B T D"]:
        self.tokens(ids, mask)
        return self.embed(ids, mask, torch.zeros_like(ids) if segment_ids is None else segment_ids)
