"""How far the reading is: documents, rate and time left, where somebody sits before it."""

from collections.abc import Iterator

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from pellucid.text.formats import Document
from pellucid.text.sources import Corpus

EVERY = 500  # documents
COLUMNS = (
    TextColumn("{task.description}"),
    BarColumn(),
    TextColumn("{task.fields[documents]:,} documents, {task.fields[rate]:,.0f} a second"),
    TimeRemainingColumn(compact=True),
)


def shown(corpus: Corpus, what: str = "Reading") -> Iterator[Document]:
    """The documents, and on a terminal how far they are."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield from corpus
        return
    with Progress(*COLUMNS, console=console, transient=True) as progress:
        task = progress.add_task(what, total=corpus.size or None, documents=0, rate=0)
        for number, document in enumerate(corpus, 1):
            if number % EVERY == 0:
                rate = number / (progress.tasks[task].elapsed or 1)
                progress.update(task, completed=corpus.done, documents=number, rate=rate)
            yield document
