"""BERT (Devlin et al. 2018): a post-norm encoder with learned positions and segments."""

from pellucid.models.family import ACTIVATIONS, Family, Settings, must_be, setting
from pellucid.models.naming import same
from pellucid.nn.config import Config


def config(settings: Settings, names: frozenset[str]) -> Config:
    """Our choices for BERT's settings."""
    must_be(
        settings,
        {"position_embedding_type": "absolute", "is_decoder": False, "add_cross_attention": False},
    )
    return Config(
        family="bert",
        shape="encoder",
        vocabulary=settings["vocab_size"],
        width=settings["hidden_size"],
        layers=settings["num_hidden_layers"],
        heads=settings["num_attention_heads"],
        inner=settings["intermediate_size"],
        longest=settings["max_position_embeddings"],
        segments=settings["type_vocab_size"],
        activation=setting(settings, "hidden_act", ACTIVATIONS, "gelu"),
        epsilon=settings.get("layer_norm_eps", 1e-12),
        dropout=settings.get("hidden_dropout_prob", 0.1),
        attention_dropout=settings.get("attention_probs_dropout_prob", 0.1),
        place="post",
        final_norm="none",
        embedding_norm="layer",
        pooler="first" if "pooler.dense.weight" in names else "none",
    )


EMBED, LAYER = "entrance.embed", "encoder.layers.*"

BERT = Family(
    name="bert",
    config=config,
    rules=(
        same(f"{EMBED}.words", "embeddings.word_embeddings"),
        same(f"{EMBED}.positions", "embeddings.position_embeddings"),
        same(f"{EMBED}.segments", "embeddings.token_type_embeddings"),
        same(f"{EMBED}.norm", "embeddings.LayerNorm"),
        same(f"{LAYER}.attention.query", "encoder.layer.*.attention.self.query"),
        same(f"{LAYER}.attention.key", "encoder.layer.*.attention.self.key"),
        same(f"{LAYER}.attention.value", "encoder.layer.*.attention.self.value"),
        same(f"{LAYER}.attention.output", "encoder.layer.*.attention.output.dense"),
        same(f"{LAYER}.attention.norm", "encoder.layer.*.attention.output.LayerNorm"),
        same(f"{LAYER}.feedforward.hidden", "encoder.layer.*.intermediate.dense"),
        same(f"{LAYER}.feedforward.output", "encoder.layer.*.output.dense"),
        same(f"{LAYER}.feedforward.norm", "encoder.layer.*.output.LayerNorm"),
        same("pooler.dense", "pooler.dense"),
    ),
    prefixes=("", "bert."),
    ignored=("embeddings.position_ids",),
)
