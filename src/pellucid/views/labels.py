"""Words for a terminal: what cannot be printed made visible, and cut to a number of cells."""

import re
import unicodedata
from dataclasses import dataclass

from rich.cells import cell_len, split_graphemes

from pellucid.record.tokens import SHOWN, Tokens

LEFT_TO_RIGHT = "\u200e"  # a mark of no width: what follows does not join the word before it
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]+")  # Hebrew to Arabic
CARRIER = "◌"  # what a combining mark without its letter stands on
JOINERS = {"\u200c", "\u200d", LEFT_TO_RIGHT, "\u200f"}  # these belong to emoji and to scripts


def printable(text: str) -> str:
    """The text without anything that would move the cursor or turn the direction of writing."""
    return "".join(map(_visible, text))


def _visible(letter: str) -> str:
    category, code = unicodedata.category(letter), ord(letter)
    if code < 0x20 or code == 0x7F:
        return chr(0x2400 + code) if code < 0x20 else "␡"
    hidden = category in ("Cc", "Cs", "Zl", "Zp") or (category == "Cf" and letter not in JOINERS)
    return f"<{code:04X}>" if hidden else letter


def label(text: str) -> str:
    """A word that stands alone between others, whatever it is made of."""
    shown = printable(text)
    if unicodedata.combining(shown[:1] or " "):
        shown = CARRIER + shown
    return RIGHT_TO_LEFT.sub(rf"\g<0>{LEFT_TO_RIGHT}", shown)


def spaced(text: str) -> str:
    """The same with its spaces visible."""
    return label("".join(SHOWN.get(letter, letter) for letter in text))


def cut(text: str, width: int) -> str:
    """At most `width` cells, with … where something is left out."""
    if cell_len(text) <= width:
        return text
    taken, room = "", width - 1
    for start, end, cells in split_graphemes(text)[0]:
        if cells > room:
            break
        taken, room = taken + text[start:end], room - cells
    return taken + "…" if width > 0 else ""


def left(text: str, width: int) -> str:
    """Cut or filled up to exactly `width` cells, the text at the left."""
    shown = cut(text, width)
    return shown + " " * (width - cell_len(shown))


def right(text: str, width: int) -> str:
    """Cut or filled up to exactly `width` cells, the text at the right."""
    shown = cut(text, width)
    return " " * (width - cell_len(shown)) + shown


@dataclass(frozen=True)
class Chip:
    """What a person typed in one go, `text[a:b]`, though the model may read several pieces."""

    label: str
    ids: tuple[int, ...]
    span: tuple[int, int]
    special: bool


def chips(tokens: Tokens) -> list[Chip]:
    """The tokens as typed: pieces that share the bytes of a character are one."""
    groups: list[list[int]] = []
    for at in range(len(tokens)):
        if at and _shared(tokens, at - 1, at):
            groups[-1].append(at)
        else:
            groups.append([at])
    return [_chip(tokens, group) for group in groups]


def _shared(tokens: Tokens, a: int, b: int) -> bool:
    special = tokens.special[a] or tokens.special[b]
    return not special and tokens.offsets[b][0] < tokens.offsets[a][1]


def _chip(tokens: Tokens, group: list[int]) -> Chip:
    first, last = group[0], group[-1]
    alone = first == last
    start, end = tokens.offsets[first][0], tokens.offsets[last][1]
    typed = label(tokens.label(first)) if alone else spaced(tokens.text[start:end])
    ids = tuple(tokens.ids[at] for at in group)
    return Chip(typed, ids, (start, end), tokens.special[first])
