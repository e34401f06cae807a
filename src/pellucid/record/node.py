"""A node of the trace's graph: one named value and what it was made from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pellucid.formula import OPERATIONS, Formula


@dataclass(frozen=True)
class Node:
    """A value's name, how it follows from other names (None: given), and its dimensions."""

    name: str
    formula: Formula | None
    axes: str

    @property
    def parents(self) -> tuple[str, ...]:
        return self.formula.parents if self.formula else ()

    @property
    def place(self) -> str:
        """The layer it belongs to: `encoder.0.attention` of `encoder.0.attention.q`."""
        return self.name.rpartition(".")[0]

    def to_json(self) -> dict[str, Any]:
        """The node as plain data."""
        if self.formula is None:
            return {"name": self.name, "axes": self.axes}
        return {
            "name": self.name,
            "axes": self.axes,
            "operation": self.formula.operation.name,
            "parents": list(self.parents),
            "settings": dict(self.formula.settings),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Node":
        """The inverse of `to_json`; an operation that is not ours is refused."""
        name, axes, formula = str(data["name"]), str(data["axes"]), None
        if "operation" in data:
            operation, parents = OPERATIONS[data["operation"]], tuple(map(str, data["parents"]))
            formula = Formula(operation, parents, axes, dict(data["settings"]))
        return cls(name, formula, axes)


def sort(nodes: Mapping[str, Node]) -> dict[str, Node]:
    """The nodes in the order of the road: every value stands after what it is made from."""
    done: dict[str, Node] = {}
    begun: set[str] = set()
    for name in nodes:
        stack = [name]
        while stack:
            node = nodes[stack[-1]]
            waiting = [p for p in reversed(node.parents) if p in nodes and p not in done]
            if waiting and node.name in begun:
                raise ValueError(f"{node.name} is made from itself")
            begun.add(node.name)
            if not waiting:
                done.setdefault(stack.pop(), node)
            stack += waiting
    return done
