"""Which module of theirs makes which value of ours.

No list is kept: the family's table says where each of our weights lies in their checkpoint, and
our formulas say which value is made with that weight. So all that goes into their module with
the weight, and all that comes out of it, has a name here.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from torch import Tensor

from pellucid.models.checkpoint import family_of
from pellucid.models.model import Model
from pellucid.models.naming import Rule, find
from pellucid.nn.layer import Layer
from pellucid.record.node import Node


@dataclass(frozen=True)
class Pair:
    """A value of ours, and the module of theirs that makes it.

    The module has one of several names, and may be called more than once in a run (`call`, from
    0). What comes out may hold several of our values side by side: ours is `part` of `parts`.
    """

    node: Node
    modules: tuple[str, ...]
    call: int
    part: int
    parts: int

    @property
    def taken(self) -> str | None:
        """Our name for what the module takes in."""
        match self.node.formula and self.node.formula.operation.name:
            case "affine":
                return self.node.parents[0]
            case "rescale":
                return f"{self.node.place}.input"
        return None

    def fits(self, made: Tensor) -> bool:
        """Whether it has our axes."""
        return self.ours(made).dim() == len(self.node.axes.split())

    def ours(self, made: Tensor) -> Tensor:
        """Our value among what the module makes."""
        if self.node.axes == "B H T S":  # T5's bias comes as T S H
            return made.permute(2, 0, 1)[None]
        return made.chunk(self.parts, dim=-1)[self.part]


def pairs(model: Model) -> Iterator[Pair]:
    """All pairs that follow from the table of the model's family."""
    rules = family_of(model.settings).table(model.config)
    for path, layer in model.named_modules():
        if isinstance(layer, Layer):
            nodes, weights = layer.graph()
            first, call = _first(path, shared=model.config.layer_weights == "shared")
            names = {name: f"{first}.{local}" for name, local in weights.items()}
            for node in nodes.values():
                if pair := _pair(rules, node, names, call):
                    yield pair


def _first(path: str, *, shared: bool) -> tuple[str, int]:
    """Layers that share their weights are, with them, the first one called again and again."""
    found = re.search(r"\blayers\.(\d+)", path)
    if found is None or not shared:
        return path, 0
    return path.replace(found[0], "layers.0", 1), int(found[1])


def _pair(
    rules: tuple[Rule, ...], node: Node, weights: Mapping[str, str], call: int
) -> Pair | None:
    """The pair for a value that is made with weights, if they are all of one module of theirs."""
    found = [find(rules, weights[name]) for name in node.parents if name in weights]
    known = [each for each in found if each is not None]
    homes = {tuple(name.rpartition(".")[0] for name in names) for _, _, names in known}
    if len(homes) != 1 or len(known) < len(found):
        return None
    rule, part, _ = known[0]
    return Pair(node, homes.pop(), call, part, len(rule.ours))
