"""Cells: the rows of a table, cut at its delimiters."""

import csv
from collections.abc import Iterator
from io import BufferedReader
from typing import NamedTuple

from pellucid.text.lines import Broken, Lines, Unfit, encoding_of, peek

DELIMITERS = ",;\t|"
LONGEST_CELL = 1 << 24  # characters; an open quotation mark does not swallow the whole file


class Row(NamedTuple):
    """The cells of one row, and the line where it begins."""

    line: int
    cells: list[str]


def quoted(lines: Lines, delimiter: str) -> Iterator[Row | Broken]:
    """Cells that may stand between quotation marks, and then hold delimiters and lines."""
    csv.field_size_limit(LONGEST_CELL)
    try:
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
    except TypeError as error:
        raise Unfit(f"cannot be cut at {delimiter!r}; a delimiter is one character") from error
    while True:
        line = lines.number + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            lines.take()
            yield Broken(line, f"has its quotation marks wrong ({error})")
        else:
            if broken := lines.take():
                yield broken
            elif cells:
                yield Row(line, cells)


def unquoted(lines: Lines, delimiter: str, cuts: int) -> Iterator[Row | Broken]:
    """Cells in which a quotation mark is a letter; after so many cuts the rest is one of them."""
    for text in lines:
        if line := text.rstrip("\r\n"):
            yield lines.take() or Row(lines.number, line.split(delimiter, cuts))


def delimiter_of(stream: BufferedReader, encoding: str | None) -> str:
    """Whichever the first line has most of."""
    start = peek(stream, 4096).decode(encoding or encoding_of(stream), errors="replace")
    outside = "".join(start.partition("\n")[0].split('"')[::2])
    return max(DELIMITERS, key=outside.count)
