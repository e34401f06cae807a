"""Drawing the tree of a search in a terminal.

Branches that lead to an answer are followed, tokens without a fork between them on one line. In
brackets is the sum of log-probabilities so far; ✓ and a score is an answer, ✂ what was given up,
and why.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from pellucid.decode.tree import Node, Tree
from pellucid.record.tokens import SHOWN

CUT, ENDED = "✂", "✓"


def draw(tree: Tree, others: int = 2) -> Iterator[str]:
    """The tree's lines; of what was given up at each fork so many are named, the rest counted."""
    children: dict[int, list[Node]] = defaultdict(list)
    for node in tree.nodes:
        children[id(node.parent)].append(node)
    answers = [node for node in tree.nodes if node.fate == "ended"]
    leading = {id(node) for answer in answers for node in answer.path()}
    yield str(tree.about.get("search", ""))
    if tree.nodes:
        yield from Drawing(tree, children, leading, others).below(tree.nodes[0].parent, "")


@dataclass(frozen=True)
class Drawing:
    """A tree, what comes after each of its nodes, and which of them lead to an answer."""

    tree: Tree
    children: dict[int, list[Node]]
    leading: set[int]
    others: int

    def below(self, node: Node | None, indent: str) -> Iterator[str]:
        """What goes on from a node: first what leads to an answer, then what was given up."""
        followed, rest = self._after(node)
        shown, more = rest[: self.others], len(rest) - self.others
        lines = [*followed, *shown]
        for at, each in enumerate(lines):
            last = at == len(lines) - 1 and more <= 0
            yield f"{indent}{'└' if last else '├'}─ {self._line(each)}"
            if each in followed:
                yield from self.below(self._run(each)[-1], f"{indent}{' ' if last else '│'}  ")
        if more > 0:
            yield f"{indent}└─ {CUT} and {more} more"

    def _after(self, node: Node | None) -> tuple[list[Node], list[Node]]:
        found = sorted(self.children[id(node)], key=lambda each: -each.total)
        followed = [each for each in found if id(each) in self.leading]
        return followed, [each for each in found if each not in followed]

    def _run(self, node: Node) -> list[Node]:
        """The node, and those after it as long as nothing else was considered."""
        run = [node]
        while len(after := self.children[id(run[-1])]) == 1 and id(after[0]) in self.leading:
            run += after
        return run

    def _line(self, node: Node) -> str:
        run = self._run(node) if id(node) in self.leading else [node]
        end = run[-1]
        line = f"{'·'.join(map(self._piece, run))} [{end.total:.2f}]"
        if end.fate == "ended":
            return f"{line} {ENDED} {end.score:.3f} ({end.why})"
        if id(end) in self.leading:
            return line
        return f"{line} {CUT} {self._reason(end)}"

    def _reason(self, node: Node) -> str:
        """Why it was given up; where it was kept at first, after how many steps."""
        if node.fate == "cut":
            return node.why
        steps = self._depth(node)
        return f"given up {steps} step{'' if steps == 1 else 's'} later"

    def _depth(self, node: Node) -> int:
        return 1 + max((self._depth(each) for each in self.children[id(node)]), default=0)

    def _piece(self, node: Node) -> str:
        return "".join(SHOWN.get(letter, letter) for letter in self.tree.piece(node.token))
