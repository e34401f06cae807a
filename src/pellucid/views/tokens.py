"""Tokens as a person typed them, each above what is said of it."""

from collections.abc import Callable, Iterator, Sequence

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from pellucid.record.tokens import Tokens
from pellucid.views.labels import Chip, chips, left
from pellucid.views.lines import FAINT

TONES = (Style(color="#e8eaf0", bgcolor="#2b3040"), Style(color="#e8eaf0", bgcolor="#3c4358"))
SPECIAL = Style(color="#9aa3b5", bgcolor="#1e2129", italic=True)

Line = Callable[[Chip], str]


def ids(chip: Chip) -> str:
    return "+".join(map(str, chip.ids))


def typed(tokens: Tokens, width: int, under: Sequence[Line] = (ids,)) -> Iterator[Text]:
    """Each token above what is said of it: its id, or ids where a character took several."""
    row: list[tuple[Chip, int]] = []
    for chip in chips(tokens):
        words = (chip.label, *(line(chip) for line in under))
        cells = min(max(map(cell_len, words)) + 2, width)
        if sum(taken for _, taken in row) + cells > width:
            yield from _lines(row, under)
            row = []
        row.append((chip, cells))
    yield from _lines(row, under)


def _lines(row: list[tuple[Chip, int]], under: Sequence[Line]) -> Iterator[Text]:
    labels = Text()
    for at, (chip, cells) in enumerate(row):
        labels.append(left(f" {chip.label}", cells), SPECIAL if chip.special else TONES[at % 2])
    yield labels
    for line in under:
        said = "".join(left(f" {line(chip)}", cells) for chip, cells in row)
        if said.strip():
            yield Text(said, FAINT)
