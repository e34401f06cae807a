"""Texts, as many as one likes: they lie in a file, and each is read when it is wanted."""

import tempfile
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

import numpy as np
from jaxtyping import Bool, Int, UInt8

Numbers = Int[np.ndarray, "_"]
UTF8 = ("utf-8", "surrogatepass")  # JSON may hold half a character


class Many(Sequence[str]):
    """Texts that are made when they are asked for, by their numbers."""

    def one(self, number: int) -> str:
        """The text of this number."""
        raise NotImplementedError

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        numbers = range(len(self))[at]
        return self.one(numbers) if isinstance(numbers, int) else [*map(self.one, numbers)]

    def __iter__(self) -> Iterator[str]:
        return map(self.one, range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and [*self] == [*other]

    __hash__ = None  # type: ignore[assignment]  # like a list

    def number(self, at: int) -> int:
        """The number by which a person knows a text, from 1."""
        return at + 1


class Kept(Many):
    """Text i is the bytes from `starts[i]` to `ends[i]`."""

    def __init__(self, content: UInt8[np.ndarray, "_"], starts: Numbers, ends: Numbers) -> None:
        self.content, self.starts, self.ends = content, starts, ends

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Kept":
        """Texts as they come, written into a file without a name that goes when nobody needs it."""
        places = array("q", [0])
        with tempfile.TemporaryFile() as file:
            for text in texts:
                places.append(places[-1] + file.write(text.encode(*UTF8)))
            file.flush()
            some = places[-1] > 0  # nothing cannot be mapped
            content = np.memmap(file, np.uint8, mode="r") if some else np.zeros(0, np.uint8)
        ends = np.frombuffer(places, np.int64)
        return cls(content.view(np.ndarray), ends[:-1], ends[1:])

    def halves(self) -> tuple["Kept", "Kept"]:
        """Of pairs that came one behind the other, the first texts and the second ones."""
        first, second = (Kept(self.content, self.starts[at::2], self.ends[at::2]) for at in (0, 1))
        return first, second

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def empty(self) -> Bool[np.ndarray, "N"]:
        """Which of them have no letter."""
        found: Bool[np.ndarray, "N"] = self.starts == self.ends
        return found

    def one(self, number: int) -> str:
        first, behind = self.starts[number], self.ends[number]
        return self.content[first:behind].tobytes().decode(*UTF8)


class Some(Many):
    """Those of these numbers; nothing is copied."""

    def __init__(self, texts: Sequence[str], numbers: Numbers) -> None:
        self.texts, self.numbers = texts, numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def one(self, number: int) -> str:
        return self.texts[int(self.numbers[number])]

    def number(self, at: int) -> int:
        return number_of(self.texts, int(self.numbers[at]))


def number_of(texts: Iterable[str], at: int) -> int:
    """The number by which a person knows a text; of those that are some of others, theirs."""
    return texts.number(at) if isinstance(texts, Many) else at + 1
