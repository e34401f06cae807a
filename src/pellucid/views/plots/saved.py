"""Figures written as files, in our style."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from pellucid.record.store import Wish
from pellucid.views.plots.style import styled

Draw = Callable[[Any, Wish], Figure]
Fill = Callable[[Any, Path, Wish], None]


def saved(draw: Draw) -> tuple[Fill, Fill, Fill]:
    """What writes such a drawing: as a picture of dots, as lines for a browser, and for paper."""
    png, svg, pdf = (partial(write, draw, format=format) for format in ("png", "svg", "pdf"))
    return png, svg, pdf


def write(draw: Draw, shown: Any, path: Path, wish: Wish, *, format: str) -> None:
    """Draw it and write it."""
    with styled(None):
        draw(shown, wish).savefig(path, format=format)
