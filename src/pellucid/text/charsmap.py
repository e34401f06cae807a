"""SentencePiece's table of characters that are written differently, read as SentencePiece does.

`tokenizers` has one too, but it looks at one visible character at a time and takes the first
entry that fits: of an e with two accents typed one by one it drops the second. Here the longest
entry counts, wherever it ends.
"""

from array import array
from sys import byteorder

from pellucid.errors import PellucidError

Span = tuple[int, int]

LABEL, LEAF, VALUE = 0x800000FF, 0x100, 0x7FFFFFFF  # parts of a unit, as in Darts-clone


class Charsmap:
    """A double-array trie over bytes; its leaves say where the text to write instead begins."""

    def __init__(self, data: bytes) -> None:
        size = int.from_bytes(data[:4], "little")
        table = data[4 : 4 + size]
        self.units = array("I", table[: len(table) // 4 * 4])
        if byteorder == "big":
            self.units.byteswap()
        self.written = data[4 + size :]

    def __call__(self, text: str) -> tuple[str, list[Span]]:
        """The text rewritten; for each character of it, the range of `text` it was made of."""
        out, spans, at = [], [], 0
        while at < len(text):
            end, written = self._longest(text, at)
            out.append(written)
            spans += [(at, end)] * len(written)
            at = end
        return "".join(out), spans

    def _longest(self, text: str, at: int) -> tuple[int, str]:
        """Where the longest entry at this place ends, and what it becomes; or one character."""
        found, unit = (at + 1, text[at]), self.units[0] if self.units else 0
        node = _offset(unit)
        for end in range(at, len(text)):
            for byte in text[end].encode():
                node ^= byte
                unit = self._unit(node)
                if unit & LABEL != byte:
                    return found
                node ^= _offset(unit)
            if unit & LEAF:
                found = end + 1, self._text(self._unit(node) & VALUE)
        return found

    def _unit(self, node: int) -> int:
        return self.units[node] if node < len(self.units) else VALUE

    def _text(self, start: int) -> str:
        end = self.written.find(b"\0", start)
        if end < 0:
            raise PellucidError("The tokenizer's table of characters is damaged; get it afresh.")
        return self.written[start:end].decode(errors="replace")


def _offset(unit: int) -> int:
    return (unit >> 10) << ((unit & 0x200) >> 6)
