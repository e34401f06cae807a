"""Checkpoints: one safetensors file each, put in place in one step; never a pickle.

Its header holds a JSON with a version. A run killed at any moment leaves the last checkpoint
whole; one that is full of weights is named by its step.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from pellucid.errors import PellucidError
from pellucid.record.files import write

VERSION = 1
ABOUT = "pellucid"  # the entry of the header that holds the JSON

About = dict[str, Any]
Tensors = dict[str, Tensor]


def save(path: Path, tensors: Mapping[str, Tensor], about: Mapping[str, Any]) -> None:
    """Write beside, flush, rename; what was there before stays if that fails."""
    header = {ABOUT: json.dumps({"version": VERSION, **about})}

    def fill(beside: Path) -> None:
        try:
            save_file({k: t.detach().contiguous() for k, t in tensors.items()}, beside, header)
        except SafetensorError as error:
            raise OSError(0, str(error)) from error

    write(path, fill, "replace")


def load(path: Path) -> tuple[Tensors, About]:
    """The tensors, and what is said about them."""
    try:
        with safe_open(path, framework="pt") as file:
            about = json.loads((file.metadata() or {})[ABOUT])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (OSError, SafetensorError, LookupError, ValueError) as error:
        raise PellucidError(f"{path} is no checkpoint of a training ({error}).") from error
    if not isinstance(about, dict) or about.get("version") != VERSION:
        raise PellucidError(f"{path} is of another version than {VERSION}; train afresh.")
    return tensors, about


def weights(model: nn.Module) -> Tensors:
    """What is learned, each tensor once however often it is used: parameters, lasting buffers."""
    lasting = set(model.state_dict())
    buffers = {name: b for name, b in model.named_buffers() if name in lasting}
    return {name: t.detach() for name, t in (*model.named_parameters(), *buffers.items())}


@torch.no_grad()
def put(model: nn.Module, tensors: Mapping[str, Tensor]) -> None:
    """Give the model these weights; tensors that are tied stay so."""
    for name, tensor in weights(model).items():
        tensor.copy_(tensors[name])


class Shelf:
    """Weights by the step at which they were measured: in a folder, or where there is none, here.

    Averaged are they as in Vaswani et al. 2017: the mean of each weight over the last few.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder, self.here = folder, dict[int, Tensors]()

    def add(self, step: int, tensors: Tensors) -> None:
        """Keep a copy."""
        if self.folder is None:
            self.here[step] = {name: tensor.clone() for name, tensor in tensors.items()}
        else:
            save(self._path(step), tensors, {"step": step})

    def __contains__(self, step: int) -> bool:
        return step in self.here if self.folder is None else self._path(step).is_file()

    def get(self, step: int) -> Tensors:
        """The weights of one step."""
        return self.here[step] if self.folder is None else load(self._path(step))[0]

    def only(self, steps: set[int]) -> None:
        """Let go of all others."""
        self.here = {step: tensors for step, tensors in self.here.items() if step in steps}
        if self.folder is not None:
            wanted = {self._path(step) for step in steps}
            for path in self.folder.glob("weights-*.safetensors"):
                if path not in wanted:
                    path.unlink()

    def mean(self, steps: list[int]) -> Tensors:
        """The mean of the weights of several steps, in float64; one set is held at a time."""
        total: Tensors = {}
        for step in steps:
            for name, tensor in self.get(step).items():
                part = tensor.double() / len(steps)
                total[name] = total[name] + part if name in total else part
        return total

    def _path(self, step: int) -> Path:
        assert self.folder is not None
        return self.folder / f"weights-{step:08}.safetensors"
