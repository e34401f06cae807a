"""A text as the model reads it: its pieces, each with the characters it came from."""

from dataclasses import dataclass
from typing import Any

SHOWN = {" ": "␣", "\n": "⏎", "\t": "⇥", "\r": "␍"}


@dataclass(frozen=True)
class Tokens:
    """One text and its pieces.

    `offsets` are half-open ranges of characters of `text`; several pieces may share the bytes of
    one character and then have the same range. `special` pieces stand for no characters at all.
    """

    text: str
    ids: tuple[int, ...]
    pieces: tuple[str, ...]
    offsets: tuple[tuple[int, int], ...]
    special: tuple[bool, ...]

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
        """The first and last of the neighbouring pieces that have the same characters."""
        first = last = at
        while first > 0 and self._same(first - 1, at):
            first -= 1
        while last + 1 < len(self) and self._same(last + 1, at):
            last += 1
        return first, last

    def _same(self, a: int, b: int) -> bool:
        return self.offsets[a] == self.offsets[b] and not self.special[a]

    def find(self, word: str) -> list[int]:
        """The pieces that carry the word (as typed, or as a piece's own label)."""
        by_label = [at for at, label in enumerate(self.labels()) if label.strip("␣") == word]
        start = self.text.find(word)
        if by_label or start < 0 or not word:
            return by_label
        return [
            at
            for at, (a, b) in enumerate(self.offsets)
            if a < start + len(word) and b > start and not self.special[at]
        ]

    def to_json(self) -> dict[str, Any]:
        """The tokens as plain data."""
        return dict(vars(self))

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Tokens":
        """The inverse of `to_json`."""
        return cls(
            text=data["text"],
            ids=tuple(data["ids"]),
            pieces=tuple(data["pieces"]),
            offsets=tuple((start, end) for start, end in data["offsets"]),
            special=tuple(data["special"]),
        )
