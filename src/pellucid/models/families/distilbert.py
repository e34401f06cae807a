"""DistilBERT (Sanh et al. 2019): BERT with half the layers, no segments, no pooler."""

from pellucid.models.families.bert import POST_NORM_ENCODER, classes, masked
from pellucid.models.family import ACTIVATIONS, Family, Head, Setting, Settings
from pellucid.models.naming import same

EMBED, LAYER = "entrance.embed", "encoder.layers.*"
TABLE, THEIRS = "distilbert.embeddings", "distilbert.transformer.layer.*"


def from_first(shape: tuple[int, ...], settings: Settings) -> dict[str, object]:
    """A classifier on the first token, behind a hidden layer where there is one."""
    token = classes(shape, settings)["classify"] == "token"
    return {"classes": shape[0], "classify": "token" if token else "first"}


DISTILBERT = Family(
    name="distilbert",
    shape="encoder",
    model="DistilBertModel",
    fixed={**POST_NORM_ENCODER, "epsilon": 1e-12},
    settings=(
        Setting("vocab_size", "vocabulary"),
        Setting("dim", "width"),
        Setting("n_layers", "layers"),
        Setting("n_heads", "heads"),
        Setting("hidden_dim", "inner"),
        Setting("max_position_embeddings", "longest"),
        Setting("activation", "activation", "gelu", ACTIVATIONS),
        Setting("dropout", "dropout", 0.1),
        Setting("attention_dropout", "attention_dropout", 0.1),
    ),
    prefix="distilbert.",
    rules=(
        same(f"{EMBED}.words", f"{TABLE}.word_embeddings", "vocab_projector"),
        same(f"{EMBED}.positions", f"{TABLE}.position_embeddings"),
        same(f"{EMBED}.norm", f"{TABLE}.LayerNorm"),
        same(f"{LAYER}.attention.query", f"{THEIRS}.attention.q_lin"),
        same(f"{LAYER}.attention.key", f"{THEIRS}.attention.k_lin"),
        same(f"{LAYER}.attention.value", f"{THEIRS}.attention.v_lin"),
        same(f"{LAYER}.attention.output", f"{THEIRS}.attention.out_lin"),
        same(f"{LAYER}.attention.norm", f"{THEIRS}.sa_layer_norm"),
        same(f"{LAYER}.feedforward.hidden", f"{THEIRS}.ffn.lin1"),
        same(f"{LAYER}.feedforward.output", f"{THEIRS}.ffn.lin2"),
        same(f"{LAYER}.feedforward.norm", f"{THEIRS}.output_layer_norm"),
        same("heads.head.dense", "vocab_transform"),
        same("heads.head.norm", "vocab_layer_norm"),
        same("heads.head", "vocab_projector"),
        same("heads.classes.dense", "pre_classifier"),
        same("heads.classes.output", "classifier"),
    ),
    heads=(
        Head("vocab_transform.weight", masked, ("DistilBertForMaskedLM",)),
        Head("classifier.weight", from_first, ("DistilBertForTokenClassification",)),
        Head(
            "pre_classifier.weight",
            lambda *_: {"class_hidden": "relu"},
            ("DistilBertForSequenceClassification",),
        ),
    ),
)
