"""What T5, ALBERT and XLM-RoBERTa share: SentencePiece's Unigram model within words."""

from collections.abc import Iterable, Sequence

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers

from pellucid.text.recipe import Special
from pellucid.text.sentencepiece import Piece, SentencePiece

FILES = (("spiece.model",), ("sentencepiece.bpe.model",), ("tokenizer.model",))


def in_words(pieces: Sequence[Piece], *, prefix: bool = True) -> Tokenizer:
    """The likeliest pieces of each word; `prefix` puts a space in front of every word."""
    scores = [(piece.text, piece.score) for piece in pieces]
    unknown = [piece.kind for piece in pieces].index("unknown")
    inner = Tokenizer(models.Unigram(scores, unknown, byte_fallback=False))
    scheme = "always" if prefix else "never"
    inner.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme=scheme)]
    )
    inner.decoder = decoders.Metaspace(prepend_scheme=scheme)
    return inner


def rewriting(model: SentencePiece) -> list[normalizers.Normalizer]:
    """The model's own way of writing characters differently, if it has one."""
    return [normalizers.Precompiled(model.charsmap)] if model.charsmap else []


def mark(inner: Tokenizer, pieces: Iterable[Piece], special: Special) -> None:
    """Let pieces that stand for no text, and those asked for, be found before anything is cut."""
    named = {token.content for token in special.values()}
    inner.add_tokens(
        [
            AddedToken(
                piece.text,
                normalized=False,
                special=piece.kind == "control" or piece.text in named,
            )
            for piece in pieces
            if piece.kind in ("control", "own")
        ]
    )
