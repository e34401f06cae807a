"""A sub-layer: its work, its norm and its residual."""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from pellucid.formula.elements import add, same
from pellucid.formula.linear import once
from pellucid.nn.cache import Past
from pellucid.nn.config import Config
from pellucid.nn.dropout import Dropout
from pellucid.nn.layer import Layer
from pellucid.nn.mask import Mask
from pellucid.nn.norm import NORMS
from pellucid.record.note import Steps, link, note


@dataclass(frozen=True, eq=False)
class Context:
    """What a layer may look at beside its own input: masks, biases, the encoder's output.

    Where a text is read on, `past` is what this layer made of what came before.
    """

    mask: Mask
    bias: Float[Tensor, "B H T _"] | None = None
    memory: Float[Tensor, "B S D"] | None = None
    memory_mask: Mask | None = None
    past: Past | None = None


class Sublayer(Layer):
    """x + f(norm(x)) where the norm stands before (pre), norm(x + f(x)) where after (post).

    Post is the order of Vaswani et al. 2017, pre that of Xiong et al. 2020.
    """

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.norm = NORMS[config.norm](config.width, config.epsilon)
        self.dropout = Dropout(config.dropout)

    def steps(self) -> Steps:
        normed = self.config.place == "pre" and self.config.norm != "none"
        given = {"input": same("norm.output" if normed else "stream", axes="B T D")}
        if self.config.residual == "none":
            return given
        return {**given, "residual": add("stream", self._added(), axes="B T D")}

    def forward(self, x: Float[Tensor, "B T D"], context: Context) -> Float[Tensor, "B T W"]:
        note(self, stream=x)
        if self.config.place == "pre":
            return self._residual(x, self.work(once(self.norm(x, context.mask.real)), context))
        y = self.norm(self._residual(x, self.work(once(x), context)), context.mask.real)
        note(self.norm, output=y)
        return y

    def work(self, x: Tensor, context: Context) -> Tensor:
        """What this sub-layer is for."""
        raise NotImplementedError

    def _residual(self, x: Tensor, y: Tensor) -> Tensor:
        if self.config.residual == "none":
            return y
        if self._added() == "dropped":
            y = self.dropout(y)
            note(self, dropped=y)
        y = x + y
        link(self, residual=y)
        return y

    def _added(self) -> str:
        return "dropped" if self.training and self.dropout.p else "output"
