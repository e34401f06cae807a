"""A decoder: every token sees itself and what came before (GPT)."""

from jaxtyping import Bool, Int
from torch import Tensor

from pellucid.models.heads import Heads, Output
from pellucid.models.model import Model
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

    def forward(self, ids: Int[Tensor, "B T"], mask: Bool[Tensor, "B T"] | None = None) -> Output:
        self.check_length(ids.shape[-1])
        real = Mask.of(ids, mask)
        hidden = self.decoder(self.entrance(ids, real), real)
        return self.heads(hidden, real.real)
