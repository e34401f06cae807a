"""Curves for TensorBoard, as an event file in a folder: of a run that is over, or as it goes."""

from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pellucid.errors import UsageError
from pellucid.train.history import PANELS, Curve, Entry, found

if TYPE_CHECKING:
    from torch.utils.tensorboard import SummaryWriter


def check_events(folder: Path, *, new: bool = True) -> None:
    """Say early why events could not be written there; a run that goes on adds to its own."""
    if find_spec("tensorboard") is None:
        raise UsageError("TensorBoard is not there: pip install 'pellucid[tensorboard]'.")
    if new and folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
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


class Events:
    """Writes the entries of a journal as they come, so that TensorBoard can follow a run.

    The first entry's step says where a run goes on; what was written after it is forgotten.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._writer: SummaryWriter | None = None

    def __call__(self, entry: Entry) -> None:
        """One entry."""
        step = int(entry["step"])
        if self._writer is None:
            from torch.utils.tensorboard import SummaryWriter

            self._writer = SummaryWriter(str(self.folder), purge_step=step, flush_secs=5)
        for name, value in numbers(entry):
            self._writer.add_scalar(name, value, step)

    def close(self) -> None:
        """The end."""
        if self._writer is not None:
            self._writer.close()


def numbers(entry: Entry) -> Iterator[tuple[str, float]]:
    """The numbers of an entry that are curves, by their names."""
    for title, curves in PANELS.items():
        for name, path in curves.items():
            if (value := found(entry, path)) is not None:
                yield f"{title}/{name}", value
