"""Curves of training: a panel for each title, in it a curve for each name."""

from collections.abc import Mapping
from math import ceil

from matplotlib.figure import Figure

from pellucid.train.history import Curve
from pellucid.views.plots.style import Style, styled

# told apart by nearly everybody (Okabe and Ito 2008)
COLOURS = "#0072b2 #d55e00 #009e73 #cc79a7 #e69f00 #56b4e9 #000000".split()
FEW = 40  # points that are also marked
WIDE, HIGH = 6.4, 2.6  # inches of one panel


def curves(
    panels: Mapping[str, Mapping[str, Curve]], *, columns: int = 1, style: Style | None = None
) -> Figure:
    """The panels side by side, so many in a row."""
    rows = ceil(len(panels) / columns)
    with styled(style):
        figure = Figure(figsize=(WIDE * columns, HIGH * rows), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False, sharex=True)
        for axes, (title, panel) in zip(grid.flat, panels.items(), strict=False):
            axes.set_title(title, loc="left")
            axes.grid(axis="y", alpha=0.3)
            for colour, (name, curve) in zip(COLOURS, panel.items(), strict=False):
                marker = "." if len(curve.steps) < FEW else None
                axes.plot(curve.steps, curve.values, marker=marker, color=colour, label=name)
            axes.legend(frameon=False)
        for axes in grid[-1]:
            axes.set_xlabel("step")
        return figure
