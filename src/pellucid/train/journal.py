"""The journal of a run: a line of JSON for each step and measurement, and a line that lives.

{"step": 10, "loss": 2.31, "entropy": 2.28, "rate": 0.001, "norm": 0.9, "targets": 41000,
 "seconds": 3.2, "padding": 0.07, "terms": {"words": {"sum": …, "plain": …, "targets": 4100}}}
{"step": 100, "valid": {"loss": 1.9, "wrong": 0.12, "terms": {…}}}

`loss` is what was learned from (smoothed), `entropy` the plain one in nats; `norm` is the
gradient's before clipping; `targets` and `seconds` count from the beginning of the run.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from pellucid.train.schedule import Schedule

if TYPE_CHECKING:
    from pellucid.train.state import State
    from pellucid.train.step import Ledger

LOG = "log.jsonl"
Tell = Callable[[dict[str, Any]], object]


class Journal:
    """Writes the log of a run into its folder, if it has one, and shows how far it is.

    `tell` is told each entry as it comes.
    """

    def __init__(self, folder: Path | None, schedule: Schedule, *, shows: bool = True) -> None:
        self.path, self.schedule = folder and folder / LOG, schedule
        self.entries: list[dict[str, Any]] = []  # where there is no folder
        self.tell: Tell = lambda entry: None
        self._file: BinaryIO | None = None
        self._shows = shows and sys.stderr.isatty()
        self._valid = ""

    @property
    def size(self) -> int:
        """Bytes written, all of them on the disk."""
        if self._file is None:
            return 0
        self._file.flush()
        os.fsync(self._file.fileno())
        return self._file.tell()

    def open(self, state: "State") -> None:
        """Begin, or go on where the checkpoint was written; what came after it is forgotten.

        What is left of a log that was cut off since are its whole lines.
        """
        if self._shows:
            print(f"rate {self.schedule.drawn()}", file=sys.stderr)
        if self.path is not None:
            self.path.touch()
            self._file = self.path.open("r+b")
            known = self._file.read(state.log)
            self._file.truncate(known.rfind(b"\n") + 1)
            self._file.seek(0, os.SEEK_END)

    def step(self, state: "State", ledger: "Ledger", rate: float, norm: float) -> None:
        """One step."""
        padding = 1 - ledger.tokens / max(1, ledger.padded)
        entry = {"step": state.step, "loss": ledger.loss, "entropy": ledger.entropy}
        entry |= {"rate": rate, "norm": norm, "targets": state.targets, "seconds": state.seconds}
        self._write({**entry, "padding": padding, "terms": ledger.to_json()})
        if self._shows:
            self._show(state, ledger.loss, rate, padding)

    def measured(self, state: "State", ledger: "Ledger") -> None:
        """One measurement."""
        wrong, loss = ledger.merit
        found = {"loss": loss, "wrong": wrong, "terms": ledger.to_json()}
        self._write({"step": state.step, "valid": found})
        self._valid = f"  valid {loss:.4f}" + (f", {1 - wrong:.1%} right" if wrong else "")

    def close(self) -> None:
        """The end."""
        if self._file is not None:
            self._file.close()
        if self._shows:
            print(file=sys.stderr)

    def _write(self, entry: dict[str, Any]) -> None:
        self.tell(entry)
        if self._file is None:
            self.entries.append(entry)
        else:
            self._file.write(json.dumps(entry).encode() + b"\n")

    def _show(self, state: "State", loss: float, rate: float, padding: float) -> None:
        left = state.seconds / state.step * (self.schedule.steps - state.step)
        line = (
            f"step {state.step:,} of {self.schedule.steps:,}  loss {loss:.4f}  rate {rate:.2e}  "
            f"{state.targets / state.seconds:,.0f} targets/s  padding {padding:.0%}  "
            f"{clock(left)} left{self._valid}"
        )
        print(f"\r{line}\x1b[K", end="", file=sys.stderr, flush=True)


def clock(seconds: float) -> str:
    """A time as a person reads it: 1:05:09 or 5:09."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
