"""Corpora: files, folders and standard input, read as a stream of documents.

for document in Corpus(["reviews.tsv"], Layout(text="sentence", label="label")):
    document.text, document.label, document.line
"""

import gzip
import sys
import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Literal, cast

from pellucid.errors import PellucidError, UsageError
from pellucid.text.formats import FORMATS, Document, FormatName, Layout
from pellucid.text.lines import Broken, Unfit, unzipped

STANDARD_INPUT = "-"
SUFFIXES: dict[str, FormatName] = {
    ".txt": "txt",
    ".text": "txt",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}


@dataclass(frozen=True)
class Source:
    """One file of a corpus, or standard input where there is no path.

    Where it came with a folder, the folder within that one is its label: pos/1.txt.
    """

    path: Path | None
    label: str | None = None

    def __str__(self) -> str:
        return "Standard input" if self.path is None else str(self.path)

    @property
    def size(self) -> int:
        """Bytes; of a pipe nobody knows."""
        return 0 if self.path is None else self.path.stat().st_size

    def format(self, layout: Layout) -> FormatName:
        """What was said, else what the name says; else a table if it has columns, or plain text."""
        usual: FormatName = "tsv" if layout.columns or layout.delimiter else "txt"
        return layout.format or (suffixed(self.path) if self.path else None) or usual

    def open(self) -> AbstractContextManager[BufferedReader]:
        """Its bytes; standard input stays open."""
        if self.path is None:
            typed = cast(BufferedReader, sys.stdin.buffer)
            return nullcontext(typed if hasattr(typed, "peek") else BufferedReader(typed))
        return self.path.open("rb")


def suffixed(path: Path) -> FormatName | None:
    """The format that a name ends in, .gz or not."""
    name = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return SUFFIXES.get(name.suffix.lower())


class Corpus:
    """The documents of files, one after another; it may be read again, but for standard input.

    A broken line is an error with file and number. Where `broken` says to skip such lines, a
    warning tells at the end how many there were; where gaps are kept, each is an empty text.
    """

    def __init__(
        self,
        paths: Sequence[Path | str],
        layout: Layout | None = None,
        broken: Literal["refuse", "skip"] = "refuse",
    ) -> None:
        self.layout = layout or Layout()
        self.broken = broken
        self.paths = tuple(map(str, paths))
        check_once(self.paths)
        self.sources = [source for path in self.paths for source in found(path, self.layout)]
        self.size = sum(source.size for source in self.sources)
        self._heard = False  # whether standard input has been read
        self._begin()

    def _begin(self) -> None:
        self._finished = 0  # bytes of the sources before the one that is being read
        self._stream: BufferedReader | None = None
        self._skipped: list[str] = []

    @property
    def done(self) -> int:
        """How many of its `size` bytes have been read."""
        return self._finished + (self._stream.tell() if self._stream else 0)

    def __iter__(self) -> Iterator[Document]:
        return (document for _, document in self.placed())

    def placed(self) -> Iterator[tuple[Source, Document]]:
        """Each document with the file it is from."""
        self._begin()
        document = None
        for source in self.sources:
            self._listen(source)
            for document in self._read(source):
                yield source, document
        self._tell_skipped()
        if document is None:
            raise PellucidError(f"There is no text in {', '.join(map(str, self.sources))}.")

    def _listen(self, source: Source) -> None:
        if source.path is None and self._heard:
            raise UsageError("Standard input can be read once; give a file instead.")
        self._heard |= source.path is None

    def _read(self, source: Source) -> Iterator[Document]:
        for document in self._all(source):
            if isinstance(document, Broken):
                self._skip(source, document)
                if self.layout.gaps == "kept":
                    yield Document("", None, document.line)
            elif document.label is None and source.label is not None:
                yield document._replace(label=source.label)
            else:
                yield document

    def _all(self, source: Source) -> Iterator[Document | Broken]:
        read = FORMATS[source.format(self.layout)]
        try:
            with source.open() as stream:
                self._stream = stream if source.path else None
                yield from read(unzipped(stream), self.layout)
                self._stream = None
        except Unfit as error:
            raise UsageError(f"{source} {error}.") from error
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise PellucidError(f"{source} is no whole gzip file ({error}).") from error
        except UnicodeError as error:
            raise PellucidError(f"{source} cannot be decoded ({error}); say another.") from error
        self._finished += source.size

    def _skip(self, source: Source, broken: Broken) -> None:
        what = f"{source} line {broken.line} {broken.reason}"
        if self.broken == "refuse":
            advice = f"{broken.advice}, or leave such lines out (--broken skip)"
            raise PellucidError(f"{what}; {advice}.")
        self._skipped.append(what)

    def _tell_skipped(self) -> None:
        if self._skipped:
            lines = "line was" if len(self._skipped) == 1 else "lines were"
            count = f"{len(self._skipped):,} broken {lines} left out"
            warnings.warn(f"{count}, first: {self._skipped[0]}.", stacklevel=2)


def check_once(names: Sequence[str]) -> None:
    """Of all that a command reads, one at most is standard input."""
    if names.count(STANDARD_INPUT) > 1:
        raise UsageError("Standard input can be read once; give - once.")


def found(path: str, layout: Layout) -> Iterator[Source]:
    """The files that a path stands for."""
    if path == STANDARD_INPUT:
        yield Source(None)
    elif Path(path).is_dir():
        yield from inside(Path(path), layout)
    elif Path(path).exists():
        yield Source(Path(path))
    else:
        raise UsageError(f"There is no file {path}.")


def inside(folder: Path, layout: Layout) -> Iterator[Source]:
    """The files in a folder and its folders, in the order of their names; none that is hidden."""
    every = sorted(file.relative_to(folder) for file in folder.rglob("*") if file.is_file())
    files = [file for file in every if wanted(file, layout)]
    if not files:
        names = ", ".join(SUFFIXES)
        raise UsageError(f"{folder} has no file in {names}; say the format to read all (--format).")
    for file in files:
        label, *within = file.parts
        yield Source(folder / file, label if within else None)


def wanted(file: Path, layout: Layout) -> bool:
    """Whether a file is read, by its path within a folder: whose format is known."""
    hidden = any(part.startswith(".") for part in file.parts)
    return not hidden and bool(layout.format or suffixed(file))
