"""Norms: layer norm, RMS norm, and batch norm to compare."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from pellucid.formula.elements import divide, normalise, rescale, root, same
from pellucid.formula.rows import (
    column_deviation,
    column_mean,
    deviation,
    mean,
    real_mean,
    real_variance,
    rms,
)
from pellucid.nn.layer import Layer
from pellucid.record.note import Steps, link


class Norm(Layer):
    """What norms share; itself it leaves x as it is."""

    def __init__(self, width: int, epsilon: float) -> None:
        super().__init__()
        self.width, self.epsilon = width, epsilon

    def forward(
        self, x: Float[Tensor, "B T D"], real: Bool[Tensor, "B T"]
    ) -> Float[Tensor, "B T D"]:
        y = self.compute(x, real)
        if y is not x:
            link(self, input=x, output=y)
        return y

    def compute(self, x: Tensor, real: Tensor) -> Tensor:
        return x


class LayerNorm(Norm):
    """(x − mean) / √(var + ε) ⊙ γ + β, over each position's features (Ba et al. 2016).

    The variance is the biased one and ε stands inside the root.
    """

    def __init__(self, width: int, epsilon: float) -> None:
        super().__init__(width, epsilon)
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def steps(self) -> Steps:
        return {
            "mean": mean("input", axes="B T 1"),
            "deviation": deviation("input", epsilon=self.epsilon, axes="B T 1"),
            "normalised": normalise("input", "mean", "deviation", axes="B T D"),
            "output": rescale("normalised", "weight", "bias", axes="B T D"),
        }

    def compute(self, x: Tensor, real: Tensor) -> Tensor:
        return functional.layer_norm(x, (self.width,), self.weight, self.bias, self.epsilon)


class RMSNorm(Norm):
    """x / √(mean x² + ε) ⊙ γ: no mean is taken away, none is added (Zhang, Sennrich 2019)."""

    def __init__(self, width: int, epsilon: float) -> None:
        super().__init__(width, epsilon)
        self.weight = nn.Parameter(torch.ones(width))

    def steps(self) -> Steps:
        return {
            "deviation": rms("input", epsilon=self.epsilon, axes="B T 1"),
            "normalised": divide("input", "deviation", axes="B T D"),
            "output": rescale("normalised", "weight", axes="B T D"),
        }

    def compute(self, x: Tensor, real: Tensor) -> Tensor:
        return functional.rms_norm(x, (self.width,), self.weight, self.epsilon)


class BatchNorm(Norm):
    """(x − mean) / √(var + ε) ⊙ γ + β, over all real positions of a batch.

    While it learns it uses the batch's own statistics, afterwards the running ones (Ioffe and
    Szegedy 2015). It is here to compare: a sentence's numbers depend on its neighbours.
    """

    running_mean: Tensor
    running_variance: Tensor
    momentum = 0.1  # the share of a new batch in the running statistics

    def __init__(self, width: int, epsilon: float) -> None:
        super().__init__(width, epsilon)
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.register_buffer("running_mean", torch.zeros(width))
        self.register_buffer("running_variance", torch.ones(width))

    def steps(self) -> Steps:
        learning = {
            "mean": column_mean("input", "real", axes="D"),
            "deviation": column_deviation("input", "real", epsilon=self.epsilon, axes="D"),
        }
        learned = {
            "mean": same("running_mean", axes="D"),
            "deviation": root("running_variance", epsilon=self.epsilon, axes="D"),
        }
        return {
            **(learning if self.training else learned),
            "normalised": normalise("input", "mean", "deviation", axes="B T D"),
            "output": rescale("normalised", "weight", "bias", axes="B T D"),
        }

    def compute(self, x: Tensor, real: Tensor) -> Tensor:
        link(self, real=real)
        centre, variance = self.running_mean, self.running_variance
        if self.training:
            centre, variance = real_mean(x, real), real_variance(x, real)
            self._remember(centre, variance, real.sum())
        return (x - centre) / (variance + self.epsilon).sqrt() * self.weight + self.bias

    @torch.no_grad()
    def _remember(self, mean: Tensor, variance: Tensor, rows: Tensor) -> None:
        """The running variance is the unbiased one, as in `torch.nn.BatchNorm1d`.

        Fewer than two rows teach nothing.
        """
        share = self.momentum * (rows > 1).to(mean.dtype)
        self.running_mean.lerp_(mean, share)
        self.running_variance.lerp_(variance * rows / (rows - 1).clamp(min=1), share)


NORMS: dict[str, type[Norm]] = {
    "layer": LayerNorm,
    "rms": RMSNorm,
    "batch": BatchNorm,
    "none": Norm,
}
