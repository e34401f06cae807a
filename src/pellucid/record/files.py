"""Writing files so that nothing is half-written and nothing is lost."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from pellucid.errors import PellucidError, UsageError

Existing = Literal["refuse", "replace"]


def check_writable(path: Path, existing: Existing) -> None:
    """Say early why a file could not be written."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder; give a file name, for example {path / 'see.html'}.")
    if path.exists() and existing == "refuse":
        raise UsageError(f"{path} exists already; choose another name, or replace it with --force.")
    if not path.parent.is_dir():
        raise UsageError(f"The folder {path.parent} does not exist; make it first.")
    if not os.access(path.parent, os.W_OK):
        raise PellucidError(f"The folder {path.parent} cannot be written to; choose another place.")


def write(path: Path, fill: Callable[[Path], None], existing: Existing) -> Path:
    """Fill a file beside, flush it, then put it in place in one step."""
    check_writable(path, existing)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        os.close(handle)
    except OSError as error:
        raise PellucidError(f"{path} could not be written: {error.strerror}.") from error
    beside = Path(name)
    try:
        fill(beside)
        _flush(beside)
        beside.chmod(0o666 & ~_umask())
        beside.replace(path)
    except OSError as error:
        raise PellucidError(f"{path} could not be written: {error.strerror}.") from error
    finally:
        beside.unlink(missing_ok=True)
    return path


def _flush(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
