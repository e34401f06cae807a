"""Token labels as Matplotlib can draw them: a letter that no font has is written as its number."""

from functools import cache
from pathlib import Path

from matplotlib import font_manager
from matplotlib.font_manager import FontProperties
from matplotlib.ft2font import FT2Font

from pellucid.record.trace import Trace
from pellucid.views.labels import printable
from pellucid.views.plots.style import settings

LONGEST = 24  # letters of a label
INVISIBLE = {"\u200c", "\u200d", "\u200e", "\u200f", "\ufe0e", "\ufe0f"}  # join and direct


def tokens(trace: Trace, name: str, axis: str, sentence: int) -> list[str] | None:
    """The labels along an axis that stands for tokens."""
    found = trace.tokens(name, axis, sentence)
    return None if found is None else [label(text) for text in found.labels()]


def label(text: str, longest: int = LONGEST) -> str:
    """One word: cut with … where it is long, its dollar signs no mathematics."""
    shown = drawable(printable(text))
    cut = shown if len(shown) <= longest else shown[: longest - 1] + "…"
    return cut.replace("$", r"\$")


def drawable(text: str) -> str:
    """The text with letters that no font here has as <1F642>."""
    return "".join(x if x in INVISIBLE or _has(x) else f"<{ord(x):04X}>" for x in text)


def _has(letter: str) -> bool:
    return any(_knows(family, letter) for family in settings()["font.family"])


def _knows(family: str, letter: str) -> bool:
    return ord(letter) in _letters(_path(family))


@cache
def _path(family: str) -> Path:
    return Path(font_manager.findfont(FontProperties(family=[family])))


@cache
def _letters(font: Path) -> frozenset[int]:
    return frozenset(FT2Font(str(font)).get_charmap())
