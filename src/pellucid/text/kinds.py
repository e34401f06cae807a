"""The kinds of tokenizer that can be trained: how each is made, and how it learns its pieces.

The `tokenizers` library learns. What it leaves to chance is settled here, so that the same texts
always give the same pieces, with the same ids and scores.
"""

import json
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from pellucid.errors import UsageError
from pellucid.text.sentencepiece import SPACE

KindName = Literal["bpe", "wordpiece", "unigram", "words", "characters"]
Texts = Iterable[str]
Special = Mapping[str, str]  # special pieces by role

WITHIN = "##"  # WordPiece's mark of a piece that continues a word
APART = ("CJK UNIFIED", "CJK COMPATIBILITY")  # BERT cuts before and behind each of these letters
DIGITS = 6  # of Unigram's scores; what comes behind differs from run to run
STEP = 1e-4  # between the scores of letters that earned none


@dataclass(frozen=True)
class Kind:
    """One kind: its special pieces, and a function that learns at most so many pieces of texts.

    `single` and `pair` say which special pieces stand around a text, and around two. `loses`
    names what does not come back when ids are turned into text again.
    """

    special: Special
    learn: Callable[[Texts, int, Special], Tokenizer]
    loses: str = ""
    single: str = ""
    pair: str = ""


def byte_pairs(texts: Texts, size: int, special: Special) -> Tokenizer:
    """GPT-2's: the bytes of words merged. Every byte is a piece, so nothing is unknown."""
    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    return _learnt(inner, texts, trainers.BpeTrainer, size, special, initial_alphabet=alphabet)


def words_in_pieces(texts: Texts, size: int, special: Special) -> Tokenizer:
    """BERT's: WordPiece, capitals and accents kept.

    The library numbers the letters within words in an order of chance, and between pairs that
    are as frequent the numbers decide. So it gets all letters beforehand, numbered; of these
    stay the ones that the texts have, each at a word's beginning and within.
    """
    inner = Tokenizer(models.WordPiece(unk_token=special["unk_token"]))
    inner.normalizer = normalizers.BertNormalizer(lowercase=False)
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    inner.decoder = decoders.WordPiece(prefix=WITHIN)
    every = {letter: WITHIN + letter for letter in letters_within()}
    _learnt(inner, texts, trainers.WordPieceTrainer, size + len(every), {**special, **every})
    ids = inner.get_vocab()
    absent = {piece for letter, piece in every.items() if letter not in ids}
    kept = [piece for piece in sorted(ids, key=ids.__getitem__) if piece not in absent]
    alone = sum(len(piece.removeprefix(WITHIN)) == 1 for piece in kept) + _count(special)
    return _like(inner, models.WordPiece(_numbered(kept[: max(size, alone)]), **_unknown(special)))


@cache
def letters_within() -> tuple[str, ...]:
    """Every letter, mark, digit and sign that can stand within a word."""
    every = map(chr, range(sys.maxunicode + 1))
    kinds = (letter for letter in every if unicodedata.category(letter)[0] in "LMNS")
    return tuple(each for each in kinds if not unicodedata.name(each, "").startswith(APART))


def likeliest(texts: Texts, size: int, special: Special) -> Tokenizer:
    """T5's: Unigram. A space before the text, taken away again, lets its first word look usual."""
    inner = Tokenizer(models.Unigram())
    inner.normalizer = normalizers.Prepend(SPACE)
    inner.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never")
    inner.decoder = decoders.Sequence(
        [decoders.Replace(SPACE, " "), decoders.Fuse(), decoders.Strip(" ", left=1)]
    )
    _learnt(inner, texts, trainers.UnigramTrainer, size, special, **_unknown(special))
    first = list(dict.fromkeys(special.values()))
    learnt = dict(json.loads(inner.to_str())["model"]["vocab"])
    scores = {piece: score for piece, score in learnt.items() if piece not in first}
    pieces = [*((piece, 0.0) for piece in first), *settled(scores)]
    return _like(inner, models.Unigram(pieces, first.index(special["unk_token"]), False))


