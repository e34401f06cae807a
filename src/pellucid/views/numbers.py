"""Numbers in columns: as many digits as there is room for, and a colour for each."""

import math
import re
from collections.abc import Callable, Iterable
from functools import cache

from rich.style import Style

Write = Callable[[float], str]

# blue and orange are told apart by nearly everybody; dark is near zero, light is far from it
PANEL, POSITIVE, NEGATIVE = (26, 27, 34), (255, 176, 84), (104, 190, 255)
DARK, LIGHT = "#08080a", "#e4e6ec"
NAME = Style(color="#d57f2a", bold=True)  # readable on black and on white
LEVELS = 12
HIDDEN = Style(color="#9297a4", bgcolor=f"#{bytes(PANEL).hex()}")


def writer(numbers: Iterable[float], most: int) -> Write:
    """How to write these numbers alike: no more decimals than they have, at most about `most`."""
    finite = [abs(x) for x in numbers if math.isfinite(x)]
    largest = max(finite, default=0.0)
    if largest and not 1e-3 <= largest < 1e5:
        return lambda x: _with_power(x, most - 1)
    power = math.floor(math.log10(largest)) if largest else 0
    decimals = max(0, most - max(power - 1, 0) + max(-1 - power, 0))
    needed = max((len(f"{x:.6f}".rstrip("0").partition(".")[2]) for x in finite), default=0)
    return lambda x: _plain(x, min(decimals, needed))


def _plain(x: float, decimals: int) -> str:
    return _infinite(x) or _signed(f"{x:.{decimals}f}")


def _with_power(x: float, decimals: int) -> str:
    return _infinite(x) or _signed(re.sub(r"e(?:\+|(-))0*", r"e\1", f"{x:.{decimals}e}"))


def _infinite(x: float) -> str:
    return "" if math.isfinite(x) else {"inf": "∞", "-inf": "−∞"}.get(str(x), "NaN")


def _signed(written: str) -> str:
    """A true minus sign, and none before a zero."""
    return (written if re.search("[1-9]", written) else written.lstrip("-")).replace("-", "−")


def shade(x: float, largest: float) -> Style:
    """The colours of a number's cell: bluer below zero, more orange above."""
    if not math.isfinite(x) or not largest:
        return HIDDEN
    return _shade(round(x / largest * LEVELS))


@cache
def _shade(level: int) -> Style:
    share = min(abs(level) / LEVELS, 1.0) ** 0.8
    hue = POSITIVE if level > 0 else NEGATIVE
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(PANEL, hue, strict=True))
    bright = 0.30 * red + 0.59 * green + 0.11 * blue > 110  # as the eye sees it, of 255
    return Style(color=DARK if bright else LIGHT, bgcolor=f"#{red:02x}{green:02x}{blue:02x}")
