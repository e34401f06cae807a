"""SentencePiece's model file, read directly: its pieces, and how it prepares text.

The file is one protocol buffer (sentencepiece_model.proto of google/sentencepiece); read are
only the fields that decide how text is cut.
"""

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pellucid.errors import PellucidError
from pellucid.text.protobuf import fields

SPACE = "▁"  # what a space looks like inside a piece
KINDS = {1: "normal", 2: "unknown", 3: "control", 4: "own", 5: "unused", 6: "byte"}
ALGORITHMS = {1: "unigram", 2: "bpe"}


@dataclass(frozen=True)
class Piece:
    """A piece of the vocabulary; one of kind "own" was asked for, and is never cut."""

    text: str
    score: float
    kind: str


@dataclass(frozen=True)
class SentencePiece:
    """A model: its pieces in the order of their ids, and how text is prepared.

    `charsmap` is the compiled table of characters that are written differently.
    """

    pieces: tuple[Piece, ...]
    algorithm: str
    spells_bytes: bool  # what no piece spells is spelled byte by byte
    charsmap: bytes
    prefixed: bool  # a space is put in front of the text
    squeezed: bool  # spaces at both ends go; of several in a row one stays

    @property
    def unknown(self) -> int:
        """The id that stands for what no piece spells."""
        return [piece.kind for piece in self.pieces].index("unknown")

    @property
    def ranked(self) -> list[str]:
        """The pieces that merging may make, best first."""
        normal = [piece for piece in self.pieces if piece.kind == "normal"]
        return [piece.text for piece in sorted(normal, key=lambda piece: -piece.score)]

    def of_kind(self, *kinds: str) -> list[Piece]:
        """The pieces of these kinds."""
        return [piece for piece in self.pieces if piece.kind in kinds]


def merges(words: Iterable[str]) -> list[tuple[str, str]]:
    """The pairs that make these words of one another, in the order of the words."""
    known = dict.fromkeys(words)
    return [
        (word[:at], word[at:])
        for word in known
        for at in range(1, len(word))
        if word[:at] in known and word[at:] in known
    ]


def read_sentencepiece(path: Path) -> SentencePiece:
    """The model in a file such as spiece.model, tokenizer.model or source.spm."""
    try:
        return _model(path.read_bytes())
    except (ValueError, LookupError, TypeError, AttributeError, struct.error) as error:
        raise PellucidError(
            f"{path} is no SentencePiece model that can be read ({error})."
        ) from None


def _model(data: bytes) -> SentencePiece:
    parts = list(fields(data))
    messages = {number: dict(fields(value)) for number, value in parts if number in (2, 3)}
    trainer, normalizer = messages.get(2, {}), messages.get(3, {})
    if trainer.get(3, 1) not in ALGORITHMS:
        raise ValueError("it cuts into words or characters; read are unigram and BPE models")
    model = SentencePiece(
        pieces=tuple(_piece(dict(fields(value))) for number, value in parts if number == 1),
        algorithm=ALGORITHMS[trainer.get(3, 1)],
        spells_bytes=bool(trainer.get(35, False)),
        charsmap=normalizer.get(2, b""),
        prefixed=bool(normalizer.get(3, True)),
        squeezed=bool(normalizer.get(4, True)),
    )
    if not model.of_kind("unknown"):
        raise ValueError("it has no piece for the unknown")
    return model


def _piece(part: dict[int, Any]) -> Piece:
    (score,) = struct.unpack("<f", part.get(2, bytes(4)))
    return Piece(part[1].decode(), score, KINDS[part.get(3, 1)])
