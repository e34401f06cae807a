"""Two files side by side: texts, and the sources they were made from."""

from collections.abc import Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING

import typer

from pellucid.errors import PellucidError

if TYPE_CHECKING:
    from pellucid.text.formats import Document

SOURCES = typer.Option(metavar="FILE", help="What was translated, a line each.", show_default=False)


def beside(texts: "Iterator[Document]", sources: "Iterator[Document]") -> Iterator[tuple[str, str]]:
    """A source and its text, line by line; lines may be empty only on both sides."""
    for text, source in zip_longest(texts, sources):
        if text is None or source is None or text.line != source.line:
            raise PellucidError(_alone(text, source))
        yield source.text, text.text


def _alone(text: "Document | None", source: "Document | None") -> str:
    if text is None or (source and source.line < text.line):
        assert source is not None
        one, other, line = "source", "text", source.line
    else:
        one, other, line = "text", "source", text.line
    return (
        f"The {one} of line {line} has no {other} in the same line; fill the line, "
        f"or take the {one} out."
    )
