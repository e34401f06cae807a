"""Words for rows and columns: tokens, words of the vocabulary, names of features, numbers."""

from dataclasses import dataclass

from pellucid.views.choice import Look
from pellucid.views.workbook.plan import Plan
from pellucid.views.workbook.text import shown

VOCABULARY = ("words.weight",)  # tables with a row for each word
WAVES, WAVE = "waves.", ("sine", "cosine")
HEADS = ("head.logits", "head.probabilities", "head.bias")  # with a column for each


@dataclass(frozen=True)
class Words:
    """What stands beside and above the numbers of a plan's values."""

    plan: Plan

    def rows(self, name: str, head: int) -> list[str]:
        """A word for each row of a value's matrix."""
        if name in self.plan.tables:
            return [self.word(at) for at in sorted(self.plan.tables[name])]
        form, box = self.plan.form(name), self.plan.boxes[name]
        if form.row is None:
            return [""]
        span = form.along(box, form.row)
        if name.endswith(VOCABULARY) and name in self.plan.trace.weights:
            return [self.word(at) for at in span]
        return self._along(name, form.row, span, head)

    def columns(self, name: str, head: int) -> list[str]:
        """A word for each column."""
        if name in self.plan.tables:
            return self._numbered(name, range(self.plan.shape(name)[-1]), head)
        form, box = self.plan.form(name), self.plan.boxes[name]
        if form.column is None:
            return [name.rpartition(".")[2]]
        span = form.along(box, form.column)
        if name in HEADS:
            return [self.word(at) for at in span]
        return self._along(name, form.column, span, head)

    def word(self, number: int) -> str:
        """A word of the vocabulary; a saved trace knows only those of its own texts."""
        piece = self.plan.trace.piece
        if piece is not None:
            return shown(piece(number))
        return self._known.get(number, f"word {number}")

    @property
    def _known(self) -> dict[int, str]:
        texts = (each for stream in self.plan.trace.texts.values() for each in stream)
        return {
            number: shown(piece)
            for tokens in texts
            for number, piece in zip(tokens.ids, tokens.pieces, strict=True)
        }

    def _along(self, name: str, axis: int, span: range, head: int) -> list[str]:
        node = self.plan.trace.nodes.get(name)
        if node is None:
            return self._numbered(name, span, head)
        letter = node.axes.split()[axis]
        tokens = self.plan.trace.tokens(name, letter, self.plan.part.sentence)
        if tokens is None:
            return [""] if letter == "1" else self._numbered(name, span, head)
        return [shown(tokens.label(at)) if at < len(tokens) else "padding" for at in span]

    def _numbered(self, name: str, span: range, head: int) -> list[str]:
        """Features by their names, where a hand-made model gave them any; else by number."""
        trace = self.plan.trace
        if name in trace.nodes:
            names = Look(trace, head).features(name)
        else:
            names = trace.about.get("features", []) if name.endswith(VOCABULARY) else []
        if name.startswith(WAVES) and len(span) == len(WAVE):
            return list(WAVE)
        inside = [names[at] for at in span if at < len(names)]
        return inside if len(inside) == len(span) else [str(at) for at in span]
