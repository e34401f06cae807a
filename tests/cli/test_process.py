"""The command in a process of its own: pipes, signals, terminals, and what it imports."""

import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pellucid import __version__

Start = Callable[..., subprocess.Popen[bytes]]

CAT = ("see", "--model", "mouse", "cat")
COLOUR = re.compile(rb"\x1b\[[\d;]*[34]8;")


@pytest.fixture
def terminal(start: Start) -> Callable[..., bytes]:
    """What a terminal receives."""

    def receives(*arguments: str, **env: str) -> bytes:
        mine, its = os.openpty()
        env = {"TERM": "xterm-256color"} | env
        process = start(*arguments, env=env, stdout=its, stderr=subprocess.DEVNULL)
        os.close(its)
        received = b""
        while part := _read(mine):
            received += part
        os.close(mine)
        assert process.wait() == 0
        return received

    return receives


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # how a terminal says that nobody writes to it any more
        return b""


@pytest.mark.parametrize("arguments", [[], ["--help"], ["see", "--help"], ["--version"]])
def test_help_does_without_torch(start: Start, arguments: list[str]) -> None:
    out, imported = start(*arguments, env={"PYTHONPROFILEIMPORTTIME": "1"}).communicate()
    modules = {line.rpartition(b"|")[2].strip() for line in imported.splitlines()}
    assert b"typer" in modules
    assert not modules & {b"torch", b"numpy", b"tokenizers", b"safetensors"}
    assert b"pellucid" in out


def test_each_help_has_an_example(start: Start) -> None:
    for arguments in (["--help"], ["see", "--help"]):
        process = start(*arguments)
        assert b'pellucid see "The seal slept on the ice."' in process.communicate()[0]
        assert process.returncode == 0


def test_version(start: Start) -> None:
    assert start("--version").communicate() == (f"pellucid {__version__}\n".encode(), b"")


def test_bytes_that_are_no_text(start: Start) -> None:
    process = start("see", "--model", "mouse", b"caf\xe9", env={"PYTHONUTF8": "1"})
    _, err = process.communicate()
    assert process.returncode == 2
    assert err == b"pellucid: The text is not valid UTF-8 at character 3; save it as UTF-8.\n"


def test_bytes_that_are_no_text_from_standard_input(start: Start) -> None:
    process = start("see", "--model", "mouse", "-", stdin=subprocess.PIPE)
    _, err = process.communicate(b"cat \xff")
    assert process.returncode == 2
    assert err == (b"pellucid: Standard input is not valid UTF-8 at byte 4; save it as UTF-8.\n")


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_reader_who_leaves(start: Start, options: list[str]) -> None:
    process = start(*CAT, *options)
    process.stdout.close()
    process.stdout = None
    assert process.communicate() == (None, b"")
    assert process.returncode == 128 + signal.SIGPIPE


def test_a_full_disk(start: Start) -> None:
    with Path("/dev/full").open("wb") as full:
        process = start(*CAT, stdout=full.fileno())
        _, err = process.communicate()
    assert process.returncode == 1
    assert err == b"pellucid: The output: No space left on device.\n"


@pytest.fixture
def heard() -> Iterator[None]:
    """A shell's background job ignores interrupts, and so would what is started here."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard")
def test_being_interrupted(start: Start) -> None:
    process = start("see", "--model", "mouse", "-", stdin=subprocess.PIPE)
    process.stdin.write(b" " * 200_000)  # more than a pipe holds: it is being read now
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert (process.returncode, err) == (130, b"pellucid: Stopped.\n")


def test_an_output_that_lacks_the_letters(start: Start) -> None:
    env = {"PYTHONIOENCODING": "ascii"}
    out, err = start("see", "--model", "mouse-causal", "cat and mouse", env=env).communicate()
    assert b"mixed = weights v" in out
    assert out.isascii()
    assert err == b""


def test_a_pipe_gets_no_colour(start: Start) -> None:
    assert b"\x1b" not in start(*CAT).communicate()[0]


def test_a_terminal_gets_colour_unless_it_is_not_wanted(terminal: Callable[..., bytes]) -> None:
    assert COLOUR.search(terminal(*CAT))
    assert not COLOUR.search(terminal(*CAT, NO_COLOR="1"))


def test_a_terminal_gets_the_same_words(start: Start, terminal: Callable[..., bytes]) -> None:
    out, _ = start(*CAT).communicate()
    received = re.sub(rb"\x1b\[[\d;]*m", b"", terminal(*CAT)).splitlines()
    assert [line.rstrip() for line in received] == out.splitlines()
