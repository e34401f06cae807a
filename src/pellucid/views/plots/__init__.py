"""Figures for slides and papers, drawn by Matplotlib; each function returns the figure.

from pellucid.views import plots
figure = plots.head(trace, layer=3, head=5, style={"font.size": 8})
figure.savefig("head.pdf")
"""

from pellucid.views.plots.answers import logits
from pellucid.views.plots.attention import cross, head, heads, overview
from pellucid.views.plots.branches import tree
from pellucid.views.plots.compared import comparison
from pellucid.views.plots.placing import positions
from pellucid.views.plots.statistics import norms

__all__ = [
    "comparison",
    "cross",
    "head",
    "heads",
    "logits",
    "norms",
    "overview",
    "positions",
    "tree",
]
