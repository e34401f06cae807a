"""What a notebook shows at the end of a cell: a page in a frame, or the lines of a terminal.

The frame runs scripts of its own and reaches nothing else. It needs no widget, and stays in the
notebook's file; so a page that is too large for that is named instead.
"""

from collections.abc import Callable, Iterator
from html import escape
from typing import Any

from rich.text import Text

from pellucid.errors import PellucidError
from pellucid.record.printed import in_words
from pellucid.record.trace import Trace
from pellucid.study.compare import Comparison
from pellucid.study.groups import Groups
from pellucid.study.heads import Heads
from pellucid.study.lens import Lens
from pellucid.study.senses import Senses
from pellucid.study.why import Why
from pellucid.views import compare, compared, heads, lens, page, senses, why
from pellucid.views.still import WIDTH, coloured

LARGEST = 2_500_000  # bytes: notebook servers hold back more than about 3 MB at a time
HEIGHT = 760  # pixels

PAGES: dict[type, Callable[[Any], str]] = {Trace: page.page, Comparison: compared.page}
LINES: dict[type, Callable[[Any, int], Iterator[Text]]] = {
    Comparison: compare.draw,
    Groups: senses.draw,
    Heads: heads.draw,
    Lens: lens.draw,
    Senses: senses.draw,
    Why: why.draw,
}

FRAME = (
    '<iframe sandbox="allow-scripts allow-downloads" srcdoc="{page}" '
    'style="width: 100%; height: {height}px; border: 0; border-radius: 8px"></iframe>'
)
LINED = '<pre style="line-height: 1.35">{code}</pre>'


def page_of(shown: Trace | Comparison) -> str:
    """Its page, however large."""
    return PAGES[type(shown)](shown)


def html(shown: Any) -> str:
    """The page, where there is one and it is small enough; else lines, or why there is none."""
    kind = type(shown)
    if kind not in PAGES:
        return coloured(lambda width: LINES[kind](shown, width), LINED, inline_styles=True)
    try:
        source = page_of(shown)
    except PellucidError as error:
        return f"<p>{escape(str(error))}</p>"
    if (size := len(source.encode())) > LARGEST:
        return (
            f"<p>The page would be {in_words(size)}, more than a notebook takes by itself. "
            "<code>save(&quot;page.html&quot;)</code> writes it, "
            "<code>pellucid.views.widget.Widget</code> shows it here.</p>"
        )
    return FRAME.format(page=escape(source), height=HEIGHT)


def plain(shown: object) -> str:
    """The terminal view without its colours."""
    return "\n".join(line.plain.rstrip() for line in LINES[type(shown)](shown, WIDTH))
