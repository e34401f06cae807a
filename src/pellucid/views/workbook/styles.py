"""How cells look: what is typed in is blue, what follows is black, what compares is grey."""

import math
from collections.abc import Iterable
from typing import Any

from xlsxwriter import Workbook
from xlsxwriter.format import Format

from pellucid.formula.sheet import LOWEST

INK, FAINT, TYPED, RULE = "#22242c", "#7d8391", "#1f4fbf", "#d5d8e0"
POSITIVE, NEGATIVE, ZERO = "#ffb054", "#68beff", "#ffffff"  # as in the terminal and on the page
HIDDEN = '[<-1E+299]"−∞";{}'  # the lowest number stands for what no cell can hold

A4 = 9  # paper, as XlsxWriter numbers it
LEAST = float(LOWEST)

BASE: dict[str, Any] = {"font_name": "Arial", "font_size": 10, "font_color": INK}
WORDS = BASE | {"bold": True, "bg_color": "#eef0f5", "border": 1, "border_color": RULE}
NUMBER = BASE | {"align": "right"}
STYLES: dict[str, dict[str, Any]] = {
    "title": BASE | {"bold": True, "font_size": 16},
    "shows": BASE | {"italic": True, "font_color": FAINT},
    "caption": BASE | {"bold": True},
    "aside": BASE | {"font_color": FAINT},
    "row": WORDS | {"align": "left"},
    "column": WORDS | {"align": "right"},
    "text": BASE,
    "wrapped": BASE | {"text_wrap": True, "valign": "top"},
    "link": BASE | {"font_color": TYPED, "underline": 1},
    "check": BASE | {"font_size": 8, "font_color": FAINT, "num_format": '"Δ "0.0E+00'},
    "worst": BASE | {"bold": True, "font_size": 14, "num_format": "0.0E+00", "align": "left"},
    "difference": NUMBER | {"font_color": FAINT, "num_format": "0.0E+00;-0.0E+00;0"},
}
KINDS = {"result": NUMBER, "typed": NUMBER | {"font_color": TYPED}}
KINDS["own"] = NUMBER | {"font_color": FAINT}


class Styles:
    """The formats of a workbook, each made once."""

    def __init__(self, book: Workbook) -> None:
        self._book = book
        self._made: dict[tuple[str, str], Format] = {}

    def __getitem__(self, name: str) -> Format:
        return self._make(name, STYLES[name], "")

    @property
    def hidden(self) -> dict[str, Any]:
        """The rule that what is −∞ is grey, whatever the colours around it say."""
        grey = self._make("hidden", {"bg_color": RULE, "font_color": FAINT}, "")
        limit = {"type": "cell", "criteria": "<=", "value": LOWEST}
        return limit | {"format": grey, "stop_if_true": True}

    def number(self, kind: str, numbers: Iterable[float], *, exact: bool) -> Format:
        """For these numbers, typed in, computed, or the model's own; exact ones are whole."""
        return self._make(kind, KINDS[kind], "0" if exact else digits(list(numbers)))

    def _make(self, name: str, properties: dict[str, Any], digits: str) -> Format:
        if (name, digits) not in self._made:
            numbers = {"num_format": digits} if digits else {}
            self._made[name, digits] = self._book.add_format(properties | numbers)
        return self._made[name, digits]


def digits(numbers: list[float]) -> str:
    """A number format: about four digits of the largest, and −∞ by its sign."""
    finite = [abs(x) for x in numbers if math.isfinite(x) and x > LEAST]
    written = decimals(max(finite, default=0.0))
    return written if len(finite) == len(numbers) else HIDDEN.format(written)


def decimals(largest: float) -> str:
    """As many decimals as show about four digits of the largest number."""
    if largest == 0:
        return "0"
    if not 1e-3 <= largest < 1e5:
        return "0.00E+00"
    return "0." + "0" * max(1, 4 - max(0, math.floor(math.log10(largest))))


def heat(numbers: Iterable[float]) -> dict[str, Any] | None:
    """Colours from blue below zero to orange above; none where all is zero."""
    finite = (abs(x) for x in numbers if math.isfinite(x) and x > LEAST)
    largest = max(finite, default=0.0)
    if not largest:
        return None
    scale = {"min": (-largest, NEGATIVE), "mid": (0, ZERO), "max": (largest, POSITIVE)}
    return {"type": "3_color_scale"} | {
        f"{end}_{key}": value
        for end, (number, colour) in scale.items()
        for key, value in (("type", "num"), ("value", number), ("color", colour))
    }
