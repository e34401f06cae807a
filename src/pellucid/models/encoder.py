"""An encoder: every token sees every other (BERT)."""

from jaxtyping import Bool, Int
from torch import Tensor

from pellucid.models.model import Model, Output
from pellucid.nn.config import Config
from pellucid.nn.embedding import Entrance
from pellucid.nn.head import LanguageHead, Pooler
from pellucid.nn.layer import give_paths
from pellucid.nn.mask import Mask
from pellucid.nn.stack import Stack


class Encoder(Model):
    """Ids to one vector a token; to a pooled vector and logits where there are heads."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.entrance = Entrance(config)
        self.encoder = Stack(config, "full")
        self.pooler = Pooler(config) if config.pooler == "first" else None
        words = self.entrance.embed.words
        self.head = LanguageHead(config, words) if config.head == "language" else None
        give_paths(self)

    def forward(
        self,
        ids: Int[Tensor, "B T"],
        mask: Bool[Tensor, "B T"] | None = None,
        segments: Int[Tensor, "B T"] | None = None,
    ) -> Output:
        self.check_length(ids.shape[-1])
        real = Mask.of(ids, mask)
        hidden = self.encoder(self.entrance(ids, real, segments), real)
        pooled = self.pooler(hidden, real.real) if self.pooler else None
        return Output(hidden, self.head(hidden) if self.head else None, pooled)
