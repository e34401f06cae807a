"""The tree of a search: every candidate at every step, whether it was kept, and why not."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pellucid.errors import PellucidError

Fate = Literal["kept", "cut", "ended"]
SLACK = 1e-9  # of a sum in float64


@dataclass(frozen=True, slots=True)
class Change:
    """What a rule made of a token's score."""

    rule: str
    before: float
    after: float


@dataclass(eq=False, slots=True)
class Node:
    """A token that was considered, after all the tokens before it.

    `log_probability` is the model's own, `value` what the rules left of it, `total` the sum of
    the values from the first token to this one. `why` says what became of it and for what reason.
    """

    token: int
    parent: "Node | None"
    log_probability: float = 0.0
    changes: tuple[Change, ...] = ()
    fate: Fate = "kept"
    why: str = ""
    score: float | None = None  # of an answer that ends here
    step: int = field(init=False)
    value: float = field(init=False)
    total: float = field(init=False)

    def __post_init__(self) -> None:
        self.value = self.changes[-1].after if self.changes else self.log_probability
        self.step = self.parent.step + 1 if self.parent else 0
        self.total = self.parent.total + self.value if self.parent else 0.0

    def path(self) -> "list[Node]":
        """The tokens from the first to this one."""
        nodes, node = [], self
        while node.parent is not None:
            nodes.append(node)
            node = node.parent
        return nodes[::-1]

    @property
    def ids(self) -> list[int]:
        """The path's ids."""
        return [node.token for node in self.path()]

    def end(self, why: str, score: float) -> None:
        """An answer ends here."""
        self.fate, self.why, self.score = "ended", why, score

    def cut(self, why: str) -> None:
        """It is not followed."""
        self.fate, self.why = "cut", why


def root() -> Node:
    """Where a search begins: nothing has been said."""
    return Node(token=-1, parent=None)


@dataclass(frozen=True, eq=False)
class Tree:
    """All candidates of a search, step by step; `piece` turns an id into what a person reads.

    It prints as a tree. `to_json` gives it as plain data.
    """

    nodes: list[Node]
    piece: Callable[[int], str]
    about: dict[str, Any]

    def check(self) -> None:
        """Refuse sums that are not the sums of their terms."""
        for node in self.nodes:
            terms = sum(each.value for each in node.path())
            if abs(terms - node.total) > SLACK * max(1.0, abs(terms)):
                raise PellucidError(f"The terms of {node.ids} add up to {terms}, not {node.total}.")

    def steps(self) -> Iterator[list[Node]]:
        """The candidates of each step."""
        step: list[Node] = []
        for node in self.nodes:
            if step and node.step != step[0].step:
                yield step
                step = []
            step.append(node)
        if step:
            yield step

    def to_json(self) -> dict[str, Any]:
        """Plain data: a parent is a number in the list, −1 before the first token."""
        numbers = {id(node): at for at, node in enumerate(self.nodes)}
        return {
            **self.about,
            "candidates": [
                self._row(node, numbers.get(id(node.parent), -1)) for node in self.nodes
            ],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Tree":
        """The inverse of `to_json`: a saved tree needs no model."""
        pieces = {row["id"]: row["piece"] for row in data["candidates"]}
        nodes, first = list[Node](), root()
        for row in data["candidates"]:
            parent = first if row["parent"] < 0 else nodes[row["parent"]]
            changes = tuple(Change(*change) for change in row["changes"])
            told = row["fate"], row["why"], row["score"]
            nodes.append(Node(row["id"], parent, row["log_probability"], changes, *told))
        about = {name: value for name, value in data.items() if name != "candidates"}
        tree = cls(nodes, pieces.__getitem__, about)
        tree.check()
        return tree

    def _row(self, node: Node, parent: int) -> dict[str, Any]:
        return {
            "step": node.step,
            "parent": parent,
            "id": node.token,
            "piece": self.piece(node.token),
            "log_probability": node.log_probability,
            "changes": [[c.rule, c.before, c.after] for c in node.changes],
            "value": node.value,
            "total": node.total,
            "fate": node.fate,
            "why": node.why,
            "score": node.score,
        }

    def __str__(self) -> str:
        from pellucid.decode.drawing import draw

        return "\n".join(draw(self))
