"""The formats of text: each reads a stream into documents, and says of a broken line why."""

import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader, FileIO
from itertools import chain, groupby
from typing import IO, Any, Literal, NamedTuple

from pellucid.errors import PellucidError, UsageError
from pellucid.text.cells import delimiter_of, quoted, unquoted
from pellucid.text.lines import Broken, Lines, Unfit, half_at

FormatName = Literal["txt", "csv", "tsv", "jsonl", "parquet"]
Unit = Literal["line", "paragraph", "file"]
LONGEST_NAME = 40  # characters of one that is shown


class Document(NamedTuple):
    """One text, its label if it has one, and the line where it begins (of Parquet the row).

    Of a pair it has the second text too.
    """

    text: str
    label: str | None
    line: int
    second: str | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """One text, or both of a pair."""
        return (self.text,) if self.second is None else (self.text, self.second)


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How files are laid out; what is None is found out.

    `text`, `second` (of a pair) and `label` name columns; where `labels` are wanted, a table has a
    column for them. `columns` are the names where a table has no header, and the last of them takes
    the rest of its line. `unit` is what plain text is cut into. Its empty lines are left out, or
    kept as empty texts, like broken ones that are skipped; where `gaps` are broken, so are the
    empty texts of a table.
    """

    text: str | None = None
    second: str | None = None
    label: str | None = None
    labels: Literal["as said", "wanted"] = "as said"
    format: FormatName | None = None
    delimiter: str | None = None
    quotes: Literal["double", "none"] | None = None
    columns: tuple[str, ...] = ()
    encoding: str | None = None
    unit: Unit = "line"
    gaps: Literal["left out", "kept", "broken"] = "left out"

    def __post_init__(self) -> None:
        """An encoding that nobody knows is said at once."""
        try:
            bytes(4).decode(self.encoding or "utf-8", errors="replace")
        except LookupError as error:
            raise UsageError(
                f"There is no encoding {self.encoding!r}; say for example utf-8, latin-1 or cp1252."
            ) from error

    @property
    def text_column(self) -> str:
        return self.text or "text"

    @property
    def label_column(self) -> str | None:
        return self.label or ("label" if self.labels == "wanted" else None)

    def pick(self, record: Mapping[str, Any], line: int) -> Document | Broken:
        """The document in a record."""
        for column in filter(None, (self.text_column, self.second)):
            text = record.get(column)
            if not isinstance(text, str) or (self.gaps == "broken" and not text.strip()):
                return lacking("text", column, record, line)
        label = None
        if self.label_column is not None:
            label = record.get(self.label_column)
            if label is None or label == "":
                return lacking("label", self.label_column, record, line)
            label = label if isinstance(label, str) else written(label)
        second = record[self.second] if self.second else None
        return Document(record[self.text_column], label, line, second)


def lacking(what: str, column: str, record: Mapping[str, Any], line: int) -> Broken:
    if column in record:
        return Broken(line, f"has {written(record[column])} for a {what} in {column!r}")
    return Broken(line, f"has no {column!r}; it has {listed(record)}")


def written(value: object) -> str:
    """A value as text, if need be as JSON: 1, true, null."""
    return json.dumps(value, default=str)


def texts(stream: BufferedReader, layout: Layout) -> Iterator[Document | Broken]:
    """Plain text: a document a line, a paragraph, or a file. Empty lines are none, or kept."""
    if layout.text or layout.second or layout.label or layout.columns:
        raise Unfit("is read as plain text, which has no columns; say its format (--format)")
    lines = Lines(stream, layout.encoding)
    kept = layout.gaps == "kept" and layout.unit == "line"
    for line, text in every_line(lines) if kept else UNITS[layout.unit](lines):
        yield lines.take() or Document(text, None, line)


def every_line(lines: Lines) -> Iterator[tuple[int, str]]:
    for text in lines:
        yield lines.number, "" if text.isspace() else text.rstrip("\r\n")


def each_line(lines: Lines) -> Iterator[tuple[int, str]]:
    return ((line, text) for line, text in every_line(lines) if text)


def each_paragraph(lines: Lines) -> Iterator[tuple[int, str]]:
    for blank, group in groupby(lines, str.isspace):
        if not blank:
            first = lines.number
            yield first, "".join(group).rstrip("\r\n")


def whole_file(lines: Lines) -> Iterator[tuple[int, str]]:
    if text := "".join(lines).strip():
        yield 1, text


UNITS: dict[Unit, Callable[[Lines], Iterator[tuple[int, str]]]] = {
    "line": each_line,
    "paragraph": each_paragraph,
    "file": whole_file,
}


def commas(stream: BufferedReader, layout: Layout) -> Iterator[Document | Broken]:
    """Cells between delimiters, whichever the first line has most of, with quotation marks."""
    delimiter = layout.delimiter or delimiter_of(stream, layout.encoding)
    return table(stream, layout, delimiter, layout.quotes or "double")


def tabs(stream: BufferedReader, layout: Layout) -> Iterator[Document | Broken]:
    """Cells between tabs; a quotation mark is a letter like others."""
    return table(stream, layout, layout.delimiter or "\t", layout.quotes or "none")


def table(
    stream: BufferedReader, layout: Layout, delimiter: str, quotes: Literal["double", "none"]
) -> Iterator[Document | Broken]:
    """Rows under a header, or under the columns that were said."""
    lines = Lines(stream, layout.encoding)
    cuts = len(layout.columns) - 1
    rows = quoted(lines, delimiter) if quotes == "double" else unquoted(lines, delimiter, cuts)
    header = list(layout.columns)
    if header:
        check_columns(header, layout)
    for row in rows:
        if isinstance(row, Broken):
            yield row
        elif not header:
            header = row.cells
            check_columns(header, layout)
        elif len(row.cells) != len(header):
            found = f"{len(row.cells)} column{'s' if len(row.cells) > 1 else ''}"
            yield Broken(row.line, f"has {found} where {len(header)} were expected")
        else:
            yield layout.pick(dict(zip(header, row.cells, strict=True)), row.line)


def check_columns(there: list[str], layout: Layout) -> None:
    """Whether a table has the columns that were asked for, each once."""
    for flag, column in asked(layout).items():
        if column not in there:
            raise Unfit(f"has no column {column!r}; it has {listed(there)}. Say which ({flag})")
        if (times := there.count(column)) > 1:
            raise Unfit(f"has {times} columns {column!r}; rename all but one")


def asked(layout: Layout) -> dict[str, str]:
    """The columns that are wanted, each by the flag that names it."""
    flags = {"--text": layout.text_column, "--pair": layout.second, "--label": layout.label_column}
    return {flag: column for flag, column in flags.items() if column}


def listed(names: Iterable[str]) -> str:
    """Names as a person reads them; what is a text and no name is cut short."""
    return ", ".join(repr(cut_short(name)) for name in names) or "nothing"


def cut_short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def objects(stream: BufferedReader, layout: Layout) -> Iterator[Document | Broken]:
    """JSON Lines: an object a line."""
    lines = Lines(stream, layout.encoding)
    for text in lines:
        if not text.isspace():
            yield lines.take() or parsed(text, layout, lines.number)


def parsed(text: str, layout: Layout, line: int) -> Document | Broken:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        return Broken(line, f"is not valid JSON ({error})")
    if not isinstance(record, dict):
        return Broken(line, "is no JSON object")
    found = layout.pick(record, line)
    said = (*found.texts, found.label or "") if isinstance(found, Document) else ()
    if half_at("".join(said)) is not None:
        return Broken(line, "has half a character (a lone surrogate)")
    return found


def columns(stream: BufferedReader, layout: Layout) -> Iterator[Document | Broken]:
    """Apache Parquet, a batch of rows at a time."""
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise PellucidError("Parquet needs pyarrow: pip install 'pellucid[parquet]'.") from error
    try:
        with seekable(stream) as file:
            parquet = ParquetFile(file)
            check_columns(parquet.schema_arrow.names, layout)
            batches = parquet.iter_batches(1024, columns=[*asked(layout).values()])
            rows = chain.from_iterable(batch.to_pylist() for batch in batches)
            for line, record in enumerate(rows, 1):
                yield layout.pick(record, line)
    except ArrowException as error:
        raise Unfit(f"is no Parquet that can be read ({error})") from error


@contextmanager
def seekable(stream: BufferedReader) -> Iterator[IO[bytes]]:
    """Parquet is read from its end; what comes from a pipe or from gzip goes into a file first."""
    if isinstance(stream.raw, FileIO) and stream.seekable():
        yield stream
        return
    with tempfile.TemporaryFile() as file:
        shutil.copyfileobj(stream, file)
        file.seek(0)
        yield file


Read = Callable[[BufferedReader, Layout], Iterator[Document | Broken]]

FORMATS: dict[FormatName, Read] = {
    "txt": texts,
    "csv": commas,
    "tsv": tabs,
    "jsonl": objects,
    "parquet": columns,
}
