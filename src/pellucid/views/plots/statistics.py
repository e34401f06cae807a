"""Norm statistics through the layers: what each norm takes away, and what it divides by."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pellucid.errors import UsageError
from pellucid.record.trace import Trace
from pellucid.views.choice import Look
from pellucid.views.plots.style import Style, styled
from pellucid.views.plots.words import label

KINDS = {"mean": "mean", "deviation": "deviation, root of variance + ε"}
BESIDE: Any = "outside right upper"
STEP, HIGH, MARGIN = 0.34, 2.2, 2.0  # inches for each norm, for a panel, for the words around


def norms(trace: Trace, *, sentence: int = 0, style: Style | None = None) -> Figure:
    """A line for each token, through all norms in the order of the road."""
    with styled(style):
        found = {kind: _names(trace, kind) for kind in KINDS}
        shown = {kind: names for kind, names in found.items() if names}
        if not shown:
            raise UsageError("This model has no norm whose statistics could be drawn.")
        most = max(map(len, shown.values()))
        size = (MARGIN + STEP * most, HIGH * len(shown) + MARGIN)
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(len(shown), 1, sharex=True, squeeze=False)[:, 0]
        for axes, (kind, names) in zip(panels, shown.items(), strict=True):
            _panel(axes, trace, names, sentence)
            axes.set_title(KINDS[kind], loc="left")
        figure.legend(*panels[0].get_legend_handles_labels(), loc=BESIDE, frameon=False)
        return figure


def _names(trace: Trace, kind: str) -> list[str]:
    """Statistics that each token has of its own."""
    return [
        name
        for name in trace.names(f"*norm.{kind}")
        if trace.node(name).axes == "B T 1" and trace.kind(name) != "missing"
    ]


def _panel(axes: Axes, trace: Trace, names: Sequence[str], sentence: int) -> None:
    matrices = [Look(trace, 0, sentence).matrix(name) for name in names]
    columns = [matrix for matrix in matrices if matrix]
    words = columns[0].rows
    colours = colormaps["turbo"](np.linspace(0.05, 0.95, len(words)))
    for at, word in enumerate(words):
        along = [matrix.numbers[at][0] for matrix in columns if at < len(matrix.numbers)]
        axes.plot(along, "o-", ms=2.5, lw=0.9, label=label(word), color=colours[at])
    places = [name.removesuffix(f".norm.{name.rpartition('.')[2]}") for name in names]
    axes.set_xticks(range(len(names)), places, rotation=90)
    axes.grid(axis="y", alpha=0.3)
