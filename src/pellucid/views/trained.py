"""What training made: how many pieces, how they fit texts, and what does not come back."""

from collections.abc import Iterator
from textwrap import wrap

from rich.text import Text

from pellucid.text.tokenizer import Tokenizer
from pellucid.text.training import Fit
from pellucid.views.labels import spaced
from pellucid.views.lines import FAINT, between, heading, printed, with_margin

FIRST = 10  # cells for what a line is about


def show(kind: str, loses: str, tokenizer: Tokenizer, fit: Fit) -> None:
    """Print the report: as wide as the terminal, in colour where it has colours."""
    printed(lambda width: draw(kind, loses, tokenizer, fit, width))


def draw(kind: str, loses: str, tokenizer: Tokenizer, fit: Fit, width: int) -> Iterator[Text]:
    """The lines, each of at most `width` cells; of at least forty."""
    facts = {
        "special": ", ".join(dict.fromkeys(tokenizer.special.values())),
        "length": f"{fit.length:.2f} characters a piece",
        "unknown": f"{fit.unknown:,} of {fit.pieces:,} pieces",
        "back": f"{fit.returned:,} of {fit.texts:,} texts come back letter by letter",
        "lost": loses or "nothing: every text comes back",
        "longest": "  ".join(map(spaced, fit.longest)),
    }
    return with_margin(lines(kind, tokenizer.inner.get_vocab_size(), facts, fit, between(width)))


def lines(kind: str, pieces: int, facts: dict[str, str], fit: Fit, width: int) -> Iterator[Text]:
    """A heading, a line or more for each fact, and of which texts they are."""
    yield heading(kind, f"{pieces:,} pieces", width)
    for name, fact in facts.items():
        for at, line in enumerate(wrap(fact, width - FIRST, break_on_hyphens=False)):
            yield Text().append(f"{'' if at else name:{FIRST}}", FAINT).append(line)
    yield Text(f"{'':{FIRST}}as the first {fit.texts:,} texts show", FAINT)
