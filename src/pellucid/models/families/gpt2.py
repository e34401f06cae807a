"""GPT-2 (Radford et al. 2019): a pre-norm decoder with learned positions."""

from pellucid.models.family import ACTIVATIONS, Family, Head, Setting, Settings
from pellucid.models.naming import Rule, same

EMBED, LAYER = "entrance.embed", "decoder.layers.*"
ATTENTION = f"{LAYER}.attention"
QUERY_KEY_VALUE = tuple(f"{ATTENTION}.{name}" for name in ("query", "key", "value"))
THEIRS = "transformer.h.*"


def on_last(shape: tuple[int, ...], settings: Settings) -> dict[str, object]:
    """Scores from the last token, without a bias; a model for classes has no head for words."""
    return {"classes": shape[0], "classify": "last", "class_bias": "none", "head": "none"}


GPT2 = Family(
    name="gpt2",
    shape="decoder",
    model="GPT2LMHeadModel",
    fixed={"head": "language"},
    settings=(
        Setting("vocab_size", "vocabulary"),
        Setting("n_embd", "width"),
        Setting("n_layer", "layers"),
        Setting("n_head", "heads"),
        Setting("n_inner", "inner", lambda settings: 4 * settings["n_embd"]),
        Setting("n_positions", "longest", 1024),
        Setting("activation_function", "activation", "gelu_new", ACTIVATIONS),
        Setting("layer_norm_epsilon", "epsilon", 1e-5),
        Setting("resid_pdrop", "dropout", 0.1),
        Setting("attn_pdrop", "attention_dropout", 0.1),
        Setting("tie_word_embeddings", "tied", True, {True: "embedding", False: "none"}),
    ),
    must={
        "scale_attn_weights": (True,),
        "scale_attn_by_inverse_layer_idx": (False,),
        "add_cross_attention": (False,),
    },
    prefix="transformer.",
    ignored=(".attn.bias", ".attn.masked_bias"),
    rules=(
        same(f"{EMBED}.words", "transformer.wte", "lm_head"),
        same(f"{EMBED}.positions", "transformer.wpe"),
        same(f"{ATTENTION}.norm", f"{THEIRS}.ln_1"),
        Rule(QUERY_KEY_VALUE, f"{THEIRS}.attn.c_attn", "transposed"),
        Rule((f"{ATTENTION}.output",), f"{THEIRS}.attn.c_proj", "transposed"),
        same(f"{LAYER}.feedforward.norm", f"{THEIRS}.ln_2"),
        Rule((f"{LAYER}.feedforward.hidden",), f"{THEIRS}.mlp.c_fc", "transposed"),
        Rule((f"{LAYER}.feedforward.output",), f"{THEIRS}.mlp.c_proj", "transposed"),
        same("decoder.norm", "transformer.ln_f"),
        same("heads.head.words", "lm_head"),
        same("heads.classes.output", "score"),
    ),
    heads=(Head("score.weight", on_last, ("GPT2ForSequenceClassification",)),),
)
