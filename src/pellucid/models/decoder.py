"""A decoder: every token sees itself and what came before (GPT)."""

from jaxtyping import Bool, Float, Int
from torch import Tensor

from pellucid.models.heads import Heads, Output
from pellucid.models.model import Model
from pellucid.nn.cache import Cache
from pellucid.nn.config import Config
from pellucid.nn.embedding import Entrance
from pellucid.nn.layer import give_paths
from pellucid.nn.mask import Mask
from pellucid.nn.stack import Stack


class Decoder(Model):
    """Ids to one vector a token, and to logits for the token that follows each."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.entrance = Entrance(config)
        self.decoder = Stack(config, "causal")
        self.heads = Heads(config, self.entrance.embed.words)
        give_paths(self)

    def forward(
        self,
        ids: Int[Tensor, "B T"],
        mask: Bool[Tensor, "B T"] | None = None,
        documents: Int[Tensor, "B T"] | None = None,
    ) -> Output:
        real = Mask.of(ids, mask, documents)
        self.check_length(real.longest)
        return self.heads(self.hidden(ids, real), real.real)

    def hidden(
        self, ids: Int[Tensor, "B T"], mask: Mask, cache: Cache | None = None
    ) -> Float[Tensor, "B T W"]:
        """The last vectors; with a cache, those of ids that go on from what it holds."""
        y: Tensor = self.decoder(self.entrance(ids, mask), mask, cache=cache)
        return y
