"""How a text becomes pieces, step by step: what the `tokenizers` library did, made visible.

for word in Steps(tokenizer).words("unbelievably 🙂"):
    word.text, word.start, word.end     # what the model was given, and which characters it is
    word.cut.steps, word.cut.pieces     # merges, matches, or the edges of a lattice; the result

The steps are done again here, so they are compared with what the library did, for every text.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

import tokenizers
from tokenizers import models

from pellucid.errors import PellucidError
from pellucid.text.cutting import WAYS, Cut, Piece, Way
from pellucid.text.tokenizer import Span, Tokenizer

NEVER = "\U0010ffff"  # is in no text; a word of it
BYTE = re.compile(r"<0x([0-9A-F]{2})>")  # SentencePiece's way to write one


@dataclass(frozen=True)
class Word:
    """What the model is given at once, `text`; it was made of these characters, and cut so."""

    text: str
    start: int
    end: int
    cut: Cut


class Steps:
    """A tokenizer's way from a text to its pieces."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer, self.inner = tokenizer, tokenizer.inner
        self.described: dict[str, Any] = json.loads(self.inner.to_str())

    def words(self, text: str) -> list[Word]:
        """The text's words in order with their steps; special pieces that were typed are none."""
        parts = self.tokenizer.given(self.tokenizer.encode(text).text)
        return [word for given, spans in parts for word in self._words(given, spans)]

    def _words(self, given: str, spans: list[Span]) -> Iterator[Word]:
        found = self.whole.encode(given, add_special_tokens=False)
        shown: list[Piece] = []
        for (word, number), (start, end) in zip(_pieces(found), found.offsets, strict=True):
            if number != self._word:  # a special piece, found before the model begins
                shown.append((word, number))
                continue
            shown.extend((cut := self.way(word)).pieces)
            inside = spans[start:end] or [(start, start)]
            yield Word(word, inside[0][0], inside[-1][1], cut)
        self._compare(given, shown)

    def spelled(self, piece: str) -> str:
        """What a piece spells: bytes joined to characters, `\\xf0` where they are none yet."""
        if byte := BYTE.fullmatch(piece):
            return _readable(bytes.fromhex(byte[1]))
        if "ByteLevel" not in json.dumps(self.described["decoder"]):
            return piece
        return _readable(b"".join(map(_byte, piece)))

    @cached_property
    def way(self) -> Way:
        """How its model cuts a word."""
        return WAYS[self.described["model"]["type"]](self.described["model"])

    @cached_property
    def whole(self) -> tokenizers.Tokenizer:
        """The same tokenizer up to where its model begins: its pieces are the words themselves.

        Its model knows no piece, and takes what it does not know as one unknown, spelled out.
        """
        whole = tokenizers.Tokenizer.from_str(json.dumps(self.described))
        nothing = [(f"{NEVER}{number}", 0.0) for number in range(self._word)]
        whole.model = models.Unigram([*nothing, (NEVER, 0.0)], self._word, byte_fallback=False)
        return whole

    @cached_property
    def _word(self) -> int:
        """The id of a word: one that no piece has which is found before the model begins."""
        added = self.inner.get_added_tokens_decoder()
        return next(number for number in count() if number not in added)

    def _compare(self, given: str, ours: list[Piece]) -> None:
        """Whether the steps led to what the library says."""
        theirs = list(_pieces(self.inner.encode(given, add_special_tokens=False)))
        if ours != theirs:
            raise PellucidError(
                f"The steps of this tokenizer are not known: it cuts {given!r} into "
                f"{_listed(theirs)}, where {_listed(ours)} were expected."
            )


def _pieces(encoding: tokenizers.Encoding) -> Iterator[Piece]:
    return zip(encoding.tokens, encoding.ids, strict=True)


def _listed(pieces: list[Piece]) -> str:
    return ", ".join(piece for piece, _ in pieces)


def _byte(letter: str) -> bytes:
    """The byte that a letter stands for; it may stand for none, in a special piece."""
    return BYTES.get(letter) or letter.encode()


def _readable(data: bytes) -> str:
    return data.decode(errors="backslashreplace")


def _byte_letters() -> dict[str, bytes]:
    """GPT-2's letters for bytes: themselves if they can be seen, else those from 256 on."""
    seen = [*range(33, 127), *range(161, 173), *range(174, 256)]
    unseen = [byte for byte in range(256) if byte not in seen]
    letters = {chr(byte): byte for byte in seen}
    letters |= {chr(256 + at): byte for at, byte in enumerate(unseen)}
    return {letter: bytes([byte]) for letter, byte in letters.items()}


BYTES = _byte_letters()
