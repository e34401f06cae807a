"""The README cannot lie: every example in it is run."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"

# what somebody has who tries the examples: reviews and their labels
REVIEWS = {"good": "warm and funny", "bad": "dull and far too long"}
WHAT = ("film", "book", "play", "song")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


def commands(block: str) -> list[str]:
    """The pellucid commands, without their comments; `make` is what runs this test."""
    lines = [line.split("  #")[0].strip() for line in block.splitlines()]
    return [line for line in lines if line.startswith("pellucid ")]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, minilm: Path) -> None:
    lines = [f"{label}\tthe {what} was {said}" for label, said in REVIEWS.items() for what in WHAT]
    text = "\n".join(["label\ttext", *lines]) + "\n"
    for name in ("reviews.tsv", "test.tsv"):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)


def test_there_are_examples() -> None:
    assert blocks("python")
    assert any(map(commands, blocks("sh")))


@pytest.mark.parametrize("code", blocks("python"))
def test_python_runs(code: str) -> None:
    exec(compile(code, str(README), "exec"), {})


@pytest.mark.parametrize("block", list(filter(commands, blocks("sh"))))
def test_commands_run_one_after_another(block: str) -> None:
    for command in commands(block):
        words = [sys.executable, "-m", *shlex.split(command)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        assert done.stdout.strip()
