"""The picture of two clouds parting: a word's sentences after each layer, coloured by sense."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pellucid.errors import UsageError
from pellucid.study.senses import Senses

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("#d57f2a", "#2f7fc1", "#5a9b4c", "#8d62b5", "#7a7f8c", "#c2a21c", "#b5544d")
ACROSS = 4  # pictures in a row


def figure(senses: Senses) -> "Figure":
    """A small picture for each layer; across, where the senses' means lie furthest apart."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UsageError("Pictures need matplotlib: pip install 'pellucid[figures]'.") from error
    count = len(senses.layers)
    rows = -(-count // ACROSS)
    drawn = Figure(figsize=(3 * min(count, ACROSS), 2.9 * rows + 0.6), layout="constrained")
    axes = drawn.subplots(rows, min(count, ACROSS), squeeze=False).flat
    for at, ax in enumerate(axes):
        if at < count:
            _cloud(ax, senses, at)
        else:
            ax.set_axis_off()
    drawn.suptitle(f"“{senses.word}” in {senses.tested:,} sentences, layer by layer")
    handles, labels = axes[0].get_legend_handles_labels()
    drawn.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, markerscale=2)
    return drawn


def _cloud(ax: Any, senses: Senses, layer: int) -> None:
    points = senses.clouds[layer].tolist()
    for number, sense in enumerate(senses.senses):
        own = [p for p, truth in zip(points, senses.truth, strict=True) if truth == sense]
        x, y = zip(*own, strict=True) if own else ((), ())
        colour = COLOURS[number % len(COLOURS)]
        ax.scatter(x, y, s=9, color=colour, alpha=0.6, linewidths=0, label=sense)
    ax.set_title(f"{senses.layers[layer]}  {senses.accuracy[layer]:.1%}", fontsize=9)
    ax.set_xticks([])
    ax.set_yticks([])
    for side in ax.spines.values():
        side.set_color("#c9ccd4")


def fill(senses: Senses, path: Path, ending: str) -> None:
    """Write the picture; the ending (.png, .svg, .pdf) says how."""
    figure(senses).savefig(path, format=ending.lstrip("."), dpi=150)
