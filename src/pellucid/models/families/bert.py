"""BERT (Devlin et al. 2018): a post-norm encoder with learned positions and segments."""

from typing import Any

from pellucid.models.family import ACTIVATIONS, Family, Head, Setting, Settings, check
from pellucid.models.naming import Rule, same

POST_NORM_ENCODER = {"place": "post", "final_norm": "none", "embedding_norm": "layer"}

SETTINGS = (
    Setting("vocab_size", "vocabulary"),
    Setting("hidden_size", "width"),
    Setting("num_hidden_layers", "layers"),
    Setting("num_attention_heads", "heads"),
    Setting("intermediate_size", "inner"),
    Setting("type_vocab_size", "segments", 2),
    Setting("hidden_act", "activation", "gelu", ACTIVATIONS),
    Setting("layer_norm_eps", "epsilon", 1e-12),
    Setting("hidden_dropout_prob", "dropout", 0.1),
    Setting("attention_probs_dropout_prob", "attention_dropout", 0.1),
)
MUST = {
    "position_embedding_type": ("absolute",),
    "is_decoder": (False,),
    "add_cross_attention": (False,),
}

EMBED, LAYER = "entrance.embed", "encoder.layers.*"


def body(prefix: str, decoder: str) -> tuple[Rule, ...]:
    """What BERT and RoBERTa call the weights below the heads.

    `decoder` is the table of the head for words, as a rule that of the words again.
    """
    table, layer = f"{prefix}embeddings", f"{prefix}encoder.layer.*"
    return (
        same(f"{EMBED}.words", f"{table}.word_embeddings", decoder),
        same(f"{EMBED}.positions", f"{table}.position_embeddings"),
        same(f"{EMBED}.segments", f"{table}.token_type_embeddings"),
        same(f"{EMBED}.norm", f"{table}.LayerNorm"),
        same(f"{LAYER}.attention.query", f"{layer}.attention.self.query"),
        same(f"{LAYER}.attention.key", f"{layer}.attention.self.key"),
        same(f"{LAYER}.attention.value", f"{layer}.attention.self.value"),
        same(f"{LAYER}.attention.output", f"{layer}.attention.output.dense"),
        same(f"{LAYER}.attention.norm", f"{layer}.attention.output.LayerNorm"),
        same(f"{LAYER}.feedforward.hidden", f"{layer}.intermediate.dense"),
        same(f"{LAYER}.feedforward.output", f"{layer}.output.dense"),
        same(f"{LAYER}.feedforward.norm", f"{layer}.output.LayerNorm"),
        same("heads.pooler.dense", f"{prefix}pooler.dense"),
    )


def pooled(shape: tuple[int, ...], settings: Settings) -> dict[str, Any]:
    """BERT's pooler: tanh of the first token's vector."""
    return {"pooler": "first"}


def masked(shape: tuple[int, ...], settings: Settings) -> dict[str, Any]:
    """The head that fills in masked words; its words are the embedding's, with a bias."""
    check(settings, {"tie_word_embeddings": (True,)})
    return {"head": "masked", "head_bias": "words"}


def classes(shape: tuple[int, ...], settings: Settings) -> dict[str, Any]:
    """As many classes as the classifier has rows, for the text or for each token."""
    names = settings.get("architectures") or [""]
    token = str(names[0]).endswith("ForTokenClassification")
    return {"classes": shape[0], "classify": "token" if token else "pooled"}


BERT = Family(
    name="bert",
    shape="encoder",
    model="BertModel",
    fixed=POST_NORM_ENCODER,
    settings=(*SETTINGS, Setting("max_position_embeddings", "longest")),
    must=MUST,
    prefix="bert.",
    ignored=("embeddings.position_ids",),
    rules=(
        *body("bert.", "cls.predictions.decoder"),
        same("heads.head.dense", "cls.predictions.transform.dense"),
        same("heads.head.norm", "cls.predictions.transform.LayerNorm"),
        same("heads.head", "cls.predictions", "cls.predictions.decoder"),
        same("heads.next.dense", "cls.seq_relationship"),
        same("heads.classes.output", "classifier"),
    ),
    heads=(
        Head("pooler.dense.weight", pooled, ("BertModel",)),
        Head("cls.predictions.transform.dense.weight", masked, ("BertForMaskedLM",)),
        Head(
            "cls.seq_relationship.weight",
            lambda *_: {"next_sentence": "pooled"},
            ("BertForPreTraining",),
        ),
        Head(
            "classifier.weight",
            classes,
            ("BertForSequenceClassification", "BertForTokenClassification"),
        ),
    ),
)
