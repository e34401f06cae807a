"""A comparison as a figure: how far a word's two vectors part, and what every part added to it."""

import re
from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from pellucid.study.account import Account, Part
from pellucid.study.compare import Comparison
from pellucid.study.place import Place
from pellucid.views.plots.matrices import Matrix
from pellucid.views.plots.saved import saved
from pellucid.views.plots.sheet import EDGE, GAP, TITLE, length, side_by_side
from pellucid.views.plots.style import NEGATIVE, POSITIVE, Style, settings, styled
from pellucid.views.plots.words import label

LINE, HIGH, BELOW, WIDE = 0.24, 1.3, 0.45, 7.0  # inches: a text, a curve, its words, both curves
LARGE = 100.0  # points to measure letters with
UPRIGHT = 12  # stations whose words stand side by side
LEAD = 60  # letters before and after the word
TOKENS = 40  # rows of neighbours
ALL, EMBEDDING = "all", "embedding"
CURVES = {"angle": "angle of the two vectors, degrees", "distance": "their distance"}
KINDS = {"bias": "bias", "output": "feed-forward", "norm": "norm"}  # all else is of the embedding
COLOURS = (NEGATIVE, POSITIVE)  # of the first text and the second


def comparison(found: Comparison, *, style: Style | None = None) -> Figure:
    """The two texts, angle and distance by layer, and shares of the difference, which sum to 100 %.

    One table has what each head and each other part added, two have what was taken from each
    neighbour. Models that are not alike have curves only.
    """
    with styled(style) as own:
        tables = [] if found.account is None else [[_parts(found.account)], _neighbours(found)]
        above = 2 * LINE + TITLE + HIGH + BELOW + (LINE if found.no_account else 0)
        figure = side_by_side(tables, own, room=(WIDE, above))
        for number, place in enumerate((found.a, found.b)):
            _text(figure, number, place)
        _curves(figure, found)
        if found.no_account:
            width, height = figure.get_size_inches()
            reason = f"What parted them cannot be said: {found.no_account}."
            figure.text(EDGE / width, EDGE / height, reason, color="#7d8391")
        return figure


def _text(figure: Figure, number: int, place: Place) -> None:
    """A text on a line of its own, the word in it coloured."""
    width, height = figure.get_size_inches()
    (start, end), typed = place.span, place.tokens.text
    before = ("…" if start > LEAD else "") + typed[max(0, start - LEAD) : start]
    after = typed[end : end + LEAD] + ("…" if len(typed) > end + LEAD else "")
    size, left, top = settings()["font.size"], EDGE, height - EDGE - number * LINE
    said = [(f"{number + 1}  ", COLOURS[number]), (before, "black")]
    for text, colour in [*said, (place.text, COLOURS[number]), (after, "black")]:
        shown = label(text, 3 * LEAD)
        figure.text(left / width, top / height, shown, size=size, color=colour, va="top")
        # large, since small letters are set to whole dots; the | keeps the spaces at the end
        left += (length(figure, [f"{shown}|"], LARGE) - length(figure, ["|"], LARGE)) * size / LARGE


def _curves(figure: Figure, found: Comparison) -> None:
    """The two curves side by side, below the texts."""
    width, height = figure.get_size_inches()
    low = height - EDGE - 2 * LINE - TITLE - HIGH
    across = (width - 2 * EDGE - GAP) / 2
    stations = [_station(step.name) for step in found.layers]
    for at, (what, title) in enumerate(CURVES.items()):
        left = EDGE + at * (across + GAP) + 0.4
        box = (left / width, low / height, (across - 0.4) / width, HIGH / height)
        axes = figure.add_axes(box)
        axes.plot([getattr(step, what) for step in found.layers], "o-", ms=3.5, color="#22242c")
        axes.margins(y=0.1)
        axes.set_title(title, loc="left")
        axes.set_xticks(range(len(stations)), stations, rotation=90 * (len(stations) > UPRIGHT))
        axes.set_ylim(bottom=0)
        axes.grid(axis="y", alpha=0.3)


def _station(name: str) -> str:
    """`embedding`, the number of a layer, or `end`."""
    if layer := re.search(r"\.(\d+)\.output$", name):
        return layer[1]
    return "words" if name.endswith("embed.output") else "end"


def _parts(account: Account) -> Matrix:
    """A row for each layer, a column for each head and for each other kind of part."""
    shares = account.by(lambda part: (_row(part), _column(part)))
    rows = list(dict.fromkeys(row for row, _ in shares))
    there = {column for _, column in shares}
    heads = sorted((each for each in there if each.isdigit()), key=int)
    others = [each for each in (*KINDS.values(), EMBEDDING) if each in there]
    return _table(
        f"share of the difference of {account.name}, %: by layer, head and other parts",
        [[shares.get((row, column)) for column in (*heads, *others)] for row in rows],
        rows,
        [f"head {each}" for each in heads] + others,
    )


def _row(part: Part) -> str:
    layer = re.search(r"\.(\d+)\.(\w+)", part.place)
    if layer is None:
        return EMBEDDING if "embed" in part.place else "end"
    return f"layer {layer[1]}" + (" → source" if layer[2] == "cross" else "")


def _column(part: Part) -> str:
    return str(part.head) if part.head is not None else KINDS.get(part.what, EMBEDDING)


def _neighbours(found: Comparison) -> list[Matrix]:
    return [_taken(found, text, place) for text, place in enumerate((found.a, found.b))]


def _taken(found: Comparison, text: int, place: Place) -> Matrix:
    """What was taken from each token of a text: a column for each layer, and their sum."""
    assert found.account is not None
    own = found.account.by(
        lambda part: (
            None
            if part.token is None or part.text != text
            else ((part.stream, part.token), part.place)
        )
    )
    layers = list(dict.fromkeys(layer for _, layer in own))
    sums = dict.fromkeys((token for token, _ in own), 0.0)
    for (token, _), share in own.items():
        sums[token] += share
    most = sorted(sums, key=lambda token: -abs(sums[token]))[:TOKENS]
    rows = [token for token in sums if token in most]
    cut = f", the {TOKENS} largest" if len(rows) < len(sums) else ""
    return _table(
        f"{text + 1}: taken from each token, by layer, %{cut}",
        [[*(own.get((token, layer)) for layer in layers), sums[token]] for token in rows],
        [_word(place, *token) for token in rows],
        [*(_layer(layer) for layer in layers), ALL],
    )


def _word(place: Place, stream: str, token: int) -> str:
    return label(place.trace.texts[stream][place.sentence].label(token))


def _layer(place: str) -> str:
    """Of encoder.3.attention."""
    _, layer, part = place.split(".")
    return f"{layer} →" if part == "cross" else layer


def _table(
    title: str, shares: Sequence[Sequence[float | None]], rows: list[str], columns: list[str]
) -> Matrix:
    numbers = np.array([[100 * (share or 0.0) for share in row] for row in shares])
    texts = [[_percent(share) for share in row] for row in shares]
    return Matrix(title, numbers, rows, columns, texts=texts)


def _percent(share: float | None) -> str:
    """With its sign; what would be zero is a point, what is not there is nothing."""
    if share is None:
        return ""
    text = f"{100 * share:+.1f}".replace("-", "−")
    return "·" if float(text[1:]) == 0 else text


png, svg, pdf = saved(lambda found, wish: comparison(found))
