"""What every layer of the house is: a module that knows its path and states its steps."""

from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter

from torch import Tensor, nn

from pellucid.formula import Formula
from pellucid.formula.elements import same
from pellucid.formula.linear import linear
from pellucid.formula.sums import affine
from pellucid.record.node import Node
from pellucid.record.note import Steps


class Table(nn.Embedding):
    """Rows of vectors. Where they have no numbers (device "meta"), none are drawn."""

    def reset_parameters(self) -> None:
        if not self.weight.is_meta:
            super().reset_parameters()


class Linear(nn.Linear):
    """x Wᵀ + b. Where they have no numbers (device "meta"), none are drawn."""

    def forward(self, x: Tensor) -> Tensor:
        return linear(x, self.weight, self.bias)

    def reset_parameters(self) -> None:
        if not self.weight.is_meta:
            super().reset_parameters()


UNSAID = {
    "layers",
    "entrance",
    "heads",
}  # parts of a module's path that a name in the trace leaves out


class Layer(nn.Module):
    """A module with a name in the trace and a table of the numbers it makes."""

    path: str = ""

    def steps(self) -> Steps:
        """Name → formula over the layer's own names, its parts' names and its parameters."""
        return {}

    def graph(self) -> tuple[dict[str, Node], dict[str, str]]:
        """The steps under their full names, and where the weights among their parents are.

        Made once for each mode, since a run may be recorded thousands of times.
        """
        tables = self.__dict__.setdefault("_tables", {})
        key = self.path, self.training
        if key not in tables:
            tables[key] = self._nodes(), self._weights()
        found: tuple[dict[str, Node], dict[str, str]] = tables[key]
        return found

    def _nodes(self) -> dict[str, Node]:
        full = f"{self.path}.{{}}".format
        return {
            full(name): Node(
                full(name),
                replace(formula, parents=tuple(map(full, formula.parents))),
                formula.axes,
            )
            for name, formula in self.steps().items()
        }

    def _weights(self) -> dict[str, str]:
        parents = {parent for formula in self.steps().values() for parent in formula.parents}
        return {f"{self.path}.{name}": name for name in parents if self._has(name)}

    def tensors(self) -> dict[str, Tensor]:
        """The weights among the parents under their full names, apart from gradients' graphs."""
        return {full: attrgetter(own)(self).detach() for full, own in self.graph()[1].items()}

    def _has(self, name: str) -> bool:
        try:
            return isinstance(attrgetter(name)(self), Tensor)
        except AttributeError:
            return False


class Fixed(Layer):
    """A layer whose own buffers are constants: they move with the model, but stay exact."""

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> "Fixed":
        constants = dict(self.named_buffers(recurse=False))
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        for name, constant in constants.items():
            setattr(self, name, constant.to(self.get_buffer(name).device))
        return self


def give_paths(model: nn.Module) -> None:
    """Tell each layer its path in the trace: its path in the model, less what goes unsaid."""
    for name, module in model.named_modules():
        if isinstance(module, Layer):
            module.path = ".".join(part for part in name.split(".") if part not in UNSAID)


def step(name: str, part: nn.Module, of: str, axes: str) -> dict[str, Formula]:
    """What a part called `name` makes of the value called `of`: xWᵀ + b, or x itself."""
    if not isinstance(part, nn.Linear):
        return {name: same(of, axes=axes)}
    bias = [f"{name}.bias"] if part.bias is not None else []
    return {name: affine(of, f"{name}.weight", *bias, axes=axes)}


def take_weights(to: nn.Module, of: nn.Module) -> None:
    """Let one module use another's parameters, the very same tensors."""
    for name, parameter in of.named_parameters():
        place, _, last = name.rpartition(".")
        setattr(to.get_submodule(place), last, parameter)
