"""Protocol buffers, as far as reading one needs: fields by number, in the order of the file."""

from collections.abc import Iterator
from typing import Any

WIDTHS = {1: 8, 5: 4}  # bytes of a fixed field, by wire type
VARINT, SIZED = 0, 2


def fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """The number and value (an int or bytes) of each field; ValueError where there is none."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, wire = tag >> 3, tag & 7
        size = WIDTHS.get(wire)
        if wire in (VARINT, SIZED):
            size, at = _varint(data, at)
        if size is None or number == 0:
            raise ValueError(f"an unknown kind of field at byte {at}")
        if wire == VARINT:
            yield number, size
            continue
        if at + size > len(data):
            raise ValueError(f"it breaks off in the field at byte {at}")
        yield number, data[at : at + size]
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Seven bits a byte, lowest first; the highest bit says that more follow."""
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ValueError(f"a broken number at byte {at}")
        value |= (data[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 0x80:
            return value, at
