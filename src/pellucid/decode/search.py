"""A search: from the logits of its branches to its next branches, until there are answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from pellucid.decode.length import Penalty, Stopping, divisor
from pellucid.decode.rules import Rule, Said, Weighed
from pellucid.decode.tree import Change, Node, root
from pellucid.errors import PellucidError
from pellucid.formula.linear import exact

Finish = Literal["end", "length", "stop string"]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What one text's search is to do.

    `limit` is the most tokens to generate; `ends` are the tokens that end an answer, `stopped`
    says whether ids have one of the stop strings in their text.
    """

    prompt: Sequence[int]
    limit: int
    ends: frozenset[int]
    rules: tuple[Rule, ...] = ()
    stopped: Callable[[list[int]], bool] | None = None
    beams: int = 1
    groups: int = 1
    diversity: float = 0.0
    penalty: Penalty = "mean"
    length_penalty: float = 1.0
    stopping: Stopping = "exact"
    must: Mapping[str, Sequence[Sequence[int]]] = field(default_factory=dict)
    samples: int = 0
    seed: int = 0

    def score(self, node: Node) -> float:
        """The sum of its values, by the length of what was generated."""
        return node.total / divisor(self.penalty, node.step, self.length_penalty)

    def finish(self, node: Node) -> Finish | None:
        """Whether and why an answer ends with this token."""
        if node.token in self.ends:
            return "end"
        if self.stopped is not None and self.stopped(node.ids):
            return "stop string"
        return "length" if node.step >= self.limit else None


class Search:
    """What all have in common: branches that live, answers that ended, and all candidates."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.live: list[Node] = [root()]
        self.ended: list[Node] = []
        self.nodes: list[Node] = []

    def grow(self, logits: Float[Tensor, "N V"]) -> None:
        """Choose the next branches by the logits of the live ones."""
        raise NotImplementedError

    @property
    def answers(self) -> list[Node]:
        """The answers so far, the best first."""
        return sorted(self.ended, key=lambda node: -self.plan.score(node))

    def weigh(self, logits: Float[Tensor, "N V"]) -> Weighed:
        """The scores of all next tokens, by the rules."""
        scores = exact(logits).log_softmax(-1)
        if not self.plan.rules:
            return Weighed([("model", scores)])
        normaliser = logits.amax(-1, keepdim=True) - scores.amax(-1, keepdim=True)
        said = Said(self.plan.prompt, [node.ids for node in self.live], normaliser)
        weighed = Weighed.of(scores, self.plan.rules, said)
        if not bool(weighed.scores.isfinite().any()):
            rules = ", ".join(dict.fromkeys(rule.name for rule in self.plan.rules))
            raise PellucidError(f"No token is left to follow: the rules ({rules}) bar them all.")
        return weighed

    def end(self, node: Node, why: str) -> None:
        """An answer ends with this token."""
        node.end(why, self.plan.score(node))
        self.ended.append(node)


def candidates(weighed: Weighed, row: int, parent: Node, ids: Sequence[int]) -> list[Node]:
    """Nodes for these tokens of a row, with what each rule made of them."""
    chosen = torch.tensor(ids, device=weighed.scores.device)
    stages = [(name, scores[row, chosen].tolist()) for name, scores in weighed.stages]
    return [
        Node(token, parent, stages[0][1][at], _changes(stages, at)) for at, token in enumerate(ids)
    ]


def _changes(stages: list[tuple[str, list[float]]], at: int) -> tuple[Change, ...]:
    """Only those rules that changed this token's score."""
    pairs = pairwise(stages)
    found = (Change(name, before[at], after[at]) for (_, before), (name, after) in pairs)
    return tuple(change for change in found if change.before != change.after)
