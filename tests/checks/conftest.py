"""Checkpoints of every family, each built once."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pellucid.checks import specimens


@pytest.fixture(scope="session")
def specimen(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A function from a specimen's name to its folder."""
    built: dict[str, Path] = {}

    def folder(name: str) -> Path:
        if name not in built:
            built[name] = specimens.build(name, tmp_path_factory.mktemp("specimen") / "model")
        return built[name]

    return folder
