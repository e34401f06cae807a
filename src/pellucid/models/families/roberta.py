"""RoBERTa (Liu et al. 2019): BERT with positions from 2 on, and without next sentences."""

from pellucid.models.families.bert import (
    MUST,
    POST_NORM_ENCODER,
    SETTINGS,
    body,
    classes,
    masked,
    pooled,
)
from pellucid.models.family import Family, Head, Setting, Settings
from pellucid.models.naming import same


def from_first(shape: tuple[int, ...], settings: Settings) -> dict[str, object]:
    """A classifier on the first token, with a hidden layer of its own."""
    return {"classes": shape[0], "classify": "first", "class_hidden": "tanh"}


ROBERTA = Family(
    name="roberta",
    shape="encoder",
    model="RobertaModel",
    fixed={**POST_NORM_ENCODER, "position_offset": 2},
    settings=(*SETTINGS, Setting("max_position_embeddings", "longest", less=2)),
    must={**MUST, "pad_token_id": (1,)},
    prefix="roberta.",
    ignored=("embeddings.position_ids",),
    rules=(
        *body("roberta.", "lm_head.decoder"),
        same("heads.head.dense", "lm_head.dense"),
        same("heads.head.norm", "lm_head.layer_norm"),
        same("heads.head", "lm_head", "lm_head.decoder"),
        same("heads.classes.dense", "classifier.dense"),
        same("heads.classes.output", "classifier.out_proj", class_hidden="tanh"),
        same("heads.classes.output", "classifier", class_hidden="none"),
    ),
    heads=(
        Head("pooler.dense.weight", pooled, ("RobertaModel",)),
        Head("lm_head.dense.weight", masked, ("RobertaForMaskedLM",)),
        Head("classifier.out_proj.weight", from_first, ("RobertaForSequenceClassification",)),
        Head("classifier.weight", classes, ("RobertaForTokenClassification",)),
    ),
)
