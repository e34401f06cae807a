"""T5 (Raffel et al. 2019): an encoder-decoder with relative positions, RMS norm, no biases.

Version 1.0 uses ReLU and scales the tied head; 1.1 gates its feed-forward and does neither.
"""

from typing import Any

from pellucid.models.family import Family, Head, Setting, Settings, check
from pellucid.models.naming import Rule, same

ENCODER, DECODER = "encoder.layers.*", "decoder.layers.*"
BIAS = "block.0.layer.0.SelfAttention.relative_attention_bias"
FEEDFORWARDS = {
    "relu": ("relu", "none"),
    "gated-gelu": ("gelu_tanh", "gated"),
    "gated-silu": ("silu", "gated"),
    "gated-relu": ("relu", "gated"),
}


def prepare(settings: Settings) -> Settings:
    """Whether the head is scaled was first said by whether it is tied.

    What follows from another setting and is said again must not contradict it.
    """
    kind = settings.get("feed_forward_proj", "relu")
    activation = "gelu_new" if kind == "gated-gelu" else kind.removeprefix("gated-")
    follows = {"dense_act_fn": (activation,), "is_gated_act": (kind.startswith("gated-"),)}
    if kind in FEEDFORWARDS:
        check(settings, follows)
    tied = settings.get("tie_word_embeddings", True)
    return {"scale_decoder_outputs": tied, **settings}


def own_table(shape: tuple[int, ...], settings: Settings) -> dict[str, Any]:
    """Release 5 of `transformers` says of 1.1, too, that the head is tied, and saves its table."""
    return {} if settings["scale_decoder_outputs"] else {"tied": "none"}


def attention(ours: str, theirs: str, norm: str) -> tuple[Rule, ...]:
    """The four projections of one attention, and its norm."""
    letters = {"query": "q", "key": "k", "value": "v", "output": "o"}
    parts = (same(f"{ours}.{name}", f"{theirs}.{letter}") for name, letter in letters.items())
    return *parts, same(f"{ours}.norm", norm)


def feedforward(ours: str, theirs: str) -> tuple[Rule, ...]:
    """One feed-forward, gated or not, and its norm."""
    inside = f"{theirs}.DenseReluDense"
    return (
        same(f"{ours}.gate", f"{inside}.wi_0"),
        same(f"{ours}.hidden", f"{inside}.wi", gate="none"),
        same(f"{ours}.hidden", f"{inside}.wi_1", gate="gated"),
        same(f"{ours}.output", f"{inside}.wo"),
        same(f"{ours}.norm", f"{theirs}.layer_norm"),
    )


def stack(ours: str, theirs: str, *, source: bool) -> tuple[Rule, ...]:
    """The layers of the encoder or of the decoder."""
    layer = f"{theirs}.block.*.layer"
    cross = attention(
        f"{ours}.layers.*.cross", f"{layer}.1.EncDecAttention", f"{layer}.1.layer_norm"
    )
    return (
        same(f"{ours}.positions.table", f"{theirs}.{BIAS}"),
        *attention(
            f"{ours}.layers.*.attention", f"{layer}.0.SelfAttention", f"{layer}.0.layer_norm"
        ),
        *(cross if source else ()),
        *feedforward(f"{ours}.layers.*.feedforward", f"{layer}.{2 if source else 1}"),
        same(f"{ours}.norm", f"{theirs}.final_layer_norm"),
    )


T5 = Family(
    name="t5",
    shape="encoder-decoder",
    model="T5ForConditionalGeneration",
    fixed={
        "head": "language",
        "norm": "rms",
        "final_norm": "rms",
        "positions": "relative",
        "scaling": "none",
        "attention_bias": "none",
        "feedforward_bias": "none",
    },
    settings=(
        Setting("vocab_size", "vocabulary"),
        Setting("d_model", "width"),
        Setting("d_kv", "head_width", usual="per_head"),
        Setting("d_ff", "inner"),
        Setting("num_layers", "layers"),
        Setting("num_decoder_layers", "decoder_layers", 0),
        Setting("num_heads", "heads"),
        Setting("relative_attention_num_buckets", "buckets", 32),
        Setting("relative_attention_max_distance", "farthest", 128),
        Setting("dropout_rate", "dropout", 0.1),
        Setting("layer_norm_epsilon", "epsilon", 1e-6),
        Setting("feed_forward_proj", ("activation", "gate"), "relu", FEEDFORWARDS),
        Setting("tie_word_embeddings", "tied", True, {True: "embedding", False: "none"}),
        Setting("scale_decoder_outputs", "head_scaling", True, {True: "root", False: "none"}),
    ),
    must={"is_decoder": (False,)},
    ignored=("decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight",),
    prepare=prepare,
    rules=(
        same(
            "source.embed.words",
            "shared",
            "encoder.embed_tokens",
            "decoder.embed_tokens",
            "lm_head",
        ),
        *stack("encoder", "encoder", source=False),
        *stack("decoder", "decoder", source=True),
        same("heads.head.words", "lm_head"),
    ),
    heads=(Head("lm_head.weight", own_table, ("T5ForConditionalGeneration",)),),
)
