"""The tree of a search: what was considered at each step, what was kept, and the answers."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from pellucid.errors import UsageError
from pellucid.views.labels import spaced
from pellucid.views.plots.matrices import word_size
from pellucid.views.plots.sheet import EDGE, PAD, length
from pellucid.views.plots.style import Style, styled
from pellucid.views.plots.words import label

COLOURS = {"kept": "#22242c", "ended": "#b4560a", "cut": "#9aa0ad"}
BRANCH = "#c4c8d2"
ROOT = -1

Candidate = Mapping[str, Any]


@dataclass
class Shown:
    """Which candidates are drawn, and in which row each stands; a fork's first goes straight on."""

    candidates: Sequence[Candidate]
    others: int
    rows: dict[int, int] = field(default_factory=dict)
    filled: int = 0

    def __post_init__(self) -> None:
        self.after: dict[int, list[int]] = defaultdict(list)
        for number, candidate in enumerate(self.candidates):
            self.after[candidate["parent"]].append(number)
        ends = (n for n, each in enumerate(self.candidates) if each["fate"] == "ended")
        self.leading = {number for end in ends for number in self._path(end)}
        self._place(ROOT)

    def _path(self, number: int) -> Iterator[int]:
        while number != ROOT:
            yield number
            number = self.candidates[number]["parent"]

    def _place(self, parent: int) -> None:
        waiting = self._drawn(parent)[::-1]
        while waiting:
            number = waiting.pop()
            self.rows[number] = self.filled
            following = self._drawn(number)
            waiting += following[::-1]
            self.filled += not following

    def _drawn(self, parent: int) -> list[int]:
        """The best first: all that lead to an answer, and some of those that do not."""
        best = sorted(self.after[parent], key=lambda n: -self.candidates[n]["total"])
        rest = [number for number in best if number not in self.leading][: self.others]
        return [number for number in best if number in self.leading or number in rest]


def tree(search: Mapping[str, Any], *, others: int = 1, style: Style | None = None) -> Figure:
    """A tree as `Tree.to_json()` gives it: each token with its sum, ✓ and a score at an answer.

    Of what led nowhere, `others` are drawn at each fork.
    """
    shown = Shown(search["candidates"], others)
    if not shown.rows:
        raise UsageError("The search has no candidates, so there is no tree to draw.")
    with styled(style) as own:
        size = word_size(own["cell"])
        figure = Figure()
        FigureCanvasAgg(figure)
        texts = {number: _text(search["candidates"][number]) for number in shown.rows}
        wide = {number: length(figure, [text], size) for number, text in texts.items()}
        step = max(wide.values()) + 4 * PAD
        steps = max(search["candidates"][number]["step"] for number in shown.rows)
        width, height = steps * step + 2 * EDGE, shown.filled * own["cell"] + 2 * EDGE
        figure.set_size_inches(width, height)
        axes = figure.add_axes((EDGE / width, EDGE / height, 1 - 2 * EDGE / width, 1))
        axes.set(xlim=(1, 1 + steps), ylim=(shown.filled - 0.5, -0.5 - EDGE / own["cell"]))
        axes.set_axis_off()
        _draw(axes, shown, texts, size)
        _branch(axes, shown, {number: (each + PAD) / step for number, each in wide.items()})
        return figure


def _branch(axes: Axes, shown: Shown, ends: Mapping[int, float]) -> None:
    """Lines from the end of each token to those that follow it."""
    for number, row in shown.rows.items():
        at, parent = shown.candidates[number]["step"], shown.candidates[number]["parent"]
        if parent != ROOT:
            corner = [at - 1 + ends[parent], at - 0.05, at - 0.05, at - 0.01]
            above = shown.rows[parent]
            axes.plot(corner, [above, above, row, row], color=BRANCH, lw=0.9, zorder=0)


def _draw(axes: Axes, shown: Shown, texts: Mapping[int, str], size: float) -> None:
    for number, row in shown.rows.items():
        candidate = shown.candidates[number]
        colour = COLOURS["kept" if number in shown.leading else "cut"]
        if candidate["fate"] == "ended":
            colour = COLOURS["ended"]
        place = candidate["step"], row
        axes.text(*place, texts[number], size=size, color=colour, va="center_baseline")


def _text(candidate: Candidate) -> str:
    """`␣river  −1.25`, and behind an answer its score."""
    total = f"{candidate['total']:.2f}".replace("-", "−")
    text = f"{label(spaced(candidate['piece']))}  {total}"
    if candidate["fate"] != "ended":
        return text
    return f"{text}  ✓ {candidate['score']:.2f}".replace("-", "−")
