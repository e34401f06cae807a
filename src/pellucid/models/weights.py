"""Where weights are read from: safetensors, one file or several, mapped into memory."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol, runtime_checkable
from zipfile import is_zipfile

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from pellucid.errors import PellucidError, UsageError

ONE, INDEX = "model.safetensors", "model.safetensors.index.json"
PICKLE = "pytorch_model.bin"


@runtime_checkable
class Weights(Protocol):
    """Tensors by name: their shapes at once, their numbers when asked."""

    shapes: dict[str, tuple[int, ...]]

    def read(self, name: str) -> Tensor:
        """One tensor."""
        ...


class Mapped:
    """Tensors of safetensors files; what is read is mapped, not copied."""

    def __init__(self, files: list[Any]) -> None:
        self._home = {name: file for file in files for name in file.keys()}  # noqa: SIM118
        self.shapes = {
            name: tuple(file.get_slice(name).get_shape()) for name, file in self._home.items()
        }

    def read(self, name: str) -> Tensor:
        tensor: Tensor = self._home[name].get_tensor(name)
        return tensor


class Unpickled:
    """Tensors of a pytorch_model.bin, read by torch's own restricted unpickler."""

    def __init__(self, path: Path) -> None:
        mapped = is_zipfile(path)  # files from before 2020 are none, and are read whole
        try:
            found = torch.load(path, map_location="cpu", weights_only=True, mmap=mapped)
            self._tensors: dict[str, Tensor] = {str(name): found[name] for name in found}
            self.shapes = {name: tuple(tensor.shape) for name, tensor in self._tensors.items()}
        except Exception as error:  # pickle's and torch's errors have no common ancestor
            raise PellucidError(
                f"{path} was refused: it is broken, or holds more than tensors by name; "
                "ask for the weights as safetensors."
            ) from error

    def read(self, name: str) -> Tensor:
        return self._tensors[name]


@contextmanager
def opened(folder: Path) -> Iterator[Weights]:
    """The weights in a folder."""
    with ExitStack() as stack:
        if (folder / ONE).is_file():
            yield Mapped([_open(folder / ONE, stack)])
        elif (folder / INDEX).is_file():
            yield Mapped([_open(path, stack) for path in _shards(folder)])
        elif (folder / PICKLE).is_file():
            yield Unpickled(folder / PICKLE)
        else:
            raise UsageError(f"{folder} has no weights; expected {ONE}, {INDEX} or {PICKLE}.")


def _open(path: Path, stack: ExitStack) -> Any:
    try:
        return stack.enter_context(safe_open(path, framework="pt"))
    except (SafetensorError, OSError) as error:
        raise PellucidError(f"{path} is broken or no safetensors file ({error}).") from error


def _shards(folder: Path) -> list[Path]:
    """The files that the index names, all of which must be there, in this very folder."""
    try:
        index = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        names = sorted(set(index["weight_map"].values()))
        strange = [name for name in names if Path(name).name != name]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise PellucidError(f"{folder / INDEX} is no index of weights ({error!r}).") from error
    if strange:
        raise PellucidError(f"{folder / INDEX} names {strange[0]!r}, which is no file beside it.")
    if missing := [name for name in names if not (folder / name).is_file()]:
        raise PellucidError(f"{folder} lacks {', '.join(missing)}, which its index names.")
    return [folder / name for name in names]