def settled(scores: Mapping[str, float]) -> list[tuple[str, float]]:
    """Unigram's pieces with their scores, the best first, and nothing in them left to chance.

    Letters that earned no score get some below all others, in an order of chance; here it is the
    order of the letters.
    """
    letters = [piece for piece in scores if len(piece) == 1]
    worst = min(scores.values(), default=0.0) + STEP * len(letters)
    low = sorted(letter for letter in letters if scores[letter] < worst)
    ordered = sorted((scores[letter] for letter in low), reverse=True)
    all_scores = {**scores, **dict(zip(low, ordered, strict=True))}
    rounded = [(piece, round(score, DIGITS)) for piece, score in all_scores.items()]
    return sorted(rounded, key=lambda entry: (-entry[1], entry[0]))


def whole_words(texts: Texts, size: int, special: Special) -> Tokenizer:
    """The most frequent words and signs, each a piece."""
    inner = Tokenizer(models.WordLevel({}, **_unknown(special)))
    inner.pre_tokenizer = pre_tokenizers.Whitespace()
    return _learnt(inner, texts, trainers.WordLevelTrainer, size, special)


def characters(texts: Texts, size: int, special: Special) -> Tokenizer:
    """The most frequent characters, each a piece; a space is one like others."""
    inner = Tokenizer(models.WordLevel({}, **_unknown(special)))
    inner.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    inner.decoder = decoders.Fuse()
    return _learnt(inner, texts, trainers.WordLevelTrainer, size, special)


KINDS: dict[KindName, Kind] = {
    "bpe": Kind(
        {"pad_token": "<pad>", "bos_token": "<|endoftext|>", "eos_token": "<|endoftext|>"},
        byte_pairs,
    ),
    "wordpiece": Kind(
        {
            "pad_token": "[PAD]",
            "unk_token": "[UNK]",
            "cls_token": "[CLS]",
            "sep_token": "[SEP]",
            "mask_token": "[MASK]",
        },
        words_in_pieces,
        "how words were spaced, control characters, and words with a letter that is no piece",
        "cls $A sep",
        "cls $A sep $B:1 sep:1",
    ),
    "unigram": Kind(
        {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"},
        likeliest,
        "letters that the texts did not have, and a ▁, which becomes a space",
        "$A eos",
        "$A eos $B eos",
    ),
    "words": Kind(
        {"pad_token": "<pad>", "unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"},
        whole_words,
        "how words were spaced, and words that are no piece",
    ),
    "characters": Kind(
        {"pad_token": "<pad>", "unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"},
        characters,
        "characters that are no piece",
    ),
}


def _learnt(
    inner: Tokenizer, texts: Texts, trainer: Any, size: int, special: Special, **further: Any
) -> Tokenizer:
    """The library's work."""
    first = list(dict.fromkeys(special.values()))
    settings = {"vocab_size": size, "special_tokens": first, "show_progress": False}
    try:
        inner.train_from_iterator(texts, trainer(**settings, **further))
    except Exception as error:  # the library raises nothing more special
        if "not large enough" in str(error):
            raise too_small(size) from error
        raise
    return inner


def _like(inner: Tokenizer, model: models.Model) -> Tokenizer:
    """A tokenizer with this model, and all else but the special pieces as in `inner`."""
    fresh = Tokenizer(model)
    fresh.normalizer, fresh.pre_tokenizer = inner.normalizer, inner.pre_tokenizer
    fresh.decoder = inner.decoder
    return fresh


def too_small(size: int, least: int | None = None) -> UsageError:
    """What is said where not even the letters fit."""
    known = "" if least is None else f", which are {least:,}"
    return UsageError(
        f"A vocabulary of {size:,} is too small for the special pieces and single letters "
        f"alone{known}; give more, better some thousands."
    )


def _unknown(special: Special) -> dict[str, str]:
    return {"unk_token": special["unk_token"]}


def _numbered(pieces: Iterable[str]) -> dict[str, int]:
    return {piece: number for number, piece in enumerate(pieces)}


def _count(special: Special) -> int:
    return len(set(special.values()))
