"""T5 (Raffel et al. 2019): an encoder-decoder with relative positions, RMS norm, no biases.

Version 1.0 uses ReLU and scales the tied head; 1.1 gates its feed-forward and does neither.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pellucid.models.again import END, START
from pellucid.models.families.bart import CLASSIFIER, on_end
from pellucid.models.family import Family, Head, Setting, Settings, check
from pellucid.models.naming import Rule, same

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


def on_each(shape: tuple[int, ...], settings: Settings) -> dict[str, Any]:
    """A classifier of tokens."""
    return {"classes": shape[0], "classify": "token"}


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


def both(prefix: str) -> tuple[Rule, ...]:
    """All below the heads."""
    names = ("shared", "encoder.embed_tokens", "decoder.embed_tokens")
    return (
        same("source.embed.words", *(f"{prefix}{name}" for name in names), "lm_head"),
        *stack("encoder", f"{prefix}encoder", source=False),
        *stack("decoder", f"{prefix}decoder", source=True),
    )


def encoder(prefix: str) -> tuple[Rule, ...]:
    """The same of an encoder alone."""
    words = same("entrance.embed.words", f"{prefix}shared", f"{prefix}encoder.embed_tokens")
    return words, *stack("encoder", f"{prefix}encoder", source=False)


def bodies(body: Callable[[str], tuple[Rule, ...]]) -> tuple[Rule, ...]:
    """The names in a classifier begin with a prefix."""
    plain = (replace(rule, when={**rule.when, "classes": 0}) for rule in body(""))
    return *plain, *body("transformer.")


SETTINGS = (
    Setting("vocab_size", "vocabulary"),
    Setting("d_model", "width"),
    Setting("d_kv", "head_width", usual="per_head"),
    Setting("d_ff", "inner"),
    Setting("num_layers", "layers"),
    Setting("num_heads", "heads"),
    Setting("relative_attention_num_buckets", "buckets", 32),
    Setting("relative_attention_max_distance", "farthest", 128),
    Setting("dropout_rate", "dropout", 0.1),
    Setting("layer_norm_epsilon", "epsilon", 1e-6),
    Setting("feed_forward_proj", ("activation", "gate"), "relu", FEEDFORWARDS),
)
FIXED = {
    "norm": "rms",
    "final_norm": "rms",
    "positions": "relative",
    "scaling": "none",
    "attention_bias": "none",
    "feedforward_bias": "none",
}

T5 = Family(
    name="t5",
    shape="encoder-decoder",
    model="T5ForConditionalGeneration",
    fixed={**FIXED, "head": "language"},
    settings=(
        *SETTINGS,
        Setting("num_decoder_layers", "decoder_layers", 0),
        Setting("tie_word_embeddings", "tied", True, {True: "embedding", False: "none"}),
        Setting("scale_decoder_outputs", "head_scaling", True, {True: "root", False: "none"}),
    ),
    must={"is_decoder": (False,)},
    prefix="transformer.",
    ignored=("decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight",),
    otherwise={START: 0, END: 1},
    prepare=prepare,
    rules=(
        *bodies(both),
        same("heads.head.words", "lm_head"),
        *CLASSIFIER,
    ),
    heads=(
        Head("lm_head.weight", own_table, ("T5ForConditionalGeneration",)),
        Head("classification_head.out_proj.weight", on_end, ("T5ForSequenceClassification",)),
    ),
)

T5_ENCODER = Family(
    name="t5-encoder",
    called="t5",
    shape="encoder",
    model="T5EncoderModel",
    fixed=FIXED,
    settings=SETTINGS,
    must={"is_decoder": (False,), "is_encoder_decoder": (False, True)},  # it was cut out of one
    prefix="transformer.",
    prepare=prepare,
    finish=lambda settings: {**settings, "is_encoder_decoder": False},
    rules=(*bodies(encoder), same("heads.classes.output", "classifier")),
    heads=(Head("classifier.weight", on_each, ("T5ForTokenClassification",)),),
)
