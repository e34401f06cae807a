"""An encoder-decoder: the decoder also sees what the encoder made of the source."""

from collections.abc import Mapping
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from pellucid.errors import UsageError
from pellucid.models.again import again
from pellucid.models.batch import Batch
from pellucid.models.heads import Heads, Output
from pellucid.models.model import Inputs, Model, Texts
from pellucid.nn.cache import Cache
from pellucid.nn.config import Config
from pellucid.nn.embedding import Entrance
from pellucid.nn.layer import give_paths
from pellucid.nn.mask import Mask
from pellucid.nn.stack import Stack
from pellucid.record.tokens import Tokens


class Memory(NamedTuple):
    """The encoder's output, and which of its positions are real."""

    vectors: Float[Tensor, "B S D"]
    mask: Mask


class EncoderDecoder(Model):
    """Source and target ids to one vector a target token, and to logits for what follows it.

    One that tells classes is given the source alone, and reads it again as its target.
    """

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.streams = ("source",) if config.classes else ("source", "target")
        self.source = Entrance(config, config.source_vocabulary)
        self.encoder = Stack(config, "full")
        self.target = Entrance(config)
        if config.source_words == "shared":
            self.target.embed.words = self.source.embed.words
        self.decoder = Stack(config, "causal", source=True)
        self.heads = Heads(config, self.target.embed.words)
        give_paths(self)

    def forward(
        self,
        source_ids: Int[Tensor, "B S"],
        target_ids: Int[Tensor, "B T"] | None = None,
        source_mask: Bool[Tensor, "B S"] | None = None,
        target_mask: Bool[Tensor, "B T"] | None = None,
    ) -> Output:
        source = Mask.of(source_ids, source_mask)
        if target_ids is None:
            target_ids, target_mask = self._again(source_ids, source.real), source_mask
        self.check_length(max(source_ids.shape[-1], target_ids.shape[-1]))
        target = Mask.of(target_ids, target_mask)
        memory = self.encode(source_ids, source)
        return self.heads(self.hidden(target_ids, target, memory), target.real)

    def encode(self, ids: Int[Tensor, "B S"], mask: Mask) -> Memory:
        """What the encoder makes of the source."""
        return Memory(self.encoder(self.source(ids, mask), mask), mask)

    def hidden(
        self, ids: Int[Tensor, "B T"], mask: Mask, memory: Memory, cache: Cache | None = None
    ) -> Float[Tensor, "B T W"]:
        """The last vectors; with a cache, those of ids that go on from what it holds."""
        y: Tensor = self.decoder(self.target(ids, mask), mask, *memory, cache)
        return y

    def read(self, *texts: Texts, pair: Texts | None = None) -> dict[str, list[Tokens]]:
        """The tokens of the source and of the target; a classifier's target is its source again."""
        read = super().read(*texts, pair=pair)
        return {"source": read["source"], "target": read.get("target") or self._targets(read)}

    def _targets(self, read: Mapping[str, list[Tokens]]) -> list[Tokens]:
        return [self._tokens_again(tokens) for tokens in read["source"]]

    def _tokens_again(self, tokens: Tokens) -> Tokens:
        ids = torch.tensor([tokens.ids])
        start = int(self._again(ids, torch.ones_like(ids, dtype=torch.bool))[0, 0])
        return tokens.upto(len(tokens) - 1).after(start, self.tokenizer.target.piece(start))

    def _again(self, ids: Tensor, real: Tensor) -> Tensor:
        if "target" in self.streams:
            raise UsageError("This model takes source_ids and target_ids; the target is missing.")
        return again(ids, real, self.settings)

    def _inputs(self, read: Mapping[str, list[Tokens]]) -> Inputs:
        source, target = (Batch.of(read[stream], self.device) for stream in ("source", "target"))
        return {
            "source_ids": source.ids,
            "target_ids": target.ids,
            "source_mask": source.mask,
            "target_mask": target.mask,
        }
