"""BART (Lewis et al. 2019): a post-norm encoder-decoder with learned positions from 2 on."""

from typing import Any

from pellucid.errors import PellucidError
from pellucid.models.again import END, START
from pellucid.models.family import ACTIVATIONS, Family, Head, Setting, Settings
from pellucid.models.naming import Rule, same

SETTINGS = (
    Setting("vocab_size", "vocabulary"),
    Setting("d_model", "width"),
    Setting("encoder_layers", "layers"),
    Setting("decoder_layers", "decoder_layers", usual="layers"),
    Setting("encoder_attention_heads", "heads"),
    Setting("encoder_ffn_dim", "inner"),
    Setting("max_position_embeddings", "longest"),
    Setting("activation_function", "activation", "gelu", ACTIVATIONS),
    Setting("dropout", "dropout", 0.1),
    Setting("attention_dropout", "attention_dropout", 0.0),
    Setting("scale_embedding", "embedding_scaling", False, {False: "none", True: "root"}),
    Setting("tie_word_embeddings", "tied", True, {True: "embedding", False: "none"}),
)
MUST = {
    "is_decoder": (False,),
    "normalize_before": (False,),  # the older names of how BART's relatives differ
    "add_final_layer_norm": (False,),
    "add_bias_logits": (False,),
}
FIXED = {
    "head": "language",
    "place": "post",
    "final_norm": "none",
}


def prepare(settings: Settings) -> Settings:
    """The two sides must be alike, apart from their number of layers."""
    for name in ("attention_heads", "ffn_dim"):
        encoder, decoder = settings.get(f"encoder_{name}"), settings.get(f"decoder_{name}")
        if encoder != decoder:
            raise PellucidError(
                f"config.json says encoder_{name} = {encoder} and decoder_{name} = {decoder}; "
                "followed is only the same on both sides."
            )
    return settings


def finish(settings: dict[str, Any]) -> dict[str, Any]:
    """What is said once here is said for each side there."""
    return {
        **settings,
        "is_encoder_decoder": True,
        "decoder_attention_heads": settings["encoder_attention_heads"],
        "decoder_ffn_dim": settings["encoder_ffn_dim"],
    }


def word_bias(shape: tuple[int, ...], settings: Settings) -> dict[str, Any]:
    """The head's bias; a checkpoint of the bare model has none, its tied head works without."""
    return {"head_bias": "words"}


def on_end(shape: tuple[int, ...], settings: Settings) -> dict[str, Any]:
    """A classifier on the decoder's vector where the source ends, with a hidden layer between."""
    classes = {"classes": shape[0], "classify": "last", "class_hidden": "tanh"}
    return {**classes, "head": "none"}


def attention(ours: str, theirs: str) -> tuple[Rule, ...]:
    """The four projections of one attention, and its norm."""
    return (
        same(f"{ours}.query", f"{theirs}.q_proj"),
        same(f"{ours}.key", f"{theirs}.k_proj"),
        same(f"{ours}.value", f"{theirs}.v_proj"),
        same(f"{ours}.output", f"{theirs}.out_proj"),
        same(f"{ours}.norm", f"{theirs}_layer_norm"),
    )


def layers(stack: str) -> tuple[Rule, ...]:
    """The layers of the encoder or of the decoder."""
    ours, theirs = f"{stack}.layers.*", f"model.{stack}.layers.*"
    return (
        *attention(f"{ours}.attention", f"{theirs}.self_attn"),
        *attention(f"{ours}.cross", f"{theirs}.encoder_attn"),
        same(f"{ours}.feedforward.hidden", f"{theirs}.fc1"),
        same(f"{ours}.feedforward.output", f"{theirs}.fc2"),
        same(f"{ours}.feedforward.norm", f"{theirs}.final_layer_norm"),
    )


def embedding(ours: str, stack: str) -> tuple[Rule, ...]:
    """Positions and norm of one side's embedding."""
    return (
        same(f"{ours}.embed.positions", f"model.{stack}.embed_positions"),
        same(f"{ours}.embed.norm", f"model.{stack}.layernorm_embedding"),
    )


CLASSIFIER = (
    same("heads.classes.dense", "classification_head.dense"),
    same("heads.classes.output", "classification_head.out_proj"),
)

BART = Family(
    name="bart",
    shape="encoder-decoder",
    model="BartForConditionalGeneration",
    fixed={**FIXED, "embedding_norm": "layer", "position_offset": 2},
    settings=SETTINGS,
    must={**MUST, "normalize_embedding": (True,), "static_position_embeddings": (False,)},
    prefix="model.",
    otherwise={
        "normalize_before": False,
        "normalize_embedding": True,  # CTranslate2 asks
        START: 2,
        END: 2,
    },
    prepare=prepare,
    finish=finish,
    rules=(
        same(
            "source.embed.words",
            "model.shared",
            "model.encoder.embed_tokens",
            "model.decoder.embed_tokens",
            "lm_head",
        ),
        *embedding("source", "encoder"),
        *embedding("target", "decoder"),
        *layers("encoder"),
        *layers("decoder"),
        Rule(("heads.head.bias",), "final_logits_bias", "row", kinds=()),
        same("heads.head.words", "lm_head"),
        *CLASSIFIER,
    ),
    heads=(
        Head("final_logits_bias", word_bias, ("BartForConditionalGeneration",)),
        Head("classification_head.out_proj.weight", on_end, ("BartForSequenceClassification",)),
    ),
)
