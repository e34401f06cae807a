"""GPT-2 (Radford et al. 2019): a pre-norm decoder with learned positions."""

from pellucid.models.family import ACTIVATIONS, Family, Settings, must_be, setting
from pellucid.models.naming import Rule, same
from pellucid.nn.config import Config


def config(settings: Settings, names: frozenset[str]) -> Config:
    """Our choices for GPT-2's settings."""
    must_be(
        settings,
        {
            "scale_attn_weights": True,
            "scale_attn_by_inverse_layer_idx": False,
            "add_cross_attention": False,
            "tie_word_embeddings": True,
        },
    )
    return Config(
        family="gpt2",
        shape="decoder",
        vocabulary=settings["vocab_size"],
        width=settings["n_embd"],
        layers=settings["n_layer"],
        heads=settings["n_head"],
        inner=settings.get("n_inner") or 4 * settings["n_embd"],
        longest=settings["n_positions"],
        activation=setting(settings, "activation_function", ACTIVATIONS, "gelu_new"),
        epsilon=settings.get("layer_norm_epsilon", 1e-5),
        dropout=settings.get("resid_pdrop", 0.1),
        attention_dropout=settings.get("attn_pdrop", 0.1),
        head="language",
    )


EMBED, LAYER = "entrance.embed", "decoder.layers.*"
ATTENTION = f"{LAYER}.attention"
QUERY_KEY_VALUE = tuple(f"{ATTENTION}.{name}" for name in ("query", "key", "value"))

GPT2 = Family(
    name="gpt2",
    config=config,
    rules=(
        same(f"{EMBED}.words", "wte"),
        same(f"{EMBED}.positions", "wpe"),
        same(f"{ATTENTION}.norm", "h.*.ln_1"),
        Rule(QUERY_KEY_VALUE, "h.*.attn.c_attn", layout="transposed"),
        Rule((f"{ATTENTION}.output",), "h.*.attn.c_proj", layout="transposed"),
        same(f"{LAYER}.feedforward.norm", "h.*.ln_2"),
        Rule((f"{LAYER}.feedforward.hidden",), "h.*.mlp.c_fc", layout="transposed"),
        Rule((f"{LAYER}.feedforward.output",), "h.*.mlp.c_proj", layout="transposed"),
        same("decoder.norm", "ln_f"),
    ),
    prefixes=("", "transformer."),
    ignored=(".attn.bias", ".attn.masked_bias", "lm_head.weight"),
)
