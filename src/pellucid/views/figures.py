"""Curves as a figure: .png, .svg or .pdf, drawn by Matplotlib."""

from collections.abc import Mapping
from importlib.util import find_spec
from math import ceil
from pathlib import Path

from pellucid.errors import UsageError
from pellucid.record.files import Existing, write
from pellucid.train.history import Curve

ENDINGS = (".png", ".svg", ".pdf")
# told apart by nearly everybody (Okabe and Ito 2008)
COLOURS = "#0072b2 #d55e00 #009e73 #cc79a7 #e69f00 #56b4e9 #000000".split()
FEW = 40  # points that are also marked
WIDE, HIGH = 6.4, 2.8  # inches of one panel


def check_figure(path: Path) -> None:
    """Say early why a figure could not be drawn."""
    if path.suffix not in ENDINGS:
        raise UsageError(f"{path} is no figure; name it {', '.join(ENDINGS)}.")
    if find_spec("matplotlib") is None:
        raise UsageError("Figures need Matplotlib: pip install 'pellucid[figures]'.")


def save_figure(
    panels: Mapping[str, Mapping[str, Curve]],
    path: Path,
    columns: int = 1,
    *,
    existing: Existing = "refuse",
) -> Path:
    """Draw a panel for each title, in so many columns, and in it a curve for each name."""
    check_figure(path)
    from matplotlib.figure import Figure

    rows = ceil(len(panels) / columns)
    figure = Figure(figsize=(WIDE * columns, HIGH * rows), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False, sharex=True)
    for place, (title, panel) in zip(grid.flat, panels.items(), strict=False):
        for colour, (name, curve) in zip(COLOURS, panel.items(), strict=False):
            marker = "." if len(curve.steps) < FEW else None
            place.plot(curve.steps, curve.values, marker=marker, color=colour, label=name)
        place.set_title(title)
        place.grid(alpha=0.3)
        if len(panel) > 1:
            place.legend(frameon=False)
    for place in grid[-1]:
        place.set_xlabel("step")
    format = path.suffix[1:]
    return write(path, lambda beside: figure.savefig(beside, format=format, dpi=150), existing)
