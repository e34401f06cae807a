"""The choices that make a Transformer, each with a name."""

from dataclasses import dataclass, fields
from typing import Any, Literal, get_args, get_origin

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
    (`longest`), no segments, as many decoder layers as encoder layers.
    """

    family: str = "pellucid"
    shape: Shape
    vocabulary: int
    width: int
    layers: int
    heads: int
    inner: int = 0
    longest: int = 0
    decoder_layers: int = 0
    layer_weights: Literal["own", "shared"] = "own"  # or one layer again and again (ALBERT)

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
    rotary_scaling: tuple[float, ...] = ()  # for longer texts: (factor,), or Llama 3's four
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

    # before the layers
    segments: int = 0
    embedding_width: int = 0  # narrower than the layers, then projected (ALBERT)
    embedding_norm: Norm = "none"
    embedding_scaling: Literal["none", "root"] = "none"  # words · √D
    source_words: Literal["shared", "own"] = "shared"  # with the target, in an encoder-decoder
    source_vocabulary: int = 0  # where it is another than the target's

    # after the layers
    final_norm: Norm = "layer"
    head: Literal["none", "language", "masked"] = "none"
    tied: Literal["embedding", "none"] = "embedding"  # the head's table
    head_scaling: Literal["none", "root"] = "none"  # hidden / √D (T5)
    head_bias: Literal["none", "words"] = "none"
    pooler: Literal["first", "none"] = "none"
    next_sentence: Literal["pooled", "none"] = "none"
    classes: int = 0
    classify: Literal["pooled", "first", "last", "mean", "token"] = "pooled"
    class_hidden: Literal["none", "tanh", "relu"] = "none"
    class_bias: Literal["all", "none"] = "all"

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

    @property
    def _from_pooled(self) -> bool:
        return self.classes > 0 and self.classify == "pooled"

    def __post_init__(self) -> None:
        for field in fields(self):
            check(field.name, getattr(self, field.name), field.type)
        self._check_sizes()
        self._check_positions()

    def _check_sizes(self) -> None:
        if min(self.vocabulary, self.width, self.heads, self.layers) < 1:
            raise UsageError("Vocabulary, width, heads and layers must each be at least 1.")
        if not self.head_width and self.width % self.heads:
            raise UsageError(f"The width {self.width} cannot be cut into {self.heads} equal heads.")
        if self.heads % self.groups:
            raise UsageError(f"{self.heads} heads cannot share {self.groups} key heads equally.")
        if self.pooler == "none" and (self.next_sentence != "none" or self._from_pooled):
            raise UsageError("Heads on the pooled vector need a pooler: set pooler='first'.")
        if max(self.dropout, self.attention_dropout) >= 1:
            raise UsageError("A dropout of 1 or more leaves nothing; it is a share below 1.")

    def _check_positions(self) -> None:
        if self.positions == "learned" and not self.longest:
            raise UsageError("Learned positions need the length of their table: set `longest`.")
        turned = self.rotary_width or self.per_head
        if self.positions == "rotary" and (turned % 2 or turned > self.per_head):
            raise UsageError(f"{turned} columns of {self.per_head} cannot be turned in pairs.")
        if self.positions == "sinusoidal" and self.width % 2:
            raise UsageError(f"Waves come in pairs; the width {self.width} is odd.")
        near = self.buckets // 2
        if self.positions == "relative" and not 2 <= near < self.farthest <= 100_000:
            raise UsageError(
                f"{self.buckets} buckets cannot hold distances to {self.farthest}; give at least "
                "4 buckets, and a distance between half as many and 100000."
            )


NUMBERS = {int: "a whole number", float: "a number"}


def check(name: str, value: Any, kind: Any) -> None:
    """Refuse a value that is none of its choices, or no number where one is expected."""
    choices = get_args(kind) if get_origin(kind) is Literal else ()
    if choices and value not in choices:
        raise UsageError(f"{name} is {value!r}; the choices are {', '.join(choices)}.")
    if kind not in NUMBERS:
        return
    if isinstance(value, bool) or not isinstance(value, (int, kind)) or not value >= 0:
        raise UsageError(f"{name} is {value!r}; expected is {NUMBERS[kind]}, 0 or more.")
