"""How a text became pieces, in lines that fit a terminal: the pieces, then word by word the steps.

Everything stands under the letters that it is made of.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from textwrap import wrap

from rich.cells import cell_len
from rich.text import Text

from pellucid.record.tokens import Tokens
from pellucid.text.cutting import Cut, Edge, Match, Merge, Placed
from pellucid.text.merging import Steps, Word
from pellucid.views.labels import Chip, left, right, spaced
from pellucid.views.lines import FAINT, ROWS, between, ends, heading, printed, with_margin
from pellucid.views.numbers import NAME, writer
from pellucid.views.tokens import ids, typed

GAP = 2  # cells between a number and what it belongs to
HOW = {
    "BPE": "Of all pairs of neighbours the one is merged that was learnt first; so it goes on. "
    "The number is its rank, 0 the very first.",
    "WordPiece": "From the left, always the longest piece that the vocabulary has. The number "
    "says how many longer ones were looked for before it.",
    "Unigram": "Every piece that fits, with the logarithm of its probability. Those marked ● "
    "make the word with the highest sum.",
    "WordLevel": "Each is looked up whole, or is unknown: there are no steps.",
}

Write = Callable[[str], str]
NOTHING = "nothing fits: the whole word is unknown"

Row = tuple[str, Text]  # a number, and what it belongs to


def show(tokens: Tokens, steps: Steps) -> None:
    """Print it all: as wide as the terminal, in colour where it has colours."""
    printed(lambda width: draw(tokens, steps, width))


def draw(tokens: Tokens, steps: Steps, width: int) -> Iterator[Text]:
    """All lines, each of at most `width` cells; of at least forty."""
    return with_margin(Page(tokens, steps, between(width)).lines())


@dataclass(frozen=True)
class Page:
    """The parts, from top to bottom."""

    tokens: Tokens
    steps: Steps
    width: int

    def lines(self) -> Iterator[Text]:
        """The pieces, how such pieces come about, and the steps of each word."""
        words = {word.text: word for word in self.steps.words(self.tokens.text)}
        yield self._heading("Pieces", str(len(self.tokens)))
        yield from typed(self.tokens, self.width, (ids, characters))
        yield Text()
        yield self._heading(self.steps.way.name)
        yield from (Text(line) for line in wrap(HOW[self.steps.way.name], self.width))
        yield Text()
        for word in words.values():
            yield from self._word(word)

    def _word(self, word: Word) -> Iterator[Text]:
        if trivial(word.cut):
            return
        yield self._heading(self._title(word), ended(word.cut))
        yield from ruled(BLOCKS[self.steps.way.name](word.cut, self._write, self.width), self.width)
        yield Text()

    def _title(self, word: Word) -> str:
        """The word as it was typed; and as the model was given it, where that is different."""
        typed = spaced(self.tokens.text[word.start : word.end])
        given = self._write(word.text)
        return typed if given.strip("▁") in (typed, typed.strip("␣")) else f"{typed} → {given}"

    def _write(self, piece: str) -> str:
        return spaced(self.steps.spelled(piece))

    def _heading(self, text: str, aside: str = "") -> Text:
        return heading(text, aside, self.width)


def characters(chip: Chip) -> str:
    """Which characters of the text a token is."""
    start, end = chip.span
    return f"{start}–{end}" if end > start else ""


def trivial(cut: Cut) -> bool:
    """Whether there is nothing to see: one piece, found at once, with no other way to it."""
    first = cut.steps[0] if cut.steps else None
    telling = isinstance(first, Merge) or (isinstance(first, Match) and first.piece is None)
    return len(cut.pieces) <= 1 and len(cut.steps) <= 1 and not telling


def ended(cut: Cut) -> str:
    """`3 pieces`; of the likeliest ones also their sum."""
    pieces = f"{len(cut.pieces)} piece{'' if len(cut.pieces) == 1 else 's'}"
    totals = [step.total for step in cut.steps if isinstance(step, Edge) and step.chosen]
    return f"{pieces}, sum {writer(totals, 2)(totals[-1])}" if totals else pieces


def ruled(rows: list[Row], width: int) -> Iterator[Text]:
    """The rows with their numbers in a column; of many the first and the last."""
    first = max(cell_len(number) for number, _ in rows)
    for at in ends(len(rows), ROWS):
        if at is None:
            yield Text(right("⋮", first), FAINT)
            continue
        number, body = rows[at]
        line = Text().append(right(number, first) + " " * GAP, FAINT).append_text(body)
        line.truncate(width, overflow="ellipsis")
        yield line


def merges(cut: Cut, write: Write, width: int) -> list[Row]:
    """The row of single letters, and after each merge; else, if that is too wide, the pairs."""
    steps = [step for step in cut.steps if isinstance(step, Merge)]
    ranks = [f"{step.rank:,}" for step in steps]
    columns = places((write(letter) for letter in cut.row), 1)
    if columns[-1] + max(map(len, ranks), default=0) + GAP > width:
        return [(rank, pair(step, write)) for rank, step in zip(ranks, steps, strict=True)]
    first, *later = cut.rows()
    rows = [aligned(row, columns, write, step.at) for row, step in zip(later, steps, strict=True)]
    return [("", aligned(first, columns, write)), *zip(ranks, rows, strict=True)]


def pair(step: Merge, write: Write) -> Text:
    """`b + le → ble`."""
    text = Text(f"{write(step.left)} + {write(step.right)} → ")
    return text.append(write(step.merged), NAME)


def aligned(row: list[Placed], columns: list[int], write: Write, new: int | None = None) -> Text:
    """Each piece where its first letter stood, the new one marked."""
    line = Text()
    for at, (piece, start, end) in enumerate(row):
        cells = columns[end] - columns[start]
        line.append(left(write(piece), cells), NAME if at == new else "")
    return line


def matches(cut: Cut, write: Write, width: int) -> list[Row]:
    """The word, and under it each piece that was found, and as the vocabulary writes it."""
    letters = [write(letter) for letter in cut.row]
    columns = places(letters)
    rows = [("", Text("".join(letters)))]
    for step in cut.steps:
        if isinstance(step, Match):
            line = under(letters[step.start : step.end], columns[step.start])
            line.append(" " * (columns[-1] + GAP - line.cell_len))
            rows.append((f"{step.tried:,}", line.append(step.piece or NOTHING, FAINT)))
    return rows


def lattice(cut: Cut, write: Write, width: int) -> list[Row]:
    """The word, and under it the pieces that fit: the best path, and the likeliest of the rest."""
    letters = [write(letter) for letter in cut.row]
    columns = places(letters)
    edges = [edge for edge in cut.steps if isinstance(edge, Edge)]
    shown = sorted(edges, key=lambda edge: (not edge.chosen, -edge.score))[: ROWS - 2]
    write_score = writer((edge.score for edge in shown), 2)
    cells = max(len(write_score(edge.score)) for edge in shown)
    rows = [("", Text("".join(letters)))]
    for edge in sorted(shown, key=lambda edge: (edge.start, edge.end)):
        line = under(letters[edge.start : edge.end], columns[edge.start], edge.chosen)
        mark = "●" if edge.chosen else " "
        rows.append((f"{mark} {right(write_score(edge.score), cells)}", line))
    if len(shown) < len(edges):
        rows.append(("⋮", Text(f"{len(edges) - len(shown)} less likely ones", FAINT)))
    return rows


def under(letters: list[str], column: int, taken: bool = True) -> Text:
    """A piece under its letters."""
    return Text(" " * column).append("".join(letters), NAME if taken else "")


def places(letters: Iterable[str], gap: int = 0) -> list[int]:
    """Where each letter begins, and where the last ends, in cells."""
    return list(accumulate((cell_len(letter) + gap for letter in letters), initial=0))


BLOCKS: dict[str, Callable[[Cut, Write, int], list[Row]]] = {
    "BPE": merges,
    "WordPiece": matches,
    "Unigram": lattice,
}
