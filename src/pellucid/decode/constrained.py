"""Beam search for answers that must contain certain words (Post and Vilar 2018).

Branches are banked by how many tokens of the words they already have. The k places are dealt out
in turn to the banks, the fullest first, so that a branch that has just taken up a word need not
compete with those that have not. A word is any of several runs of tokens, since a space before it
may belong to it. No answer ends before it has all words.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import zip_longest

from pellucid.decode.beam import Beam
from pellucid.decode.rules import Weighed
from pellucid.decode.search import Plan, candidates
from pellucid.decode.tree import Node
from pellucid.errors import PellucidError

Run = Sequence[int]


class Constrained(Beam):
    """The k best branches of every bank in turn."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.words = list(plan.must.values())
        self.all = sum(max(map(len, runs)) for runs in self.words)

    def choose_from(self, weighed: Weighed) -> list[Node]:
        """The best of all, and whatever takes up or goes on with a word."""
        found = super().choose_from(weighed)
        known = {(id(node.parent), node.token) for node in found}
        for row, parent in enumerate(self.live):
            wanted = sorted(self._next(parent.ids))
            new = [token for token in wanted if (id(parent), token) not in known]
            if new:
                found += candidates(weighed, row, parent, new)
        return sorted((n for n in found if n.value > -math.inf), key=lambda node: -node.total)

    def select(self, found: list[Node]) -> list[Node]:
        """The places dealt out to the banks; ends count only where nothing is missing."""
        banks: dict[int, list[Node]] = defaultdict(list)
        for rank, node in enumerate(found):
            why = self.plan.finish(node)
            if why not in ("end", "stop string"):
                banks[self.progress(node.ids)].append(node)
            elif missing := self.missing(node.ids):
                node.cut(f"ends without {missing[0]!r}")
            else:
                self._end_or_cut(node, rank, why)
        dealt = zip_longest(*(banks[bank] for bank in sorted(banks, reverse=True)))
        order = [node for turn in dealt for node in turn if node is not None]
        for node in order[self.size :]:
            node.cut(f"{self.size} better ones go on, dealt by words")
        return order[: self.size]

    def settle(self) -> None:
        """At the limit, only what has all words is an answer."""
        for node in [node for node in self.live if node.step >= self.plan.limit]:
            if missing := self.missing(node.ids):
                self.live.remove(node)
                node.cut(f"too long without {missing[0]!r}")
        super().settle()

    def progress(self, ids: Run) -> int:
        """How many tokens of the words are there, whole words and the one in progress."""
        return sum(max(_whole_or_begun(run, ids) for run in runs) for runs in self.words)

    def missing(self, ids: Run) -> list[str]:
        """The words that are not there."""
        return [word for word, runs in self.plan.must.items() if not _any_in(runs, ids)]

    def _next(self, ids: Run) -> set[int]:
        """The tokens that bring a missing word on."""
        open_runs = [run for runs in self.words if not _any_in(runs, ids) for run in runs]
        return {run[_begun(run, ids)] for run in open_runs} | {run[0] for run in open_runs}


def check_met(found: list[Node], plan: Plan) -> None:
    """Refuse to answer where no answer has all words."""
    if plan.must and not found:
        words = " and ".join(map(repr, plan.must))
        raise PellucidError(
            f"No answer of at most {plan.limit} tokens with {words} was found; allow more tokens "
            "or more beams, or ask for other words."
        )


def _any_in(runs: Sequence[Run], ids: Run) -> bool:
    return any(_is_in(run, ids) for run in runs)


def _is_in(run: Run, ids: Run) -> bool:
    return any(list(ids[at : at + len(run)]) == list(run) for at in range(len(ids) - len(run) + 1))


def _begun(run: Run, ids: Run) -> int:
    """How many of the run's first tokens are the last ones of the ids."""
    lengths = range(min(len(run) - 1, len(ids)), 0, -1)
    return next((n for n in lengths if list(ids[len(ids) - n :]) == list(run[:n])), 0)


def _whole_or_begun(run: Run, ids: Run) -> int:
    return len(run) if _is_in(run, ids) else _begun(run, ids)
