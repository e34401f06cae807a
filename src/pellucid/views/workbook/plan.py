"""The plan of a workbook: which values it holds, how much of each, and which are typed in."""

from dataclasses import dataclass, field
from functools import cached_property
from math import prod

from pellucid.errors import PellucidError
from pellucid.formula import Formula
from pellucid.record.store import once
from pellucid.record.trace import Trace
from pellucid.views.workbook.boxes import Box, Form, Shape, form, read, union, whole
from pellucid.views.workbook.part import Part

BESIDE = 3  # a result, the model's own value, and the difference


@dataclass
class Plan:
    """What a part of a trace reads, found from its results back to what is given.

    `tables` are the weights of which a text needs only some rows.
    """

    trace: Trace
    part: Part
    boxes: dict[str, Box] = field(default_factory=dict)
    tables: dict[str, set[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.boxes |= self.part.roots(self.trace)
        for name in reversed(self.trace.nodes):
            if name in self.boxes and (formula := self.formula(name)) is not None:
                self._follow(formula, self.boxes[name])
        for table in self.tables.keys() & self.boxes.keys():
            del self.tables[table]
            self.boxes[table] = whole(self.shape(table))

    def _follow(self, formula: Formula, box: Box) -> None:
        shapes = [self.shape(parent) for parent in formula.parents]
        for parent, needed in zip(formula.parents, read(formula, box, shapes), strict=True):
            name = self.own(parent)
            if needed is not None:
                self.boxes[name] = union(self.boxes.get(name), needed)
            elif formula.operation.name == "gather":
                self.tables.setdefault(name, set()).update(self.ids(formula.parents[1]))
            elif name in self.trace.weights:
                self.boxes[name] = whole(self.shape(name))

    @cached_property
    def inside(self) -> set[str]:
        return set(self.part.names(self.trace))

    @cached_property
    def _same_weights(self) -> dict[str, str]:
        return once(self.trace.weights)

    def own(self, name: str) -> str:
        """The name under which a value is placed: one that is only copied has another's."""
        while (formula := self.formula(name)) is not None and formula.operation.name == "same":
            name = formula.parents[0]
        return self._same_weights.get(name, name)

    def formula(self, name: str) -> Formula | None:
        """How a value follows from others in the workbook; None: it is typed in."""
        if name not in self.inside or (formula := self.trace.node(name).formula) is None:
            return None
        if formula.operation.name == "same" and not self._is_known(formula.parents[0]):
            return None
        return None if self._is_of_others_too(name, formula) else formula

    def _is_known(self, name: str) -> bool:
        return name in self.inside or name in self.trace.weights

    def _is_of_others_too(self, name: str, formula: Formula) -> bool:
        """Whether other sentences had a share in it (batch norm's statistics while it learns)."""
        if self.trace.node(name).axes.startswith("B"):
            return False
        batches = (self.trace.nodes[p] for p in formula.parents if p in self.trace.nodes)
        return any(n.axes.startswith("B") and self.shape(n.name)[0] > 1 for n in batches)

    def shape(self, name: str) -> Shape:
        """The shape; a weight that the trace lacks is told of."""
        if name not in self.trace:
            raise PellucidError(
                f"A workbook needs the weight {name}, which this trace was saved without; save it "
                'with weights="all", or load it with Trace.load(path, model.weights()).'
            )
        return self.trace.shape(name)

    def form(self, name: str) -> Form:
        """Where a value's heads, rows and columns are."""
        node = self.trace.nodes.get(name)
        return form(node.axes if node else "", self.shape(name))

    def ids(self, name: str) -> list[int]:
        """The rows of a table that this value names, a token each."""
        numbers: list[int] = self.trace[name][self.part.sentence].tolist()
        return numbers

    @cached_property
    def values(self) -> list[str]:
        """The values that have a place, in the order of the road."""
        return [name for name in self.trace.nodes if name in self.boxes and self.own(name) == name]

    @cached_property
    def weights(self) -> list[str]:
        """The weights that have a place."""
        return [n for n in self.trace.weights if n in self.boxes or n in self.tables]

    @property
    def size(self) -> int:
        """How many cells hold numbers."""
        values = (
            prod(self.form(name).counts(self.boxes[name])) * (BESIDE if self.formula(name) else 1)
            for name in self.values
        )
        rows = (len(ids) * (self.shape(name)[-1] + 1) for name, ids in self.tables.items())
        weights = (prod(map(len, self.boxes[n])) for n in self.weights if n in self.boxes)
        return sum(values) + sum(rows) + sum(weights)
