"""ALBERT (Lan et al. 2019): one layer's weights for all layers, and a narrow embedding."""

from dataclasses import replace

from pellucid.models.families.bert import MUST, POST_NORM_ENCODER, SETTINGS, classes, masked, pooled
from pellucid.models.family import Family, Head, Setting
from pellucid.models.naming import same

EMBED, LAYER = "entrance.embed", "encoder.layers.*"
TABLE = "albert.embeddings"
THEIRS = "albert.encoder.albert_layer_groups.*.albert_layers.0"  # group 0 is layer 0, for all

# what holds where config.json is silent, otherwise than in BERT
USUAL = {"hidden_act": "gelu_new", "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}

ALBERT = Family(
    name="albert",
    shape="encoder",
    model="AlbertModel",
    fixed={**POST_NORM_ENCODER, "layer_weights": "shared"},
    settings=(
        *(replace(each, default=USUAL.get(each.theirs, each.default)) for each in SETTINGS),
        Setting("max_position_embeddings", "longest"),
        Setting("embedding_size", "embedding_width", 128),
    ),
    must={**MUST, "num_hidden_groups": (1,), "inner_group_num": (1,)},
    prefix="albert.",
    ignored=("embeddings.position_ids",),
    rules=(
        same(f"{EMBED}.words", f"{TABLE}.word_embeddings", "predictions.decoder"),
        same(f"{EMBED}.positions", f"{TABLE}.position_embeddings"),
        same(f"{EMBED}.segments", f"{TABLE}.token_type_embeddings"),
        same(f"{EMBED}.norm", f"{TABLE}.LayerNorm"),
        same(f"{EMBED}.projection", "albert.encoder.embedding_hidden_mapping_in"),
        same(f"{LAYER}.attention.query", f"{THEIRS}.attention.query"),
        same(f"{LAYER}.attention.key", f"{THEIRS}.attention.key"),
        same(f"{LAYER}.attention.value", f"{THEIRS}.attention.value"),
        same(f"{LAYER}.attention.output", f"{THEIRS}.attention.dense"),
        same(f"{LAYER}.attention.norm", f"{THEIRS}.attention.LayerNorm"),
        same(f"{LAYER}.feedforward.hidden", f"{THEIRS}.ffn"),
        same(f"{LAYER}.feedforward.output", f"{THEIRS}.ffn_output"),
        same(f"{LAYER}.feedforward.norm", f"{THEIRS}.full_layer_layer_norm"),
        same("heads.pooler.dense", "albert.pooler"),
        same("heads.head.dense", "predictions.dense"),
        same("heads.head.norm", "predictions.LayerNorm"),
        same("heads.head", "predictions", "predictions.decoder"),
        same("heads.next.dense", "sop_classifier.classifier"),
        same("heads.classes.output", "classifier"),
    ),
    heads=(
        Head("pooler.weight", pooled, ("AlbertModel",)),
        Head("predictions.dense.weight", masked, ("AlbertForMaskedLM",)),
        Head(
            "sop_classifier.classifier.weight",
            lambda *_: {"next_sentence": "pooled"},
            ("AlbertForPreTraining",),
        ),
        Head(
            "classifier.weight",
            classes,
            ("AlbertForSequenceClassification", "AlbertForTokenClassification"),
        ),
    ),
)
