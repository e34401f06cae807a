"""Running `pellucid`: within this process, or as a person does, in one of its own."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from pellucid.cli import main

OPINIONS = {"NO_COLOR", "FORCE_COLOR", "COLORTERM", "TTY_COMPATIBLE", "PYTHONUNBUFFERED"}
COMMAND = (sys.executable, "-m", "pellucid")


@dataclass(frozen=True)
class Ran:
    """What a run of the command line left: its status, and what it printed."""

    status: int
    out: str
    err: str

    @property
    def sentence(self) -> str:
        """The only line on stderr; there must be no other, and nothing on stdout."""
        assert not self.out
        (line,) = self.err.splitlines()
        assert line.startswith("pellucid: ")
        assert "bug in Pellucid" not in line
        return line.removeprefix("pellucid: ")


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """`run("see", "cat")`, in an empty folder and 80 columns wide."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def runs(*arguments: str) -> Ran:
        status = main(arguments)
        return Ran(status, *capsys.readouterr())

    return runs


@pytest.fixture
def start(tmp_path: Path) -> Callable[..., subprocess.Popen[bytes]]:
    """`start("see", "cat", stdout=…)`: the real thing, its arguments strings or bytes."""

    def starts(
        *arguments: str | bytes, env: Mapping[str, str] = {}, **pipes: int
    ) -> subprocess.Popen[bytes]:
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | pipes
        inherited = {name: value for name, value in os.environ.items() if name not in OPINIONS}
        surroundings = {**inherited, "COLUMNS": "80", **env}
        return subprocess.Popen([*COMMAND, *arguments], cwd=tmp_path, env=surroundings, **pipes)

    return starts
