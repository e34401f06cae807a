"""Marian (Junczys-Dowmunt et al. 2018): BART's layers with sine and cosine, all sines first."""

from typing import Any

from pellucid.models.families import bart
from pellucid.models.family import Family, Head, Setting, Settings
from pellucid.models.naming import Rule, same


def prepare(settings: Settings) -> Settings:
    """The two vocabularies are one where the embeddings are shared."""
    shared = settings.get("share_encoder_decoder_embeddings", True)
    source = 0 if shared else settings["vocab_size"]
    target = settings["vocab_size"] if shared else settings.get("decoder_vocab_size")
    return {**bart.prepare(settings), "vocab_size": target, "source_vocab_size": source}


def finish(settings: dict[str, Any]) -> dict[str, Any]:
    """The inverse."""
    source = settings.pop("source_vocab_size", 0)
    target = settings["vocab_size"]
    return bart.finish({**settings, "vocab_size": source or target, "decoder_vocab_size": target})


MARIAN = Family(
    name="marian",
    shape="encoder-decoder",
    model="MarianMTModel",
    fixed={**bart.FIXED, "positions": "sinusoidal", "wave_layout": "half-split"},
    settings=(
        *bart.SETTINGS,
        Setting("source_vocab_size", "source_vocabulary", 0),
        Setting(
            "share_encoder_decoder_embeddings",
            "source_words",
            True,
            {True: "shared", False: "own"},
        ),
    ),
    must={
        **bart.MUST,
        "normalize_embedding": (False,),
        "static_position_embeddings": (True,),
    },
    prefix="model.",
    otherwise={"pad_token_id": 0, "decoder_start_token_id": 0},
    ignored=("embed_positions.weight",),
    prepare=prepare,
    finish=finish,
    rules=(
        same(
            "source.embed.words",
            "model.shared",
            "model.encoder.embed_tokens",
            "model.decoder.embed_tokens",
            "lm_head",
            source_words="shared",
        ),
        same("source.embed.words", "model.encoder.embed_tokens", source_words="own"),
        same("target.embed.words", "model.decoder.embed_tokens", "lm_head"),
        *bart.layers("encoder"),
        *bart.layers("decoder"),
        Rule(("heads.head.bias",), "final_logits_bias", "row", kinds=()),
        same("heads.head.words", "lm_head"),
    ),
    heads=(Head("final_logits_bias", bart.word_bias, ("MarianMTModel",)),),
)
