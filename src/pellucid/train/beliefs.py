"""Beliefs: what a teacher says of every example, asked once, written as it comes, and mapped.

In the folder are, for each term, arrays one behind the other (NAME.ids.bin, NAME.scores.bin), an
index of where each begins and how it is shaped (NAME.*.npy), and about.json, which says of which
data and which teacher they are.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from jaxtyping import Int

from pellucid.errors import PellucidError
from pellucid.record.files import write_folder
from pellucid.train.batches import Array
from pellucid.train.objectives import MEASURED, Chance, Objective, batch
from pellucid.train.order import by_length
from pellucid.train.teacher import Said, Teacher

ABOUT = "about.json"
AXES = 3  # of an array at most


class Growing:
    """Arrays of one kind that are appended to a file, each with a number."""

    def __init__(self, path: Path, count: int) -> None:
        self.path = path
        self.index = np.full((count, 1 + AXES), -1, np.int64)
        self.file: BinaryIO = beside(path, ".bin").open("wb")
        self.kind = ""

    def add(self, number: int, array: Array) -> None:
        """One more."""
        if not np.isfinite(array).all():
            raise PellucidError("The teacher says something that is no number; check its weights.")
        self.kind = array.dtype.str
        self.index[number, : 1 + array.ndim] = self.file.tell(), *array.shape
        self.file.write(np.ascontiguousarray(array).tobytes())

    def close(self) -> None:
        """No more."""
        self.file.close()
        np.save(beside(self.path, ".npy"), self.index)


class Column:
    """The same, to be read."""

    def __init__(self, path: Path, kind: str) -> None:
        content, self.kind = beside(path, ".bin"), np.dtype(kind)
        some = content.stat().st_size > 0  # nothing cannot be mapped
        self.content = np.memmap(content, np.uint8, "r") if some else np.zeros(0, np.uint8)
        self.index: Int[np.ndarray, "N 4"] = np.load(beside(path, ".npy"))

    def __getitem__(self, number: int) -> Array:
        start, *axes = self.index[number].tolist()
        shape = tuple(n for n in axes if n >= 0)
        size = int(np.prod(shape)) * self.kind.itemsize
        return self.content[start : start + size].view(np.ndarray).view(self.kind).reshape(shape)


class Beliefs:
    """What was said, by term and number."""

    def __init__(self, folder: Path, about: Mapping[str, Any]) -> None:
        self.terms: list[str] = list(about["terms"])
        self.columns = {
            (term, name): Column(folder / f"{safe(term)}.{name}", kind)
            for term, kinds in about["terms"].items()
            for name, kind in kinds.items()
        }

    @classmethod
    def open(cls, folder: Path, mark: str) -> "Beliefs | None":
        """Those in a folder, if they are there and are these."""
        try:
            about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
            return cls(folder, about) if about["mark"] == mark else None
        except (OSError, ValueError, LookupError, TypeError):
            return None

    def of(self, term: str, number: int) -> Said:
        """What was said of an example."""
        return Said(*(self.columns[term, name][number] for name in Said._fields))


def ask(folder: Path, teacher: Teacher, asked: Objective, mark: str, rounds: list[Chance]) -> None:
    """Ask the teacher about every example in every round, and write what it says."""
    write_folder(folder, lambda new: fill(new, teacher, asked, mark, rounds), "replace", ABOUT)


def fill(folder: Path, teacher: Teacher, asked: Objective, mark: str, rounds: list[Chance]) -> None:
    """Into an empty folder."""
    count, growing = len(asked.lengths), dict[tuple[str, str], Growing]()
    with ExitStack() as files:
        for number, told in shown(answers(teacher, asked, rounds), count * len(rounds)):
            for term, said in told.items():
                for name, array in zip(Said._fields, said, strict=True):
                    if (term, name) not in growing:
                        grown = Growing(folder / f"{safe(term)}.{name}", count * len(rounds))
                        growing[term, name] = grown
                        files.callback(grown.close)
                    growing[term, name].add(number, array)
    terms: dict[str, dict[str, str]] = {}
    for (term, name), column in growing.items():
        terms.setdefault(term, {})[name] = column.kind
    about = json.dumps({"mark": mark, "terms": terms}, indent=1)
    (folder / ABOUT).write_text(f"{about}\n", encoding="utf-8")


def answers(
    teacher: Teacher, asked: Objective, rounds: list[Chance]
) -> Iterator[tuple[int, dict[str, Said]]]:
    """Every example of every round, by its number, round after round."""
    count = len(asked.lengths)
    for at, chance in enumerate(rounds):
        for numbers in by_length(np.arange(count), asked.lengths, MEASURED):
            told = teacher.say(batch(asked, numbers, chance))
            for row, number in enumerate(numbers.tolist()):
                yield at * count + number, {term: said[row] for term, said in told.items()}


def shown(found: Iterator[Any], total: int) -> Iterator[Any]:
    """The same, and on a terminal how far they are."""
    seen = sys.stderr.isatty()
    for done, each in enumerate(found, 1):
        if seen and (done % 100 == 0 or done == total):
            print(f"\rthe teacher has said {done:,} of {total:,}\x1b[K", end="", file=sys.stderr)
        yield each
    if seen:
        print(file=sys.stderr)


def safe(term: str) -> str:
    """A term as the name of a file."""
    return term.replace(" ", "-")


def beside(path: Path, ending: str) -> Path:
    """A file's name with an ending more."""
    return path.with_name(path.name + ending)
