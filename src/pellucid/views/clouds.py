"""The picture of two clouds parting: a word's sentences after each layer, coloured by sense."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pellucid.errors import UsageError
from pellucid.study.clouds import Clouds

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("#d57f2a", "#2f7fc1", "#5a9b4c", "#8d62b5", "#7a7f8c", "#c2a21c", "#b5544d")
ACROSS = 4  # pictures in a row


def figure(clouds: Clouds) -> "Figure":
    """A small picture for each layer; across, where the means lie furthest apart."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UsageError("Pictures need matplotlib: pip install 'pellucid[figures]'.") from error
    count = len(clouds.captions)
    rows = -(-count // ACROSS)
    drawn = Figure(figsize=(3 * min(count, ACROSS), 2.9 * rows + 0.6), layout="constrained")
    axes = drawn.subplots(rows, min(count, ACROSS), squeeze=False).flat
    for at, ax in enumerate(axes):
        if at < count:
            _cloud(ax, clouds, at)
        else:
            ax.set_axis_off()
    drawn.suptitle(f"“{clouds.word}” in {len(clouds.of):,} sentences, layer by layer")
    handles, labels = axes[0].get_legend_handles_labels()
    drawn.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, markerscale=2)
    return drawn


def _cloud(ax: Any, clouds: Clouds, layer: int) -> None:
    points = clouds.points[layer].tolist()
    for number, sense in enumerate(clouds.kinds):
        own = [p for p, kind in zip(points, clouds.of, strict=True) if kind == sense]
        x, y = zip(*own, strict=True) if own else ((), ())
        colour = COLOURS[number % len(COLOURS)]
        ax.scatter(x, y, s=9, color=colour, alpha=0.6, linewidths=0, label=sense)
    ax.set_title(clouds.captions[layer], fontsize=9)
    ax.set_xticks([])
    ax.set_yticks([])
    for side in ax.spines.values():
        side.set_color("#c9ccd4")


def fill(clouds: Clouds, path: Path, ending: str) -> None:
    """Write the picture; the ending (.png, .svg, .pdf) says how."""
    figure(clouds).savefig(path, format=ending.lstrip("."), dpi=150)
