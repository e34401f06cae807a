"""The recorder: hears what layers note during one run, and keeps what was asked for."""

import weakref
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from itertools import chain

from torch import Tensor

from pellucid.formula.elements import same
from pellucid.record.node import Node
from pellucid.record.note import Noted

AXES = {1: "D", 2: "B T", 3: "B T D", 4: "B H T S"}  # of a value that comes without a formula
EXACT = {"add", "same"}  # what these make of held values is the run's own, to the bit
NAMELESS = (lambda: None), ""
ALWAYS = ("tokens.*", "*.tokens.*", "*.segment_ids")  # few bytes, and all begins with them


class Recorder:
    """Collects nodes (the graph), held values, and the layers that made them.

    `keep` are patterns of names ("encoder.3.*"); ids and which of them are real are always kept.
    """

    def __init__(self, keep: tuple[str, ...] = ("*",)) -> None:
        self.keep = keep + ALWAYS
        self.nodes: dict[str, Node] = {}
        self.held: dict[str, Tensor] = {}
        self.layers: list[Noted] = []
        self.size = 0
        self._names: dict[int, tuple[Callable[[], Tensor | None], str]] = {}
        self._storages: set[int] = set()
        self._sums: set[str] = set()
        self._known: set[str] = set()
        self._all = "*" in keep

    def hear(self, layer: Noted, values: Mapping[str, Tensor], *, hold: bool) -> None:
        """Names for tensors. A tensor that has a name is the same value under another."""
        if layer.path not in self._known:
            self._learn(layer)
        for local, value in values.items():
            name = f"{layer.path}.{local}"
            held = hold and self._wanted(name)
            self._name(name, value)
            if held:
                self._hold(name, value)

    def _learn(self, layer: Noted) -> None:
        """The layer's table of steps becomes part of the graph."""
        self._known.add(layer.path)
        self.layers.append(layer)
        self.nodes.update(layer.graph()[0])

    def weights(self) -> dict[str, Tensor]:
        """The weights that the values were made with, as they are now."""
        return dict(chain.from_iterable(layer.tensors().items() for layer in self.layers))

    def _name(self, name: str, value: Tensor) -> None:
        reference, known = self._names.get(id(value), NAMELESS)
        fresh = name not in self.nodes
        if reference() is not value:
            known = ""
        if fresh and known:
            axes = self.nodes[known].axes
            self.nodes[name] = Node(name, same(known, axes=axes), axes)
        elif fresh:
            self.nodes[name] = Node(name, None, AXES[value.dim()])
        if fresh or not known:
            self._names[id(value)] = (weakref.ref(value), name)

    def _wanted(self, name: str) -> bool:
        return self._all or any(fnmatchcase(name, pattern) for pattern in self.keep)

    def _hold(self, name: str, value: Tensor) -> None:
        """Keep the value, unless adding up what is kept gives it anyway."""
        storage = value.untyped_storage()
        if storage._cdata not in self._storages:
            if self._is_there(name):
                return
            self._storages.add(storage._cdata)
            self.size += storage.nbytes()
        self.held[name] = value

    def _is_there(self, name: str) -> bool:
        """Whether the value is held, or a sum of such values."""
        if name in self.held or name in self._sums:
            return True
        formula = self.nodes[name].formula
        if formula is None or formula.operation.name not in EXACT:
            return False
        if all(map(self._is_there, formula.parents)):
            self._sums.add(name)
        return name in self._sums
