"""A run that takes the place of another: what it needs is never lost, nor the other too early."""

import shutil
from pathlib import Path

import pytest
from test_train_call import SMALL

import pellucid
from pellucid import PellucidError, UsageError
from pellucid.train.journal import Journal
from pellucid.train.loop import Learning

TEXT = "one and two\n\ntwo and one\n\n" * 20
HOW = {**SMALL, "longest": 16, "steps": 2}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a text, and a run that learned from it."""
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text(TEXT)
    pellucid.train("generate", "text.txt", out="run", **HOW)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize(
    ("text", "settings", "needed"),
    [
        ("run/text.txt", HOW, "run/text.txt"),
        ("text.txt", {"start": "run", "steps": 2}, "run"),
        ("text.txt", {"teacher": "run/../run", "steps": 2}, "run/../run"),
    ],
)
def test_what_it_learns_from_is_not_replaced(
    home: Path, text: str, settings: dict, needed: str
) -> None:
    shutil.copy("text.txt", "run")
    before = contents(home)
    with pytest.raises(UsageError, match=f"^{needed} is needed, so run cannot be replaced; name"):
        pellucid.train("generate", text, out="run", existing="replace", **settings)
    assert contents(home) == before


def test_a_run_is_back_if_the_first_step_of_the_next_fails(home: Path, monkeypatch) -> None:
    before = contents(home)

    def failing(*_: object) -> None:
        raise PellucidError("No")

    monkeypatch.setattr(Learning, "_step", failing)
    with pytest.raises(PellucidError, match="No"):
        pellucid.train("generate", "text.txt", out="run", existing="replace", **HOW)
    assert contents(home) == before


def test_a_run_is_gone_once_the_next_has_taken_a_step(home: Path, monkeypatch) -> None:
    take = Journal.step

    def failing(journal: Journal, *about) -> None:
        take(journal, *about)
        assert not list(home.glob(".*"))
        raise PellucidError("No")

    monkeypatch.setattr(Journal, "step", failing)
    with pytest.raises(PellucidError, match="No"):
        pellucid.train("generate", "text.txt", out="run", existing="replace", **HOW, seed=1)
    assert "seed = 1" in Path("run", "settings.toml").read_text()
    assert not Path("run", "report.txt").exists()


def test_of_a_link_only_the_link_is_replaced(home: Path) -> None:
    before = contents(home / "run")
    Path("latest").symlink_to("run")
    pellucid.train("generate", "text.txt", out="latest", existing="replace", **HOW, seed=1)
    assert contents(home / "run") == before
    assert "seed = 1" in Path("latest", "settings.toml").read_text()
    assert {path.name for path in home.iterdir()} == {"text.txt", "run", "latest"}
