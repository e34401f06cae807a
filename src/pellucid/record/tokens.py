"""A text as the model reads it: its pieces, each with the characters it came from."""

from dataclasses import dataclass, replace
from typing import Any

import regex

WHOLE = r"(?<!\w){}(?!\w)"  # for regex, where a letter's marks are letters; to re they are not
SHOWN = {" ": "␣", "\n": "⏎", "\t": "⇥", "\r": "␍"}


@dataclass(frozen=True)
class Tokens:
    """One text and its pieces.

    `offsets` are half-open ranges of characters of `text`; several pieces may share the bytes of
    one character and then have the same range. `special` pieces stand for no characters at all.
    `segments` say of each piece which of two texts it belongs to, where a model is told.
    """

    text: str
    ids: tuple[int, ...]
    pieces: tuple[str, ...]
    offsets: tuple[tuple[int, int], ...]
    special: tuple[bool, ...]
    segments: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    def labels(self) -> list[str]:
        """What a person typed for each piece, spaces visible: `The`, `␣bank`, `🙂 1/2`, `[SEP]`."""
        return [self.label(at) for at in range(len(self))]

    def label(self, at: int) -> str:
        """The characters of one piece; where several pieces share them, which part it is."""
        start, end = self.offsets[at]
        if self.special[at] or start == end:
            return self.pieces[at]
        first, last = self._sharing(at)
        part = f" {at - first + 1}/{last - first + 1}" if last > first else ""
        return "".join(SHOWN.get(letter, letter) for letter in self.text[start:end]) + part

    def _sharing(self, at: int) -> tuple[int, int]:
        """The first and last of the neighbouring pieces that have bytes of the same character."""
        first = last = at
        while first > 0 and self._overlap(first - 1, first):
            first -= 1
        while last + 1 < len(self) and self._overlap(last, last + 1):
            last += 1
        return first, last

    def _overlap(self, a: int, b: int) -> bool:
        (a_start, a_end), (b_start, b_end) = self.offsets[a], self.offsets[b]
        shared = max(a_start, b_start) < min(a_end, b_end)
        return shared and not self.special[a] | self.special[b]

    def find(self, word: str) -> list[int]:
        """The pieces that carry the word, wherever it stands; or those with such a label."""
        typed = regex.escape(word)
        for pattern in (WHOLE.format(typed), typed):  # better not within another word
            spans = [found.span() for found in regex.finditer(pattern, self.text) if word]
            if carriers := [at for at in range(len(self)) if self._carries(at, spans)]:
                return carriers
        return [at for at, label in enumerate(self.labels()) if label.strip("␣") == word]

    def _carries(self, at: int, spans: list[tuple[int, int]]) -> bool:
        start, end = self.offsets[at]
        return not self.special[at] and any(a < end and start < b for a, b in spans)

    def after(self, number: int, piece: str) -> "Tokens":
        """The same after a special piece."""
        return replace(
            self,
            ids=(number, *self.ids),
            pieces=(piece, *self.pieces),
            offsets=((0, 0), *self.offsets),
            special=(True, *self.special),
            segments=self.segments[:1] + self.segments,
        )

    def upto(self, count: int) -> "Tokens":
        """The first so many pieces; the text stays."""
        return replace(
            self,
            ids=self.ids[:count],
            pieces=self.pieces[:count],
            offsets=self.offsets[:count],
            special=self.special[:count],
            segments=self.segments[:count],
        )

    def to_json(self) -> dict[str, Any]:
        """The tokens as plain data."""
        return dict(vars(self))

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Tokens":
        """The inverse of `to_json`; what does not fit together is refused."""
        text = str(data["text"])
        parts = zip(data["ids"], data["pieces"], data["offsets"], data["special"], strict=True)
        ids, pieces, offsets, special = zip(*parts, strict=True)
        if not all(0 <= start <= end <= len(text) for start, end in offsets):
            raise ValueError("a piece of no characters of the text")
        return cls(
            text=text,
            ids=tuple(map(int, ids)),
            pieces=tuple(map(str, pieces)),
            offsets=tuple((int(start), int(end)) for start, end in offsets),
            special=tuple(map(bool, special)),
            segments=tuple(map(int, data.get("segments", ()))),
        )
