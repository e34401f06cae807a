"""The choices that make a Transformer, each with a name."""

from dataclasses import dataclass
from typing import Literal

from pellucid.errors import UsageError

Shape = Literal["encoder", "decoder", "encoder-decoder"]
Positions = Literal["learned", "sinusoidal", "rotary", "relative", "alibi", "none"]
Norm = Literal["layer", "rms", "batch", "none"]
Activation = Literal["relu", "gelu", "gelu_tanh", "silu"]
Layout = Literal["interleaved", "half-split"]


@dataclass(frozen=True, kw_only=True)
class Config:
    """Every choice of a model. Defaults are those of a plain pre-norm Transformer.

    Zero means "not there" or "as usual": no feed-forward (`inner`), one key head a query head
    (`key_heads`), width ÷ heads (`head_width`), as wide as a head (`value_width`), no limit
    (`longest`), no segments.
    """

    family: str = "pellucid"
    shape: Shape
    vocabulary: int
    width: int
    layers: int
    heads: int
    inner: int = 0
    longest: int = 0

    # attention
    key_heads: int = 0
    head_width: int = 0
    value_width: int = 0
    scaling: Literal["root", "none"] = "root"  # scores / √d, or as they are (T5)
    projections: Literal["learned", "no-output", "none"] = "learned"  # none: Q = K = V = input
    attention_bias: Literal["all", "none", "query-key-value"] = "all"

    # positions
    positions: Positions = "learned"
    position_offset: int = 0  # rows of the table before position 0 (BART: 2)
    wave_layout: Layout = "interleaved"
    rotary_layout: Layout = "half-split"
    rotary_base: float = 10000.0
    rotary_width: int = 0  # columns of a head that turn; zero: all
    buckets: int = 32  # T5's relative positions
    farthest: int = 128

    # around the sub-layers
    norm: Norm = "layer"
    place: Literal["pre", "post"] = "pre"
    epsilon: float = 1e-5
    residual: Literal["add", "none"] = "add"
    dropout: float = 0.0
    attention_dropout: float = 0.0

    # feed-forward
    activation: Activation = "gelu"
    gate: Literal["none", "gated"] = "none"
    feedforward_bias: Literal["all", "none"] = "all"

    # before and after the layers
    segments: int = 0
    embedding_norm: Norm = "none"
    embedding_scale: float = 1.0
    final_norm: Norm = "layer"
    head: Literal["none", "language"] = "none"
    tied: Literal["embedding", "none"] = "embedding"
    pooler: Literal["first", "none"] = "none"

    @property
    def per_head(self) -> int:
        """K, the width of one head's queries and keys."""
        return self.head_width or self.width // self.heads

    @property
    def per_value(self) -> int:
        """The width of one head's values."""
        return self.value_width or self.per_head

    @property
    def groups(self) -> int:
        """The number of key and value heads."""
        return self.key_heads or self.heads

    def __post_init__(self) -> None:
        if min(self.vocabulary, self.width, self.heads, self.layers) < 1:
            raise UsageError("Vocabulary, width, heads and layers must each be at least 1.")
        if not self.head_width and self.width % self.heads:
            raise UsageError(f"The width {self.width} cannot be cut into {self.heads} equal heads.")
        if self.heads % self.groups:
            raise UsageError(f"{self.heads} heads cannot share {self.groups} key heads equally.")
        if self.positions == "learned" and not self.longest:
            raise UsageError("Learned positions need the length of their table: set `longest`.")
