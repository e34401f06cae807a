"""Rows of a word, a number and a bar."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from pellucid.views.labels import cut, left, right
from pellucid.views.lines import FAINT
from pellucid.views.numbers import NEGATIVE, POSITIVE

LEAST = 8  # cells that a bar needs beside an aside
EIGHTHS = " ▏▎▍▌▋▊▉"
COLOURS = {sign: Style(color=f"#{bytes(of).hex()}") for sign, of in ((1, POSITIVE), (-1, NEGATIVE))}


@dataclass(frozen=True)
class Bar:
    """One row: what it is, its size (the bar), the size as it is written, and what else to say."""

    label: str
    size: float
    written: str
    aside: str = ""


def bars(rows: Sequence[Bar], width: int) -> Iterator[Text]:
    """The rows in so many cells; the longest bar has the largest size."""
    if not rows:
        return
    labels = min(max(cell_len(row.label) for row in rows), width // 2)
    numbers = max(cell_len(row.written) for row in rows)
    left_over = width - labels - numbers - 4
    asides = min(max(cell_len(row.aside) for row in rows), width // 3)
    asides = asides if asides + LEAST < left_over else 0  # a bar says more than an aside
    room = max(left_over - asides - (asides > 0), 0)
    longest = max((abs(row.size) for row in rows if isfinite(row.size)), default=0.0) or 1.0
    for row in rows:
        line = Text(f"{left(row.label, labels)}  {right(row.written, numbers)}  ")
        drawn = bar(abs(row.size) / longest, room)
        line.append(left(drawn, room), COLOURS[1 if row.size >= 0 else -1])
        yield line.append(f" {cut(row.aside, asides)}" if asides else "", FAINT)


def largest(rows: Mapping[str, float], count: int) -> dict[str, float]:
    """So many of the rows, the largest, in the order they had."""
    chosen = sorted(rows, key=lambda name: -abs(rows[name]))[:count]
    return {name: size for name, size in rows.items() if name in chosen}


def bar(share: float, cells: int) -> str:
    """A bar of so many cells at most, to an eighth of a cell; none for what is no number."""
    eighths = round(share * cells * 8) if isfinite(share) else 0
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()


def percent(share: float) -> str:
    """A share with its sign: +12.3 %, −4.0 %; none has no sign."""
    written = f"{share:+.1%}".replace("-", "−").replace("%", " %")
    return "0.0 %" if written[1:] == "0.0 %" else written


def placed(place: str, what: str) -> str:
    """Where something was added, and what: `encoder.0.attention heads`, `encoder.0.norm`."""
    if place.endswith(what) or what == "output":
        return place
    return f"{place} {'heads' if what == 'head' else what}"
