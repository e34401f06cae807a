"""Lines of a terminal: their margins and headings, and how many there is room for."""

from collections.abc import Callable, Iterable, Iterator

from rich.console import Console
from rich.style import Style
from rich.text import Text

from pellucid.views.labels import cut

NARROWEST = 40
MARGIN = " "
ROWS = 24  # of more than so many the first and the last are shown
WORD = Style(bold=True)
FAINT = Style(dim=True)


def printed(draw: Callable[[int], Iterator[Text]]) -> None:
    """Print what is drawn: as wide as the terminal, in colour where it has colours."""
    console = Console(highlight=False, soft_wrap=True)
    with console.capture() as drawing:
        for line in draw(console.width):
            console.print(line)
    for text in drawing.get().splitlines():
        print(text.rstrip())


def between(width: int) -> int:
    """The cells between the margins of a terminal so wide; it is taken as at least forty."""
    return max(width, NARROWEST) - 2 * len(MARGIN)


def with_margin(lines: Iterable[Text]) -> Iterator[Text]:
    """The lines, a little to the right."""
    return (Text(MARGIN).append_text(line) for line in lines)


def heading(text: str, aside: str, width: int) -> Text:
    """A line across the page, with a word at either end."""
    line = Text().append(cut(text, width), WORD)
    aside = f" {aside}" if aside else ""
    rest = width - line.cell_len - len(aside) - 1
    return line.append(f" {'─' * rest}{aside}" if rest > 0 else "", FAINT)


def ends(count: int, room: int) -> list[int | None]:
    """Which of `count` to show where there is room for so many; None stands for the gap."""
    if count <= room:
        return list(range(count))
    return [*range(max(room - 1, 1)), None, count - 1]
