"""Where a token stands, for attention: rotations of q and k, or biases on the scores.

Positions that are added to the embedding (sine and cosine, learned) are in `embedding.py`.
"""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor

from pellucid.formula.positions import alibi, bucket, pick, rotate
from pellucid.nn.config import Config
from pellucid.nn.layer import Fixed, Layer, Table
from pellucid.nn.mask import Mask
from pellucid.record.note import Steps, link


class Rotary(Fixed):
    """Turns pairs of columns of q and k by position × frequency (Su et al. 2021).

    Frequencies are base^(−2i/K), in float32 at least.
    """

    frequencies: Tensor

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.register_buffer("frequencies", rotary_frequencies(config), persistent=False)
        self.layout = config.rotary_layout

    def forward(
        self, x: Float[Tensor, "B H T K"], places: Int[Tensor, "B T"]
    ) -> Float[Tensor, "B H T K"]:
        return rotate.compute(x, places, self.frequencies, layout=self.layout)


class Bias(Layer):
    """No bias: scores do not depend on positions."""

    def __init__(self, config: Config, direction: str) -> None:
        super().__init__()

    def forward(self, mask: Mask) -> Float[Tensor, "B H T S"] | None:
        return None


class Alibi(Fixed, Bias):
    """A bias of −slope · distance, one slope a head (Press et al. 2021)."""

    slopes: Tensor

    def __init__(self, config: Config, direction: str) -> None:
        super().__init__(config, direction)
        self.register_buffer("slopes", alibi_slopes(config.heads), persistent=False)

    def steps(self) -> Steps:
        return {"bias": alibi("places", "places", "slopes", axes="B H T S")}

    def forward(self, mask: Mask) -> Float[Tensor, "B H T S"]:
        places = mask.positions
        bias: Tensor = alibi.compute(places, mask.key_positions, self.slopes)
        link(self, places=places, bias=bias)
        return bias


class Relative(Bias):
    """A learned bias for each bucket of distances and each head (T5, Raffel et al. 2019)."""

    def __init__(self, config: Config, direction: str) -> None:
        super().__init__(config, direction)
        self.table = Table(config.buckets, config.heads)
        self.direction = direction
        self.thresholds = bucket_thresholds(config.buckets, config.farthest, direction)

    def steps(self) -> Steps:
        settings = {"thresholds": self.thresholds, "direction": self.direction}
        return {
            "buckets": bucket("places", "places", **settings, axes="B T S"),
            "bias": pick("table.weight", "buckets", axes="B H T S"),
        }

    def forward(self, mask: Mask) -> Float[Tensor, "B H T S"]:
        places = mask.positions
        buckets = bucket.compute(
            places, mask.key_positions, thresholds=self.thresholds, direction=self.direction
        )
        bias: Tensor = pick.compute(self.table.weight, buckets)
        link(self, places=places, bias=bias)
        return bias


BIASES: dict[str, type[Bias]] = {"alibi": Alibi, "relative": Relative}


def rotary_frequencies(config: Config) -> Float[Tensor, "R"]:
    """base^(−2i/K), lowered where the model was stretched to longer texts."""
    width = config.rotary_width or config.per_head
    powers = torch.arange(0, width, 2, dtype=torch.float32, device="cpu") / width
    frequencies = 1.0 / config.rotary_base**powers
    if len(config.rotary_scaling) == 4:
        return stretched(frequencies, *config.rotary_scaling)
    return frequencies / config.rotary_scaling[0] if config.rotary_scaling else frequencies


def stretched(
    frequencies: Float[Tensor, "R"], factor: float, low: float, high: float, original: float
) -> Float[Tensor, "R"]:
    """Llama 3.1: slow waves (fewer than `low` turns in the original length) are slowed by
    `factor`, fast ones (more than `high`) are kept, those between are blended.
    """
    turns = original * frequencies / (2 * math.pi)
    kept = ((turns - low) / (high - low)).clamp(0, 1)
    return frequencies * (kept + (1 - kept) / factor)


def alibi_slopes(heads: int) -> Float[Tensor, "H"]:
    """2^(−8h/H); where H is no power of two, the gaps of the next power fill up the rest."""
    power = 2 ** math.floor(math.log2(heads))
    slopes = [2 ** (-8 * (h + 1) / power) for h in range(power)]
    between = [2 ** (-4 * (2 * h + 1) / power) for h in range(heads - power)]
    return torch.tensor(slopes + between, device="cpu")


def bucket_thresholds(buckets: int, farthest: int, direction: str) -> list[int]:
    """The distances at which T5's next bucket begins.

    The first half of the buckets holds one distance each, the others grow by the logarithm up
    to `farthest`. T5 computes that logarithm in float32; so do we, once, here.
    """
    own = buckets // 2 if direction == "both" else buckets
    exact = own // 2
    distances = torch.arange(exact, farthest + 1, device="cpu")
    growth = torch.log(distances.float() / exact) / math.log(farthest / exact) * (own - exact)
    reached = (exact + growth.long()).clamp(max=own - 1)
    return [
        *range(1, exact + 1),
        *(int(distances[reached >= number][0]) for number in range(exact + 1, own)),
    ]
