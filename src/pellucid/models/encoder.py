"""An encoder: every token sees every other (BERT)."""

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


class Encoder(Model):
    """Ids to one vector a token, and to what its heads make of them."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.entrance = Entrance(config)
        self.encoder = Stack(config, "full")
        self.heads = Heads(config, self.entrance.embed.words)
        give_paths(self)

    def forward(
        self,
        ids: Int[Tensor, "B T"],
        mask: Bool[Tensor, "B T"] | None = None,
        segments: Int[Tensor, "B T"] | None = None,
        documents: Int[Tensor, "B T"] | None = None,
    ) -> Output:
        real = Mask.of(ids, mask, documents)
        self.check_length(real.longest)
        hidden = self.encoder(self.entrance(ids, real, segments), real)
        return self.heads(hidden, real.real)

    def _inputs(self, read: Mapping[str, list[Tokens]]) -> Inputs:
        inputs, segments = super()._inputs(read), [tokens.segments for tokens in read["tokens"]]
        if not self.config.segments or not any(map(any, segments)):
            return inputs
        return {**inputs, "segments": Batch.rows(segments, self.device).ids}
