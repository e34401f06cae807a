"""Beam search: the k best branches go on together; answers that end wait to be compared.

At each step the best (1 + number of ends) · k candidates are considered, at least 2k, so that k
can go on even if others end. One that ends counts as an answer only if it is among the first k.
"""

import math
from collections import Counter

import torch
from jaxtyping import Float
from torch import Tensor

from pellucid.decode.length import attainable, divisor, may_stop
from pellucid.decode.rules import Weighed
from pellucid.decode.search import Plan, Search, candidates
from pellucid.decode.tree import Node


class Beam(Search):
    """The k best branches, and the k best answers."""

    def __init__(self, plan: Plan, size: int = 0) -> None:
        super().__init__(plan)
        self.size = size or plan.beams
        self.considered = (1 + max(1, len(plan.ends))) * self.size

    def grow(self, logits: Float[Tensor, "N V"]) -> None:
        """One step of all branches together."""
        self.advance(self.weigh(logits[: len(self.live)]))

    def advance(self, weighed: Weighed) -> list[Node]:
        """Candidates, of which some go on, some end, and the others are cut; those chosen."""
        found = self.choose_from(weighed)
        self.nodes += found
        self.live = self.select(found)
        chosen = [node for node in found if node.fate != "cut"]
        self.settle()
        return chosen

    def choose_from(self, weighed: Weighed) -> list[Node]:
        """The best candidates of all branches, the best first."""
        count = min(self.considered, weighed.scores.shape[-1])
        rows = weighed.scores.topk(count, dim=-1).indices.tolist()
        nodes = [
            node
            for row, (parent, ids) in enumerate(zip(self.live, rows, strict=True))
            for node in candidates(weighed, row, parent, ids)
            if node.value > -math.inf
        ]
        return sorted(nodes, key=lambda node: -node.total)[: self.considered]

    def select(self, found: list[Node]) -> list[Node]:
        """Those that go on; those among the first k that end are answers."""
        live: list[Node] = []
        for rank, node in enumerate(found):
            why = self.plan.finish(node)
            if why in ("end", "stop string"):
                self._end_or_cut(node, rank, why)
            elif len(live) < self.size:
                live.append(node)
            else:
                node.cut(f"{self.size} better ones go on")
        return live

    def _end_or_cut(self, node: Node, rank: int, why: str) -> None:
        if rank < self.size:
            self.end(node, why)
        else:
            node.cut(f"ends, but is not among the best {self.size}")

    def settle(self) -> None:
        """Keep the best k answers; stop at the limit, or when the rule says so."""
        for node in [node for node in self.live if node.step >= self.plan.limit]:
            self.live.remove(node)
            self.end(node, "length")
        self._forget(self.answers[self.size :])
        if self.live and self.is_over():
            for node in self.live:
                node.cut(f"{self.size} answers are enough ({self.plan.stopping})")
            self.live = []

    def _forget(self, worse: list[Node]) -> None:
        for node in worse:
            self.ended.remove(node)
            node.cut(f"ends, but {self.size} answers are better")

    def is_over(self) -> bool:
        """Whether the answers there are will do; the three rules are in `length.py`."""
        if len(self.ended) < self.size:
            return False
        plan, best = self.plan, max(node.total for node in self.live)
        length = self.live[0].step
        now = best / divisor(plan.penalty, length, plan.length_penalty)
        ahead = (length + 1, plan.limit)
        later = attainable(plan.penalty, best, ahead, plan.length_penalty)
        return may_stop(plan.stopping, self.plan.score(self.answers[-1]), now, later)


class Diverse(Search):
    """Groups of beams; what one chose at this step is made less likely for those after it.

    (Vijayakumar et al. 2016, with Hamming diversity: log-probability − λ · times chosen.)
    """

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.groups = [Beam(plan, plan.beams // plan.groups) for _ in range(plan.groups)]
        for group in self.groups:
            group.live, group.nodes = self.live, self.nodes

    def grow(self, logits: Float[Tensor, "N V"]) -> None:
        """One step of each group in turn."""
        rows = {id(node): row for row, node in enumerate(self.live)}
        chosen: Counter[int] = Counter()
        for group in self.groups:
            if group.live:
                own = logits[[rows[id(node)] for node in group.live]]
                followed = group.advance(self._apart(group.weigh(own), chosen))
                chosen.update(node.token for node in followed)
        self.live = [node for group in self.groups for node in group.live]
        self.ended = [node for group in self.groups for node in group.ended]

    def _apart(self, weighed: Weighed, chosen: Counter[int]) -> Weighed:
        if not chosen:
            return weighed
        scores = weighed.scores.clone()
        ids = torch.tensor(list(chosen), device=scores.device)
        times = torch.tensor(list(chosen.values()), dtype=scores.dtype, device=scores.device)
        scores[:, ids] -= self.plan.diversity * times
        return weighed.more("diversity", scores)
