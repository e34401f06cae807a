"""The words that the model answers with."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from rich.cells import cell_len
from rich.text import Text

from pellucid.record.answers import Answer
from pellucid.record.tokens import Tokens
from pellucid.views.labels import label, left, right, spaced
from pellucid.views.lines import FAINT, ROWS, WORD, ends
from pellucid.views.numbers import Write, shade, writer

LONGEST = 12  # cells for a word of an answer


def answered(positions: list[list[Answer]], tokens: Tokens, width: int) -> Iterator[Text]:
    """For each token the best words with their scores, as many as fit beside each other."""
    labels = [label(text) for text in tokens.labels()]
    first = min(max(map(cell_len, labels)), max(width // 5, 6), 14)
    table = Table.of(list(chain.from_iterable(positions)), width - first)
    for at in ends(len(labels), ROWS):
        if at is None:
            yield Text(right("⋮", first), FAINT)
        else:
            word = Text().append(right(labels[at], first), WORD)
            yield word.append_text(table.row(positions[at]))


@dataclass(frozen=True)
class Table:
    """How answers are written: in columns of so many cells."""

    write: Write
    column: int
    width: int

    @classmethod
    def of(cls, answers: list[Answer], width: int) -> "Table":
        """A table for these answers in so many cells."""
        longest = max(cell_len(spaced(answer.piece)) for answer in answers)
        return cls(writer((answer.score for answer in answers), 2), min(longest, LONGEST), width)

    def row(self, answers: list[Answer]) -> Text:
        """One token's answers, as many as there is room for."""
        line = Text()
        for answer in answers:
            entry = Text(f"  {left(spaced(answer.piece), self.column)} ")
            entry.append(f" {self.write(answer.score)} ", shade(answer.score, 1.0))
            if line.cell_len + entry.cell_len > self.width:
                break
            line.append_text(entry)
        return line
