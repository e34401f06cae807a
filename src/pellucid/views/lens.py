"""The terminal view of a lens: what each layer would answer at one token."""

from collections.abc import Iterator

from rich.text import Text

from pellucid.study.lens import Lens
from pellucid.views.bars import Bar, bars
from pellucid.views.labels import label, spaced
from pellucid.views.lines import between, heading, with_margin


def draw(lens: Lens, width: int, token: int | None = None) -> Iterator[Text]:
    """The view's lines for one token, else the last; each of at most `width` cells, or forty."""
    token = len(lens.tokens) - 1 if token is None else token
    return with_margin(lines(lens, token, between(width)))


def lines(lens: Lens, token: int, width: int) -> Iterator[Text]:
    """A row a layer: its best word with its score, and the words after it."""
    meaning = lens.answers[-1].meaning
    typed = label(lens.tokens.label(token))
    yield heading(f"What each layer would answer at token {token}, {typed}", meaning, width)
    names = max(map(len, lens.layers))
    rows = []
    for name, answers in zip(lens.layers, lens.answers, strict=True):
        best, *others = answers.words[0][token]
        also = " ".join(spaced(other.piece) for other in others)
        row = f"{name:{names}}  {spaced(best.piece)}"
        rows.append(Bar(row, best.score, f"{best.score:.3f}", also))
    yield from bars(rows, width)
    if lens.chances is None:
        return
    yield Text()
    final = spaced(lens.answers[-1].words[0][token][0].piece)
    yield heading(f"How likely each layer finds the last one's answer {final}", "", width)
    chances = lens.chances[:, token].tolist()
    pairs = zip(lens.layers, chances, strict=True)
    yield from bars([Bar(name, chance, f"{chance:.4f}") for name, chance in pairs], width)
