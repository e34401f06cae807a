"""Traces as files. The ending says how: each has a writer, and .safetensors can be read back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from pellucid.errors import PellucidError, UsageError
from pellucid.record.files import Existing, write
from pellucid.record.node import Node
from pellucid.record.tokens import Tokens

if TYPE_CHECKING:
    from pellucid.record.trace import Trace

FORMAT = 1
SMALL = 65_536  # numbers in a weight that is kept with every saved trace

# a file's ending and what writes it; views stand further down the house, so they are named
WRITERS = {
    ".safetensors": "pellucid.record.store:fill",
    ".json": "pellucid.views.data:fill",
    ".html": "pellucid.views.page:fill",
    ".xlsx": "pellucid.views.workbook.book:fill",
    ".png": "pellucid.views.plots.files:png",
    ".svg": "pellucid.views.plots.files:svg",
    ".pdf": "pellucid.views.plots.files:pdf",
}


@dataclass(frozen=True)
class Wish:
    """What to write of a trace; each writer heeds what concerns it.

    `weights` go along if they are small, or all of them. A page shows these `layers`, else all;
    a workbook and a figure show a layer, a head, a sentence. `told` hears how far a long writing
    is.
    """

    weights: Literal["small", "all"] = "small"
    layer: int | None = None
    head: int | None = None
    sentence: int = 0
    figure: str = "overview"
    layers: Sequence[int] | None = None
    told: Callable[[str], object] = str


def writer_of(path: Path, writers: Mapping[str, str] = WRITERS, what: str = "a trace") -> Any:
    """The function that fills a file of this ending; an unknown ending is refused."""
    if path.suffix not in writers:
        endings = ", ".join(writers)
        raise UsageError(f"{path} has the ending {path.suffix!r}; {what} is saved as {endings}.")
    module, _, function = writers[path.suffix].partition(":")
    try:
        return getattr(import_module(module), function)
    except ModuleNotFoundError as error:
        raise UsageError(
            f"For {path.suffix} the package {error.name} is missing: pip install "
            f"'pellucid[figures]'."
        ) from error


def save(trace: Trace, path: Path, wish: Wish, existing: Existing) -> Path:
    """Write the trace in the way its ending asks for."""
    fill = writer_of(path)
    return write(path, lambda beside: fill(trace, beside, wish), existing)


def fill(trace: Trace, path: Path, wish: Wish) -> None:
    """Recorded values and weights as safetensors, the graph as JSON in its header."""
    kept = [
        name
        for name, weight in trace.weights.items()
        if wish.weights == "all" or weight.numel() <= SMALL
    ]
    tensors = {name: trace[name] for name in kept} | trace.held
    stored = once(tensors)
    description = {
        "format": FORMAT,
        "nodes": [node.to_json() for node in trace.nodes.values()],
        "weights": kept,
        "tensors": stored,
        "texts": {name: [t.to_json() for t in stream] for name, stream in trace.texts.items()},
        "about": about(trace),
    }
    separate = {
        name: tensors[name].detach().clone(memory_format=torch.contiguous_format)
        for name in set(stored.values())
    }
    try:
        save_file(separate, path, metadata={"pellucid": json.dumps(description)})
    except SafetensorError as error:
        raise PellucidError(f"The trace could not be written: {error}.") from error


def once(tensors: Mapping[str, Tensor]) -> dict[str, str]:
    """The name under which each tensor is stored: one, where several names mean the same."""
    first: dict[object, str] = {}
    return {
        name: first.setdefault((x.data_ptr(), x.shape, x.stride(), x.dtype), name)
        for name, x in tensors.items()
    }


def about(trace: Trace) -> dict[str, Any]:
    """What is known about the run, the words it answers with among it."""
    answers = trace.answers()
    return trace.about | ({"answers": answers.to_json()} if answers else {})


def read(path: Path, weights: Mapping[str, Tensor], build: Callable[..., Trace]) -> Trace:
    """The trace that a file's parts make, checked; `weights` supplies what the file left out."""
    if not path.is_file():
        raise UsageError(f"There is no file {path}; give one that trace.save() wrote.")
    try:
        with safe_open(path, framework="pt") as file:
            header = (file.metadata() or {}).get("pellucid")
            # a copy of their own lies aligned in memory, so that products give the same bits
            tensors = {name: file.get_tensor(name).clone() for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise PellucidError(f"{path} is broken or no safetensors file ({error}).") from error
    if header is None:
        raise PellucidError(f"{path} holds tensors but no trace; trace.save() writes one.")
    with understood(path):
        parts = _parts(json.loads(header), tensors)
    _check_model(path, parts["weights"], weights)
    with understood(path):
        return _checked(build(**parts | {"weights": {**weights, **parts["weights"]}}))


@contextmanager
def understood(path: Path) -> Iterator[None]:
    """Whatever goes wrong, the file is to blame; it can be wrong in more ways than one can name."""
    try:
        yield
    except Exception as error:
        raise PellucidError(
            f"{path} holds a trace that cannot be understood ({error!r}); save it again."
        ) from error


def _check_model(path: Path, kept: Mapping[str, Tensor], weights: Mapping[str, Tensor]) -> None:
    """Refuse weights of another model: what the file has of its own tells them apart."""
    for name in kept.keys() & weights.keys():
        one, other = kept[name], weights[name].cpu()
        if one.dtype != other.dtype or not one.equal(other):
            raise UsageError(
                f"{name} in {path} is not what these weights have there; "
                "give those of the model that the trace is of, as it was."
            )


def _checked(trace: Trace) -> Trace:
    """The trace, if its formulas can be followed and its values have the axes they say."""
    trace.answers()
    for row in trace.tree():
        if row.kind != "missing" and len(row.shape) != len(row.axes.split()):
            raise ValueError(f"{row.name} {list(row.shape)} along {row.axes!r}")
    return trace


def _parts(description: dict[str, Any], tensors: dict[str, Tensor]) -> dict[str, Any]:
    if description["format"] != FORMAT:
        raise ValueError(f"format {description['format']}, this version reads {FORMAT}")
    named = {name: tensors[stored] for name, stored in description["tensors"].items()}
    names = description["weights"]
    return {
        "nodes": {data["name"]: Node.from_json(data) for data in description["nodes"]},
        "held": {name: tensor for name, tensor in named.items() if name not in names},
        "weights": {name: named[name] for name in names},
        "texts": {
            stream: [Tokens.from_json(data) for data in texts]
            for stream, texts in description["texts"].items()
        },
        "about": description["about"],
    }
