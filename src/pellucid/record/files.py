"""Writing files so that nothing is half-written and nothing is lost."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Literal

from pellucid.errors import PellucidError, UsageError

PICTURES = (".png", ".svg", ".pdf")  # the endings of what is drawn as a figure
Existing = Literal["refuse", "replace"]

REPLACE = "choose another name, or replace it (--force, in Python existing='replace')"


def check_writable(path: Path, existing: Existing) -> None:
    """Say early why a file could not be written."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder; give a file name, for example {path / 'see.html'}.")
    if path.exists() and existing == "refuse":
        raise UsageError(f"{path} exists already; {REPLACE}.")
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
        settle(beside)
        beside.replace(path)
    except OSError as error:
        raise PellucidError(f"{path} could not be written: {error.strerror}.") from error
    finally:
        beside.unlink(missing_ok=True)
    return path


def check_folder(folder: Path, existing: Existing, mark: str) -> None:
    """Say early why a folder could not be written. One that has a file `mark` may be replaced."""
    if folder.exists() and existing == "refuse":
        raise UsageError(f"{folder} exists already; {REPLACE}.")
    if folder.exists() and not (folder / mark).is_file():
        raise UsageError(f"{folder} has no {mark} and so is not ours to replace; name another.")
    check_writable(folder / mark if folder.exists() else folder, "replace")


def write_folder(folder: Path, fill: Callable[[Path], None], existing: Existing, mark: str) -> None:
    """Fill a folder beside, flush it, then put it in place in one step."""
    check_folder(folder, existing, mark)
    try:
        beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        new, old = beside / "new", beside / "old"
        try:
            new.mkdir()
            fill(new)
            for path in (*new.iterdir(), new):
                settle(path, 0o777 if path.is_dir() else 0o666)
            if folder.exists():
                folder.rename(old)
            new.rename(folder)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    except OSError as error:
        raise PellucidError(f"{folder} could not be written: {error.strerror}.") from error


@contextmanager
def aside(folder: Path) -> Iterator[Callable[[], None]]:
    """Within, what stood in a folder's place stands beside, and comes back if something fails.

    Once the function is called that is handed over, it is gone.
    """
    if not folder.exists():
        yield lambda: None
        return
    try:
        beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        old = folder.rename(beside / "old")
    except OSError as error:
        raise PellucidError(f"{folder} could not be replaced: {error.strerror}.") from error
    gone = partial(shutil.rmtree, beside, ignore_errors=True)
    try:
        yield gone
    except BaseException:
        if beside.exists():
            shutil.rmtree(folder, ignore_errors=True)
            old.rename(folder)
        raise
    finally:
        gone()


def settle(path: Path, mode: int = 0o666) -> None:
    """Bring what was written to the disk, with the rights that any new file would have."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    path.chmod(mode & ~_umask())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
