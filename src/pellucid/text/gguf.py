"""The tokenizer that a GGUF file carries."""

from typing import Any

import tokenizers
from tokenizers import decoders, models, pre_tokenizers, processors

from pellucid.errors import PellucidError
from pellucid.text.families.plain import followed
from pellucid.text.sentencepiece import KINDS, Piece, SentencePiece
from pellucid.text.tokenizer import Tokenizer

CONTROL = 3  # GGUF's mark of a piece that stands for no text; all its marks are SentencePiece's

# how a text is cut before its bytes are merged, by the file's own word for it
CUTS: dict[str, list[pre_tokenizers.PreTokenizer]] = {
    "smollm": [pre_tokenizers.Digits(individual_digits=True)],
    "gpt-2": [],
    "default": [],
}
FIRST = "tokenizer.ggml.add_bos_token"


def tokenizer_of(fields: dict[str, Any]) -> Tokenizer:
    """Byte-level merges, as in GPT-2, or SentencePiece's, as in Llama; others are refused."""
    kind, cut = fields.get("tokenizer.ggml.model"), fields.get("tokenizer.ggml.pre", "default")
    pieces, types = fields.get("tokenizer.ggml.tokens"), fields.get("tokenizer.ggml.token_type")
    if not pieces or not types or kind not in ("gpt2", "llama") or cut not in CUTS:
        known = ", ".join(CUTS)
        raise PellucidError(f"it is {kind!r} with {cut!r}; read are 'llama', 'gpt2' with {known}")
    inner = _byte_level(pieces, fields, cut) if kind == "gpt2" else _sentencepiece(fields)
    inner.add_special_tokens([p for p, t in zip(pieces, types, strict=True) if t == CONTROL])
    if fields.get(FIRST, kind == "llama"):
        number = fields["tokenizer.ggml.bos_token_id"]
        first = (pieces[number], number)
        form = f"{pieces[number]} $A"
        inner.post_processor = processors.TemplateProcessing(form, special_tokens=[first])
    return Tokenizer(inner)


def _byte_level(pieces: list[str], fields: dict[str, Any], cut: str) -> tokenizers.Tokenizer:
    merges = [tuple(merge.split(" ", 1)) for merge in fields["tokenizer.ggml.merges"]]
    numbers = {piece: number for number, piece in enumerate(pieces)}
    inner = tokenizers.Tokenizer(models.BPE(numbers, merges))
    bytes_last = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    inner.pre_tokenizer = pre_tokenizers.Sequence([*CUTS[cut], bytes_last])
    inner.decoder = decoders.ByteLevel()
    return inner


def _sentencepiece(fields: dict[str, Any]) -> tokenizers.Tokenizer:
    names = ("tokens", "scores", "token_type")
    told = zip(*(fields[f"tokenizer.ggml.{name}"] for name in names), strict=True)
    pieces = tuple(Piece(text, score, KINDS[kind]) for text, score, kind in told)
    prefixed = bool(fields.get("tokenizer.ggml.add_space_prefix", True))
    model = SentencePiece(
        pieces, "bpe", spells_bytes=True, charsmap=b"", prefixed=prefixed, squeezed=False
    )
    return followed(model, [])
