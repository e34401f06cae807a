"""The lines of a file as text, one at a time, so that one bad byte costs only its line."""

import codecs
import gzip
import io
from collections.abc import Iterator
from io import BufferedReader
from typing import NamedTuple

from pellucid.errors import UsageError

GZIP = b"\x1f\x8b"
MARKS = {  # of others than UTF-8; the longer first: UTF-32's begins like UTF-16's
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


class Broken(NamedTuple):
    """A line that cannot be read: what is said after "line 7 …", and what may help."""

    line: int
    reason: str
    advice: str = "mend it"


class Unfit(UsageError):
    """A whole file that is not as was said; the sentence begins with the file's name."""


def half_at(text: str) -> int | None:
    """Where half a character stands, as JSON can say it (\\ud83d) and no file; else None."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return error.start
    return None


class Lines(Iterator[str]):
    """Lines with their ends; `number` is the last one's. What was no text is kept for `take`."""

    def __init__(self, stream: BufferedReader, encoding: str | None = None) -> None:
        found = codecs.lookup(encoding or encoding_of(stream)).name
        self.encoding = found.removesuffix("-sig")
        self.number = 0
        self._problem: Broken | None = None
        self._lines: Iterator[bytes] = iter(stream)
        skip_mark(stream, self.encoding)
        if found.startswith(("utf-16", "utf-32")):
            self._lines, self.encoding = recoded(stream, found), "utf-8"

    def __next__(self) -> str:
        line = next(self._lines)
        self.number += 1
        try:
            return line.decode(self.encoding)
        except UnicodeDecodeError as error:
            self._problem = self._broken(error)
            return line.decode(self.encoding, errors="replace")

    def take(self) -> Broken | None:
        """The last line since the last time that was no text."""
        problem, self._problem = self._problem, None
        return problem

    def _broken(self, error: UnicodeDecodeError) -> Broken:
        byte = f"byte {error.start + 1} (0x{error.object[error.start]:02x})"
        reason = f"is not valid {self.encoding.upper()} at {byte}"
        return Broken(self.number, reason, "say its encoding (--encoding latin-1)")


def encoding_of(stream: BufferedReader) -> str:
    """What the first bytes say; UTF-8 where they say nothing."""
    start = peek(stream, 4)
    return next((name for mark, name in MARKS.items() if start.startswith(mark)), "utf-8")


def skip_mark(stream: BufferedReader, encoding: str) -> None:
    """Read past a mark of byte order; an encoding that looks for its own finds it there still."""
    mark = "\ufeff".encode(encoding, errors="ignore")
    if peek(stream, len(mark)) == mark:
        stream.read(len(mark))


def recoded(stream: BufferedReader, encoding: str) -> Iterator[bytes]:
    """The lines in UTF-8: in wider encodings a line does not end with a byte."""
    text = io.TextIOWrapper(stream, encoding, newline="\n")
    try:
        yield from map(str.encode, text)
    finally:
        if not stream.closed:
            text.detach()  # or else it would close the stream


def unzipped(stream: BufferedReader) -> BufferedReader:
    """What the stream holds if it is gzip; else the stream itself."""
    if not peek(stream, len(GZIP)).startswith(GZIP):
        return stream
    return BufferedReader(gzip.GzipFile(fileobj=stream), 1 << 18)


def peek(stream: BufferedReader, count: int) -> bytes:
    """The first bytes, which will be read again."""
    return stream.peek(count)[:count]
