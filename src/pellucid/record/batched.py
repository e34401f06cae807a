"""A stream cut into lists, as `itertools.batched` does it from Python 3.12 on."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """So many at a time; no more are read ahead."""
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some
