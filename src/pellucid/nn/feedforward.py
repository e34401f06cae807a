"""The feed-forward network: each position alone, through a wider layer and back."""

from contextlib import nullcontext

from jaxtyping import Float
from torch import Tensor

from pellucid.formula import OPERATIONS
from pellucid.formula.elements import multiply
from pellucid.nn.again import made_again
from pellucid.nn.config import Config
from pellucid.nn.layer import Linear, step
from pellucid.nn.sublayer import Context, Sublayer
from pellucid.record.note import Steps, note


class FeedForward(Sublayer):
    """W₂ f(W₁ x + b₁) + b₂ (Vaswani et al. 2017, equation 2)."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        bias = config.feedforward_bias == "all"
        self.activation = OPERATIONS[config.activation]
        self.hidden = Linear(config.width, config.inner, bias=bias)
        self.output = Linear(config.inner, config.width, bias=bias)

    def steps(self) -> Steps:
        return {
            **super().steps(),
            **step("hidden", self.hidden, of="input", axes="B T F"),
            "activated": self.activation("hidden", axes="B T F"),
            **step("output", self.output, of="activated", axes="B T D"),
        }

    def work(self, x: Float[Tensor, "B T D"], context: Context) -> Float[Tensor, "B T D"]:
        wide = self.wide(x)
        activated = self.activated(*wide)
        again = made_again(activated, lambda: self.activated(*wide))
        with again if self.training else nullcontext():
            output: Tensor = self.output(activated)
        note(self, output=output)
        return output

    def inner(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T F"]:
        """The wide layer, activated."""
        return self.activated(*self.wide(x))

    def wide(self, x: Float[Tensor, "B T D"]) -> tuple[Tensor, ...]:
        """The wide layer."""
        return (self.hidden(x),)

    def activated(self, *wide: Float[Tensor, "B T F"]) -> Float[Tensor, "B T F"]:
        """What is made of it."""
        (hidden,) = wide
        return self.activation.compute(hidden)


class GatedFeedForward(FeedForward):
    """W₂ (f(W₁ x) ⊙ W₃ x): one half opens the gate for the other (Shazeer 2020)."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.gate = Linear(config.width, config.inner, bias=config.feedforward_bias == "all")

    def steps(self) -> Steps:
        return {
            **super().steps(),
            **step("gate", self.gate, of="input", axes="B T F"),
            "opened": self.activation("gate", axes="B T F"),
            "activated": multiply("opened", "hidden", axes="B T F"),
        }

    def wide(self, x: Float[Tensor, "B T D"]) -> tuple[Tensor, ...]:
        return self.gate(x), self.hidden(x)

    def activated(self, *wide: Float[Tensor, "B T F"]) -> Float[Tensor, "B T F"]:
        gate, hidden = wide
        return self.activation.compute(gate) * hidden


FEEDFORWARDS = {"none": FeedForward, "gated": GatedFeedForward}
