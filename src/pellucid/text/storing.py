"""Vectors on the disk: their numbers in one .npz, their words beside it in a .json. No pickle."""

import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from pellucid.errors import PellucidError, UsageError
from pellucid.record.files import Existing, check_writable, write
from pellucid.text.vectors import Vectorizer
from pellucid.text.words import Analyzer

FORMAT = 1
SETTINGS = ("kind", "fewest", "most", "terms", "hashed")

Words = dict[str, Any]
Numbers = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Vectors:
    """A vectorizer, and the matrix [texts, terms] that it made.

    `labels` has for each text the number of its class. The .npz is also one that
    `scipy.sparse.load_npz` reads.
    """

    vectorizer: Vectorizer
    matrix: csr_array
    labels: NDArray[np.int32] | None = None
    classes: tuple[str, ...] = ()

    def save(self, path: Path, existing: Existing = "refuse") -> None:
        """Write reviews.npz, and reviews.json."""
        matrix = self.matrix
        numbers: Numbers = {name: getattr(matrix, name) for name in ("data", "indices", "indptr")}
        numbers |= {"shape": matrix.shape, "format": b"csr", "_is_array": True}
        if self.labels is not None:
            numbers["labels"] = self.labels
        save(path, self.vectorizer, {"classes": self.classes}, numbers, existing)

    @classmethod
    def load(cls, path: Path) -> "Vectors":
        """Read both."""
        vectorizer, words, numbers = load(path)
        with reading(path):
            parts = (numbers["data"], numbers["indices"], numbers["indptr"])
            matrix = csr_array(parts, tuple(numbers["shape"]))
            matrix.check_format()
            return cls(vectorizer, matrix, numbers.get("labels"), tuple(words["classes"]))


def check_places(path: Path, existing: Existing) -> None:
    """Say early why the two files could not be written."""
    for each in (path, beside(path)):
        check_writable(each, existing)


def save(
    path: Path, vectorizer: Vectorizer, words: Words, numbers: Numbers, existing: Existing
) -> None:
    """Write a vectorizer, and more words and numbers that go with it."""
    check_places(path, existing)
    if not isinstance(vectorizer.analyzer, Analyzer):
        raise UsageError("An analyzer of your own cannot be saved; use pellucid's Analyzer.")
    settings = {name: getattr(vectorizer, name) for name in SETTINGS}
    learned = {"texts": vectorizer.texts_, "vocabulary": vectorizer.vocabulary_}
    analyzer = {"analyzer": vectorizer.analyzer.to_json()}
    words = {"format": FORMAT, **settings, **analyzer, **words, **learned}
    numbers = {"having": vectorizer.having_, **numbers}
    write(beside(path), partial(_write_words, words), existing)
    write(path, partial(_write_numbers, numbers), existing)


def load(path: Path) -> tuple[Vectorizer, Words, Numbers]:
    """Read them back."""
    for each in (path, beside(path)):
        if not each.is_file():
            raise UsageError(f"There is no file {each}; vectors are a .npz with a .json beside it.")
    with reading(path):
        words = json.loads(beside(path).read_text("utf-8", "surrogatepass"))
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            numbers = dict(file)
        return _vectorizer(words, numbers["having"]), words, numbers


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """What is wrong with the files, as a sentence."""
    try:
        yield
    except (ValueError, TypeError, LookupError, zipfile.BadZipFile, EOFError) as error:
        what = f"{type(error).__name__}: {error}"
        raise PellucidError(f"{path} and {beside(path)} cannot be read ({what}).") from error


def beside(path: Path) -> Path:
    """The .json that goes with a .npz."""
    if path.suffix != ".npz":
        raise UsageError(f"{path} should end in .npz; its words go into a .json beside it.")
    return path.with_suffix(".json")


def _vectorizer(words: Words, having: NDArray[np.int64]) -> Vectorizer:
    if words["format"] != FORMAT:
        raise ValueError(f"format {words['format']}, where {FORMAT} is known")
    settings = {name: words[name] for name in SETTINGS}
    vectorizer = Vectorizer(**settings, analyzer=Analyzer.from_json(words["analyzer"]))
    vectorizer.check()
    vocabulary = words["vocabulary"]
    if not vectorizer.hashed and sorted(vocabulary.values()) != list(range(len(having))):
        raise ValueError("its terms and its numbers have not the same columns")
    vectorizer.know(vocabulary, words["texts"], having)
    return vectorizer


def _write_words(words: Words, path: Path) -> None:
    with path.open("w", encoding="utf-8", errors="surrogatepass") as file:
        json.dump(words, file, ensure_ascii=False, indent=1)


def _write_numbers(numbers: Numbers, path: Path) -> None:
    with path.open("wb") as file:
        np.savez(file, allow_pickle=False, **numbers)
