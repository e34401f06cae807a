"""Curves as a file: .png, .svg or .pdf, drawn by Matplotlib."""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from pellucid.errors import UsageError
from pellucid.record.files import PICTURES, Existing, write
from pellucid.train.history import Curve


def check_figure(path: Path) -> None:
    """Say early why a figure could not be drawn."""
    if path.suffix not in PICTURES:
        raise UsageError(f"{path} is no figure; name it {', '.join(PICTURES)}.")
    if find_spec("matplotlib") is None:
        raise UsageError("Figures need Matplotlib: pip install 'pellucid[figures]'.")


def save_curves(
    panels: Mapping[str, Mapping[str, Curve]],
    path: Path,
    *,
    columns: int = 1,
    existing: Existing = "refuse",
) -> Path:
    """Draw the panels into a file, which its ending says the kind of."""
    check_figure(path)
    from pellucid.views.plots.curves import curves
    from pellucid.views.plots.style import styled

    def fill(beside: Path) -> None:
        with styled(None):
            curves(panels, columns=columns).savefig(beside, format=path.suffix[1:])

    return write(path, fill, existing)
