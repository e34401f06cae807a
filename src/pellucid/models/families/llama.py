"""Llama (Touvron et al. 2023): a pre-norm decoder, RMS norm, rotary positions, gated layers."""

from typing import Any

from pellucid.errors import PellucidError
from pellucid.models.families.gpt2 import on_last
from pellucid.models.family import ACTIVATIONS, Family, Head, Setting, Settings
from pellucid.models.naming import same

LAYER, THEIRS = "decoder.layers.*", "model.layers.*"

LENGTH = "original_max_position_embeddings"  # a whole number

# what stretches rotary positions, and its numbers in the order of `Config.rotary_scaling`
STRETCHES: dict[str, tuple[str, ...]] = {
    "default": (),
    "linear": ("factor",),
    "llama3": ("factor", "low_freq_factor", "high_freq_factor", LENGTH),
}


def prepare(settings: Settings) -> Settings:
    """Rotary settings stand at the top, and in rope_scaling or else in rope_parameters."""
    inside = settings.get("rope_scaling") or settings.get("rope_parameters") or {}
    rope = {"rope_theta": settings.get("rope_theta", 10000.0), **inside}
    kind = rope.get("rope_type", rope.get("type", "default"))
    if kind not in STRETCHES:
        raise PellucidError(
            f"config.json says rope_type = {kind!r}; known are {', '.join(STRETCHES)}."
        )
    stretch = tuple(float(rope[name]) for name in STRETCHES[kind])
    return {**settings, **rope, "rope_theta": float(rope["rope_theta"]), "rope_numbers": stretch}


def finish(settings: dict[str, Any]) -> dict[str, Any]:
    """The inverse: the numbers back under their names."""
    numbers = settings.pop("rope_numbers", ())
    kind = {len(names): kind for kind, names in STRETCHES.items()}.get(len(numbers))
    if kind is None:
        raise LookupError(f"no rope_type has {len(numbers)} numbers")
    named = dict(zip(STRETCHES[kind], numbers, strict=True))
    if LENGTH in named:
        named[LENGTH] = int(named[LENGTH])
    rope = {"rope_theta": settings["rope_theta"], "rope_type": kind, **named}
    return {**settings, "rope_parameters": rope}


LLAMA = Family(
    name="llama",
    shape="decoder",
    model="LlamaForCausalLM",
    fixed={
        "head": "language",
        "norm": "rms",
        "final_norm": "rms",
        "positions": "rotary",
        "gate": "gated",
    },
    settings=(
        Setting("vocab_size", "vocabulary"),
        Setting("hidden_size", "width"),
        Setting("num_hidden_layers", "layers"),
        Setting("num_attention_heads", "heads"),
        Setting("num_key_value_heads", "key_heads", 0),
        Setting("head_dim", "head_width", 0),
        Setting("intermediate_size", "inner"),
        Setting("max_position_embeddings", "longest", 2048),
        Setting("hidden_act", "activation", "silu", ACTIVATIONS),
        Setting("rms_norm_eps", "epsilon", 1e-6),
        Setting("attention_dropout", "attention_dropout", 0.0),
        Setting("attention_bias", "attention_bias", False, {False: "none", True: "all"}),
        Setting("mlp_bias", "feedforward_bias", False, {False: "none", True: "all"}),
        Setting("tie_word_embeddings", "tied", False, {True: "embedding", False: "none"}),
        Setting("rope_theta", "rotary_base", 10000.0),
        Setting("rope_numbers", "rotary_scaling", ()),
    ),
    must={"sliding_window": (None,), "partial_rotary_factor": (None, 1.0)},
    prefix="model.",
    ignored=("rotary_emb.inv_freq",),
    prepare=prepare,
    finish=finish,
    rules=(
        same("entrance.embed.words", "model.embed_tokens", "lm_head"),
        same(f"{LAYER}.attention.query", f"{THEIRS}.self_attn.q_proj"),
        same(f"{LAYER}.attention.key", f"{THEIRS}.self_attn.k_proj"),
        same(f"{LAYER}.attention.value", f"{THEIRS}.self_attn.v_proj"),
        same(f"{LAYER}.attention.output", f"{THEIRS}.self_attn.o_proj"),
        same(f"{LAYER}.attention.norm", f"{THEIRS}.input_layernorm"),
        same(f"{LAYER}.feedforward.gate", f"{THEIRS}.mlp.gate_proj"),
        same(f"{LAYER}.feedforward.hidden", f"{THEIRS}.mlp.up_proj"),
        same(f"{LAYER}.feedforward.output", f"{THEIRS}.mlp.down_proj"),
        same(f"{LAYER}.feedforward.norm", f"{THEIRS}.post_attention_layernorm"),
        same("decoder.norm", "model.norm"),
        same("heads.head.words", "lm_head"),
        same("heads.classes.output", "score"),
    ),
    heads=(Head("score.weight", on_last, ("LlamaForSequenceClassification",)),),
)
