"""Ctrl-C during training: the step is done to its end, then the run is saved."""

import signal
import threading
from pathlib import Path
from types import FrameType

from pellucid.errors import PellucidError

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stopped(PellucidError):
    """A person stopped the run."""

    status = 130


class Stopping:
    """Within, the first Ctrl-C only asks; a second one stops at once."""

    def __init__(self) -> None:
        self.asked = False
        self._before: dict[signal.Signals, object] = {}

    def __enter__(self) -> "Stopping":
        if threading.current_thread() is threading.main_thread():
            self._before = {each: signal.signal(each, self._ask) for each in SIGNALS}
        return self

    def __exit__(self, *_: object) -> None:
        for each, handler in self._before.items():
            signal.signal(each, handler)  # type: ignore[arg-type]

    def _ask(self, number: int, _: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def stopped(self, step: int, folder: Path | None) -> Stopped:
        """What is said, and how to go on."""
        if folder is None:
            return Stopped(f"Stopped after step {step}; without a folder nothing is kept.")
        return Stopped(
            f"Stopped after step {step}, which is saved. "
            f"Go on with: pellucid train --resume {folder}"
        )
