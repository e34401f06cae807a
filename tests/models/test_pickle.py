"""pytorch_model.bin: tensors are read, code is not run."""

import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from models_answers import answer
from safetensors.torch import load_file

import pellucid
from pellucid import PellucidError
from pellucid.cli import main

Specimen = Callable[[str], Path]
Write = Callable[[Any], Path]

REFUSED = r"pytorch_model.bin was refused: it is broken, or holds more than tensors by name"


class Code:
    """Unpickled by anybody but us, it makes a file."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.file,)


@pytest.fixture
def folder(specimen: Specimen, tmp_path: Path) -> Path:
    """A folder with settings, and no weights yet."""
    config = (specimen("GPT-2") / "config.json").read_text()
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text(config)
    return tmp_path / "model"


@pytest.mark.parametrize("zipped", [True, False], ids=["zipped", "as it was before 2020"])
def test_pickled_tensors_are_read(zipped: bool, folder: Path, specimen: Specimen) -> None:
    weights = load_file(specimen("GPT-2") / "model.safetensors")
    weights["lm_head.weight"] = weights["transformer.wte.weight"]  # tied, and said twice
    path = folder / "pytorch_model.bin"
    torch.save(weights, path, _use_new_zipfile_serialization=zipped)
    assert torch.equal(answer(pellucid.load(folder)), answer(pellucid.load(specimen("GPT-2"))))


@pytest.mark.parametrize("how", [torch.save, pickle.dump], ids=["torch.save", "pickle.dump"])
def test_code_is_refused_and_not_run(
    how: Callable[..., None], folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = tmp_path / "made"
    with (folder / "pytorch_model.bin").open("wb") as file:
        how({"transformer.wte.weight": Code(made)}, file)
    with pytest.raises(PellucidError, match=REFUSED):
        pellucid.load(folder)
    assert main(["see", "cat", "--model", str(folder)]) == 1
    assert "ask for the weights as safetensors" in capsys.readouterr().err
    assert not made.exists()


@pytest.mark.parametrize("how", [torch.load, pickle.load], ids=["torch.load", "pickle.load"])
def test_the_code_would_have_run(how: Callable[..., Any], tmp_path: Path) -> None:
    """So that the test above is one."""
    made = tmp_path / "made"
    with (tmp_path / "file").open("wb") as file:
        (torch.save if how is torch.load else pickle.dump)({"x": Code(made)}, file)
    with (tmp_path / "file").open("rb") as file:
        how(file, **({"weights_only": False} if how is torch.load else {}))
    assert made.exists()


@pytest.mark.parametrize(
    "content",
    [
        [torch.ones(2)],
        torch.ones(2),
        {"model": {"a": torch.ones(2)}},
        {"a": 3},
        {},
        {3: torch.ones(2)},
    ],
    ids=["list", "tensor", "nested", "number", "empty", "unnamed"],
)
def test_what_is_no_tensors_by_name(content: Any, folder: Path) -> None:
    torch.save(content, folder / "pytorch_model.bin")
    with pytest.raises(PellucidError):
        pellucid.load(folder)


def broken(path: Path) -> None:
    torch.save({"transformer.wte.weight": torch.ones(60, 16)}, path)
    path.write_bytes(path.read_bytes()[:-100])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def no_pickle(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "nothing")


@pytest.mark.parametrize("spoil", [broken, empty, no_pickle])
def test_a_broken_file_is_refused(spoil: Callable[[Path], None], folder: Path) -> None:
    spoil(folder / "pytorch_model.bin")
    with pytest.raises(PellucidError, match=REFUSED):
        pellucid.load(folder)
