"""Positions as figures: what is added to each token, or the bias for each distance."""

from matplotlib.figure import Figure

from pellucid.errors import UsageError
from pellucid.record.trace import Trace
from pellucid.views.plots.matrices import Matrix
from pellucid.views.plots.sheet import side_by_side
from pellucid.views.plots.style import Style, styled
from pellucid.views.plots.values import matrix

ADDED = ("embed.positions", "source.embed.positions", "target.embed.positions")
BIASES = ("encoder.positions.bias", "decoder.positions.bias")
TURNED = (("query_heads", "q"), ("key_heads", "k"))


def positions(
    trace: Trace, *, head: int = 0, sentence: int = 0, style: Style | None = None
) -> Figure:
    """Vectors that are added, biases of all heads, or queries and keys before and after a turn."""
    with styled(style) as own:
        rows = [
            *([matrix(trace, name, 0, sentence)] for name in ADDED if name in trace.nodes),
            *(_heads(trace, name, sentence) for name in BIASES if name in trace.nodes),
        ]
        rows = rows or _turned(trace, head, sentence)
        if not rows:
            raise UsageError("This model does not know positions, so there is nothing to draw.")
        return side_by_side(rows, own)


def _heads(trace: Trace, name: str, sentence: int) -> list[Matrix]:
    heads = range(trace.shape(name)[1])
    return [matrix(trace, name, at, sentence, f"bias, head {at}") for at in heads]


def _turned(trace: Trace, head: int, sentence: int) -> list[list[Matrix]]:
    """Of the first layer that turns its queries and keys."""
    places = [name.removesuffix("query_heads") for name in trace.names("*.query_heads")][:1]
    return [
        [matrix(trace, f"{place}{step}", head, sentence, step) for step in pair]
        for place in places
        for pair in TURNED
    ]
