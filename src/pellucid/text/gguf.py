"""The tokenizer that a GGUF file carries."""

from typing import Any

import tokenizers
from tokenizers import AddedToken, decoders, models, pre_tokenizers, processors

from pellucid.errors import PellucidError
from pellucid.text.families.plain import followed
from pellucid.text.sentencepiece import KINDS, Piece, SentencePiece
from pellucid.text.tokenizer import Tokenizer

TYPES = "tokenizer.ggml.token_type"
# SentencePiece's marks of a piece that stands for no text, and of one that is never cut
CONTROL, OWN = 3, 4

# how a text is cut before its bytes are merged, by the file's own word for it
CUTS: dict[str, list[pre_tokenizers.PreTokenizer]] = {
    "smollm": [pre_tokenizers.Digits(individual_digits=True)],
    "gpt-2": [],
    "default": [],
}


def tokenizer_of(fields: dict[str, Any]) -> Tokenizer:
    """Byte-level merges, as in GPT-2, or SentencePiece's, as in Llama; others are refused."""
    kind, cut = fields.get("tokenizer.ggml.model"), fields.get("tokenizer.ggml.pre", "default")
    pieces, types = fields.get("tokenizer.ggml.tokens"), fields.get(TYPES)
    if not pieces or not types or kind not in ("gpt2", "llama") or cut not in CUTS:
        known = ", ".join(CUTS)
        raise PellucidError(f"it is {kind!r} with {cut!r}; read are 'llama', 'gpt2' with {known}")
    inner = _byte_level(pieces, fields, cut) if kind == "gpt2" else _sentencepiece(fields)
    inner.add_special_tokens([p for p, t in zip(pieces, types, strict=True) if t == CONTROL])
    first, last = (_end(role, fields) for role in ("bos", "eos"))
    if ends := [*first, *last]:
        numbers = [(piece, inner.token_to_id(piece)) for piece in ends]
        form = [*first, "$A", *last]
        inner.post_processor = processors.TemplateProcessing(form, special_tokens=numbers)
    return Tokenizer(inner)


def _end(role: str, fields: dict[str, Any]) -> list[str]:
    """The piece that stands at this end of a text, if one does."""
    usual = role == "bos" and fields["tokenizer.ggml.model"] == "llama"
    if not fields.get(f"tokenizer.ggml.add_{role}_token", usual):
        return []
    pieces: list[str] = fields["tokenizer.ggml.tokens"]
    return [pieces[fields[f"tokenizer.ggml.{role}_token_id"]]]


def _byte_level(pieces: list[str], fields: dict[str, Any], cut: str) -> tokenizers.Tokenizer:
    merges = [tuple(merge.split(" ", 1)) for merge in fields["tokenizer.ggml.merges"]]
    numbers = {piece: number for number, piece in enumerate(pieces)}
    inner = tokenizers.Tokenizer(models.BPE(numbers, merges))
    bytes_last = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    inner.pre_tokenizer = pre_tokenizers.Sequence([*CUTS[cut], bytes_last])
    inner.decoder = decoders.ByteLevel()
    whole = [p for p, t in zip(pieces, fields[TYPES], strict=True) if t == OWN]
    inner.add_tokens([AddedToken(piece, normalized=False) for piece in whole])
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
