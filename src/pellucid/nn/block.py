"""A block: attention, then (in a decoder that has a source) cross-attention, then feed-forward."""

from jaxtyping import Float
from torch import Tensor

from pellucid.nn.attention import Attention, CrossAttention
from pellucid.nn.config import Config
from pellucid.nn.feedforward import FEEDFORWARDS
from pellucid.nn.layer import Layer
from pellucid.nn.mask import Pattern
from pellucid.nn.sublayer import Context
from pellucid.record.note import note


class Block(Layer):
    """One layer of a stack."""

    def __init__(self, config: Config, pattern: Pattern, *, source: bool = False) -> None:
        super().__init__()
        self.attention = Attention(config, pattern)
        self.cross = CrossAttention(config) if source else None
        self.feedforward = FEEDFORWARDS[config.gate](config) if config.inner else None

    def forward(self, x: Float[Tensor, "B T D"], context: Context) -> Float[Tensor, "B T W"]:
        x = self.attention(x, context)
        x = self.cross(x, context) if self.cross else x
        x = self.feedforward(x, context) if self.feedforward else x
        note(self, output=x)
        return x
