"""Walks: every branch goes on alone, by its likeliest token (greedy) or by one that is drawn."""

import torch
from jaxtyping import Float
from torch import Tensor

from pellucid.decode.rules import Weighed
from pellucid.decode.search import Plan, Search, candidates
from pellucid.decode.tree import Node

SHOWN = 4  # candidates to put on record beside the chosen one


class Walk(Search):
    """One branch for the likeliest token, or several that draw theirs.

    Every branch draws from a generator of its own, seeded by the plan's seed and its number, so
    what else is in the batch does not matter.
    """

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.live = self.live * max(1, plan.samples)
        self.generators = [
            torch.Generator().manual_seed(plan.seed + number) for number in range(plan.samples)
        ]

    def grow(self, logits: Float[Tensor, "N V"]) -> None:
        """One step of every branch."""
        parents, generators = self.live, self.generators
        weighed = self._distribution(self.weigh(logits[: len(parents)].expand(len(parents), -1)))
        self.live, self.generators = [], []
        for row, parent in enumerate(parents):
            node = self._choose(weighed, row, parent, generators[row] if generators else None)
            if why := self.plan.finish(node):
                self.end(node, why)
            else:
                self.live.append(node)
                self.generators += generators[row : row + 1]

    def _distribution(self, weighed: Weighed) -> Weighed:
        """What is drawn from adds up to 1."""
        if not self.plan.samples:
            return weighed
        return weighed.more("made to add up to 1", weighed.scores.log_softmax(-1))

    def _choose(
        self, weighed: Weighed, row: int, parent: Node, generator: torch.Generator | None
    ) -> Node:
        scores = weighed.scores[row]
        best = scores.topk(min(SHOWN + 1, len(scores))).indices.tolist()
        token = draw(scores, generator) if generator else best[0]
        others = [each for each in best if each != token][:SHOWN]
        chosen, *rest = candidates(weighed, row, parent, [token, *others])
        chosen.why = "drawn" if generator else "the likeliest"
        for node in rest:
            node.cut("another was drawn" if generator else "less likely")
        self.nodes += [chosen, *rest]
        return chosen


def draw(scores: Float[Tensor, "V"], generator: torch.Generator) -> int:
    """A token by its probability: where one number between 0 and 1 falls in their running sum."""
    sums = scores.double().softmax(-1).cumsum(-1)
    at = torch.rand((), generator=generator, dtype=torch.float64).to(sums.device) * sums[-1]
    found = int(torch.searchsorted(sums, at, right=True))
    return min(found, int(scores.isfinite().nonzero()[-1]))
