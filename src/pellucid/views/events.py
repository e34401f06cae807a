"""Curves for TensorBoard, as an event file in a folder."""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from pellucid.errors import UsageError
from pellucid.train.history import Curve


def check_events(folder: Path) -> None:
    """Say early why events could not be written there."""
    if find_spec("tensorboard") is None:
        raise UsageError("TensorBoard is not there: pip install 'pellucid[tensorboard]'.")
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise UsageError(f"{folder} exists already; choose another name for the events.")
    if not folder.absolute().parent.is_dir():
        raise UsageError(f"The folder {folder.parent} does not exist; make it first.")


def save_events(panels: Mapping[str, Mapping[str, Curve]], folder: Path) -> Path:
    """Write each curve under its title and name: `loss/train`."""
    check_events(folder)
    from torch.utils.tensorboard import SummaryWriter

    with SummaryWriter(str(folder)) as writer:
        for title, panel in panels.items():
            for name, curve in panel.items():
                for step, value in zip(curve.steps, curve.values, strict=True):
                    writer.add_scalar(f"{title}/{name}", value, int(step))
    return folder
