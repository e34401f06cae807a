"""`pellucid words`: the words of a text, each with its characters, stems and lemma."""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer

from pellucid.cli.options import Reading, Wording
from pellucid.cli.problems import notes
from pellucid.errors import PellucidError
from pellucid.views.labels import printable

Row = dict[str, Any]
Steps = tuple[str, ...]

AT_ONCE = 500  # rows that are lined up together


@dataclass(frozen=True, kw_only=True)
class Words(Wording, Reading):
    """Words: a text split by a pattern; of each word its characters, stems and lemma.

    [dim]Examples:[/]
    [cyan]pellucid words "The mice were running better in the cities."[/]
    [cyan]pellucid words --language de --stem snowball --lemma buch.txt[/]
    [cyan]pellucid words - --format csv --text review --json < reviews.csv[/]
    """

    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="TEXT|FILE",
            help="Texts; or files and folders, which are read as a stream; - is standard input.",
            show_default=False,
        ),
    ]
    json: Annotated[bool, typer.Option("--json", help="A line of JSON for each word.")] = False

    def run(self) -> None:
        """Print the words as they come."""
        with notes():
            rows = found(self._rows())
            for line in map(as_json, rows) if self.json else table(rows):
                print(line)

    def _rows(self) -> Iterator[Row]:
        from pellucid.text.words import Forms

        analyzer = self.analyzer()
        forms = {name: Forms(steps, self.language) for name, steps in self._columns()}
        for place, text in self._texts():
            for word in analyzer.words(text):
                row = {**place, "start": word.start, "end": word.end, "word": word.text}
                yield row | {name: form[word.text] for name, form in forms.items()}

    def _columns(self) -> Iterator[tuple[str, Steps]]:
        """What is shown of each word: what was asked for, or else all that the language has."""
        from pellucid.text import languages

        whole = self.stem == "none" and not (self.lemma or self.normalize)
        if self.normalize:
            yield "form", self.spelling
        if self.stem == "porter" or (whole and languages.code(self.language) == "en"):
            yield "porter", (*self.spelling, "porter")
        if self.stem == "snowball" or (whole and languages.snowball(self.language)):
            yield "snowball", (*self.spelling, "snowball")
        if self.lemma or (whole and languages.lemmas(self.language)):
            yield "lemma", ("lemma",)

    def _texts(self) -> Iterator[tuple[Row, str]]:
        """The texts; of those from files, where they stand."""
        from pellucid.text.tokenizer import check_text

        if not any(map(is_file, self.inputs)):
            self.check_unread()
            yield from (({}, check_text(text)) for text in self.inputs)
            return
        corpus = self.corpus(self.inputs)
        several = len(corpus.sources) > 1
        for source, document in corpus.placed():
            file = {"file": str(source)} if several else {}
            yield {**file, "line": document.line}, document.text


def is_file(given: str) -> bool:
    """Whether it is there to be read, or is called like a file."""
    from pellucid.text.sources import STANDARD_INPUT, suffixed

    with suppress(OSError, ValueError):  # a text may be too long for the name of a file
        path = Path(given)
        there = given == STANDARD_INPUT or path.exists() or suffixed(path) is not None
        return there and given != ""
    return False


def found(rows: Iterator[Row]) -> Iterator[Row]:
    """The rows, if there are any."""
    first = next(rows, None)
    if first is None:
        raise PellucidError("No word was found; is the pattern right?")
    return chain([first], rows)


def as_json(row: Row) -> str:
    """A row as a line of JSON."""
    return json.dumps(row, ensure_ascii=False)


def table(rows: Iterator[Row]) -> Iterator[str]:
    """The rows under a heading, lined up some at a time; no column becomes narrower."""
    from pellucid.record.batched import batched
    from pellucid.record.printed import aligned, widest

    widths: list[int] = []
    for some in batched(as_cells(rows), AT_ONCE):
        widths = widest(some, widths)
        yield aligned(some, widths)


def as_cells(rows: Iterator[Row]) -> Iterator[list[str]]:
    """The names of the columns, and then what is in them."""
    for number, row in enumerate(rows):
        if number == 0:
            yield list(row)
        yield [printable(str(value)) for value in row.values()]
