"""A stack: the same block again and again, and a last norm where norms come first."""

from dataclasses import replace

from jaxtyping import Float
from torch import Tensor, nn

from pellucid.formula.linear import once
from pellucid.nn.block import Block
from pellucid.nn.cache import Cache
from pellucid.nn.config import Config
from pellucid.nn.layer import Layer, take_weights
from pellucid.nn.mask import Mask, Pattern
from pellucid.nn.norm import NORMS
from pellucid.nn.positions import BIASES, Bias
from pellucid.nn.sublayer import Context
from pellucid.record.note import note


class Stack(Layer):
    """The layers of an encoder (pattern "full") or a decoder ("causal")."""

    def __init__(self, config: Config, pattern: Pattern, *, source: bool = False) -> None:
        super().__init__()
        self.shared = config.layer_weights == "shared"
        layers = (config.decoder_layers if source else 0) or config.layers
        direction = "both" if pattern == "full" else "back"
        self.positions = BIASES.get(config.positions, Bias)(config, direction)
        self.layers = nn.ModuleList(Block(config, pattern, source=source) for _ in range(layers))
        self.share()
        self.norm = NORMS[config.final_norm](config.width, config.epsilon)

    def forward(
        self,
        x: Float[Tensor, "B T D"],
        mask: Mask,
        memory: Float[Tensor, "B S D"] | None = None,
        memory_mask: Mask | None = None,
        cache: Cache | None = None,
    ) -> Float[Tensor, "B T W"]:
        memory = memory if memory is None else once(memory)
        context = Context(mask, self.positions(mask), memory, memory_mask)
        for number, block in enumerate(self.layers):
            x = block(x, replace(context, past=cache.pasts[number]) if cache else context)
        y: Tensor = self.norm(x, mask.real)
        note(self, output=y)
        return y

    def share(self) -> None:
        """Where layers share their weights, all take the first one's (Lan et al. 2019)."""
        if self.shared:
            for block in self.layers[1:]:
                take_weights(block, self.layers[0])
