"""How figures look: a few defaults, which rcParams and a style dict both overrule."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.colors import LinearSegmentedColormap

# fonts for letters that the first has not: one is taken from another, as far as they are there
FALLBACK = (
    "DejaVu Sans",
    "Noto Sans",
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "Droid Sans Fallback",
    "Source Han Sans",
    "WenQuanYi Zen Hei",
    "Hiragino Sans",
    "PingFang SC",
    "Microsoft YaHei",
    "Noto Sans Hebrew",
    "Noto Naskh Arabic",
    "Noto Sans Arabic",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
    "Noto Emoji",
    "Segoe UI Emoji",
    "Segoe UI Symbol",
    "Symbola",
    "Arial Unicode MS",
)
POSITIVE, NEGATIVE = "#d9822b", "#2f7fc1"  # orange and blue, told apart by nearly everybody
WEIGHTS = LinearSegmentedColormap.from_list("pellucid", ["#ffffff", "#ffb054", "#7a3b00"])
SIGNED = LinearSegmentedColormap.from_list(
    "pellucid signed", ["#0b3d66", "#68beff", "#ffffff", "#ffb054", "#7a3b00"]
)

# colours; inches of a cell, and of one in the overview; how many matrices stand in a row
OWN: dict[str, Any] = {
    "weights": WEIGHTS,
    "signed": SIGNED,
    "cell": 0.24,
    "tile": 0.05,
    "across": 4,
}
STYLE: dict[str, Any] = {
    "font.size": 9.0,
    "axes.titlesize": 9.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.titlesize": 11.0,
    "savefig.dpi": 200.0,
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
}

Style = Mapping[str, Any]


@contextmanager
def styled(style: Style | None) -> Iterator[dict[str, Any]]:
    """Within, Matplotlib draws in our style; what somebody has set before is left as it is.

    A style has rcParams, and colours and sizes of our own (`OWN`), which are given back.
    """
    wanted, now = dict(style or {}), settings()
    own = {key: wanted.pop(key, value) for key, value in OWN.items()}
    untouched: Any = mpl.rcParamsDefault
    ours = {key: value for key, value in STYLE.items() if now[key] == untouched[key]}
    family = wanted.pop("font.family", now["font.family"])
    first = [family] if isinstance(family, str) else list(family)
    drawn: Any = {**ours, **wanted, "font.family": [*first, *fonts()]}
    with mpl.rc_context(drawn):
        yield own


def settings() -> Any:
    """Matplotlib's settings as they are now."""
    return mpl.rcParams


@cache
def fonts() -> tuple[str, ...]:
    """The fonts of the list that this machine has."""
    there = set(font_manager.get_font_names())
    return tuple(name for name in FALLBACK if name in there)
