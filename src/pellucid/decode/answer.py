"""Answers: what was said, how good it is by whose sum, and why it ended."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pellucid.decode.length import divisor
from pellucid.decode.search import Finish, Plan
from pellucid.decode.tree import Change, Node, Tree
from pellucid.errors import PellucidError
from pellucid.record.printed import aligned

CLOSE = 1e-9


@dataclass(frozen=True)
class Term:
    """A token's part in the score: the model's log-probability, what each rule made of it, and
    the sum so far.
    """

    id: int
    piece: str
    log_probability: float
    changes: tuple[Change, ...]
    value: float
    sum: float


class Terms(tuple[Term, ...]):
    """The terms of a score, and what their sum is divided by; prints as a table."""

    divisor: float
    total: float

    @classmethod
    def of(cls, node: Node, plan: Plan, tree: Tree) -> "Terms":
        """The terms of an answer that ends in this node; their sum must be its score."""
        terms, total = [], 0.0
        for each in node.path():
            total += each.value
            terms.append(_term(each, tree, total))
        found = cls(terms)
        found.divisor = divisor(plan.penalty, node.step, plan.length_penalty)
        found.total = total / found.divisor
        if node.score is None or abs(found.total - node.score) > CLOSE * max(1.0, abs(node.score)):
            raise PellucidError(f"The terms make {found.total}, but the score is {node.score}.")
        return found

    def to_json(self) -> dict[str, Any]:
        """The sum as plain data."""
        return {
            "terms": [
                {**vars(term), "changes": [[c.rule, c.before, c.after] for c in term.changes]}
                for term in self
            ],
            "divisor": self.divisor,
            "total": self.total,
        }

    def __str__(self) -> str:
        rows = [["token", "log-probability", "rules", "sum"], *(_row(term) for term in self)]
        return f"{aligned(rows)}\nscore = sum / {self.divisor:.4g} = {self.total:.4f}"


def _term(node: Node, tree: Tree, total: float) -> Term:
    piece = tree.piece(node.token)
    return Term(node.token, piece, node.log_probability, node.changes, node.value, total)


def _row(term: Term) -> list[str]:
    changes = "; ".join(f"{c.rule} {c.before:.3f} → {c.after:.3f}" for c in term.changes)
    return [repr(term.piece), f"{term.log_probability:.4f}", changes, f"{term.sum:.4f}"]


@dataclass(frozen=True)
class Answer:
    """One answer.

    `text` is what a person reads; `ids` are all generated tokens, the end among them. `score` is
    the sum of the terms by the length. `finish` says why it ended: "end", "length" or "stop
    string". `seed` draws it again. `tree` is the search that it was found by.
    """

    text: str
    ids: tuple[int, ...]
    score: float
    finish: Finish
    terms: Terms = field(repr=False)
    tree: Tree = field(repr=False)
    seed: int | None = None

    def __str__(self) -> str:
        return self.text

    def to_json(self) -> dict[str, Any]:
        """The answer as plain data, without its tree."""
        return {
            "text": self.text,
            "ids": list(self.ids),
            "score": self.score,
            "finish": self.finish,
            "seed": self.seed,
        }


class Answers(list[Answer]):
    """The answers to one text, the best first; prints as lines of score, end and text."""

    def __str__(self) -> str:
        return aligned([[f"{each.score:.4f}", each.finish, each.text] for each in self])


def cut_at(text: str, stops: list[str]) -> str:
    """The text before the first stop string."""
    places = [at for stop in stops if (at := text.find(stop)) >= 0]
    return text[: min(places)] if places else text


def distinct(nodes: list[Node]) -> Iterator[Node]:
    """Each answer once."""
    seen = set[tuple[int, ...]]()
    for node in nodes:
        if (ids := tuple(node.ids)) not in seen:
            seen.add(ids)
            yield node
