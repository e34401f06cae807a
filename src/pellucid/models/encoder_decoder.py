"""An encoder-decoder: the decoder also sees what the encoder made of the source."""

from collections.abc import Mapping

from jaxtyping import Bool, Int
from torch import Tensor

from pellucid.models.batch import Batch
from pellucid.models.heads import Heads, Output
from pellucid.models.model import Inputs, Model
from pellucid.nn.config import Config
from pellucid.nn.embedding import Entrance
from pellucid.nn.layer import give_paths
from pellucid.nn.mask import Mask
from pellucid.nn.stack import Stack
from pellucid.record.tokens import Tokens


class EncoderDecoder(Model):
    """Source and target ids to one vector a target token, and to logits for what follows it."""

    streams = ("source", "target")

    def __init__(self, config: Config) -> None:
        super().__init__(config)
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
        target_ids: Int[Tensor, "B T"],
        source_mask: Bool[Tensor, "B S"] | None = None,
        target_mask: Bool[Tensor, "B T"] | None = None,
    ) -> Output:
        self.check_length(max(source_ids.shape[-1], target_ids.shape[-1]))
        source, target = Mask.of(source_ids, source_mask), Mask.of(target_ids, target_mask)
        memory = self.encoder(self.source(source_ids, source), source)
        hidden = self.decoder(self.target(target_ids, target), target, memory, source)
        return self.heads(hidden, target.real)

    def _inputs(self, read: Mapping[str, list[Tokens]]) -> Inputs:
        source, target = (Batch.of(read[stream], self.device) for stream in self.streams)
        return {
            "source_ids": source.ids,
            "target_ids": target.ids,
            "source_mask": source.mask,
            "target_mask": target.mask,
        }
