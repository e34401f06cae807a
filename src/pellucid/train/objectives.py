"""Objectives: what is to be learned from rows of ids. Each makes examples; the loss is in loss.py.

An objective has the lengths of its examples (for the order), makes each by its number, and has a
mark that tells its data from others. Whatever is left to chance in an example (which words are
masked, which sentence follows) comes from `Chance`: it depends on the seed, the epoch and the
example alone, not on how batches are cut, nor on what was drawn before.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Int

from pellucid.train.batches import DOCUMENTS, Answer, Array, Batch, Example, together
from pellucid.train.breaking import Breaking
from pellucid.train.order import Numbers, Size, by_length
from pellucid.train.rows import Rows

MEASURED = Size(tokens=8192)  # of a batch that nothing is learned from


@dataclass(frozen=True)
class Chance:
    """What is left to chance in one epoch."""

    seed: int
    epoch: int

    def of(self, example: int) -> np.random.Generator:
        """For one example."""
        return np.random.default_rng((self.seed, self.epoch, example))

    @property
    def of_all(self) -> np.random.Generator:
        """For all examples together."""
        return np.random.default_rng((self.seed, self.epoch, 0, 1))


@runtime_checkable
class Objective(Protocol):
    """What is to be learned."""

    @property
    def lengths(self) -> Int[np.ndarray, "N S"]:
        """How many tokens each example has in each of its streams."""
        ...

    @property
    def mark(self) -> str:
        """It tells the data from any other."""
        ...

    def example(self, number: int, chance: Chance) -> Example:
        """One example."""
        ...


@runtime_checkable
class Slow(Protocol):
    """An objective with work to do before its first example: to ask a teacher."""

    @property
    def source(self) -> str:
        """The mark of that teacher's weights."""
        ...

    def ready(self, folder: Path | None) -> None:
        """Do it; what a run is to find again lies in its folder, if it has one."""
        ...


def marks(learned: Objective, valid: Objective | None) -> dict[str, tuple[str, str]]:
    """What a run stands on: the mark of each, and its size in words."""
    both = {"data": learned, "validation data": valid}
    found = {name: (each.mark, in_words(each)) for name, each in both.items() if each}
    if isinstance(learned, Slow):
        found["weights of the teacher"] = learned.source, ""
    return found


def in_words(objective: Objective) -> str:
    """How much there is."""
    lengths = objective.lengths
    return f"{len(lengths):,} examples, {lengths.sum():,} tokens"


def batch(objective: Objective, numbers: Numbers, chance: Chance, name: str = "") -> Batch:
    """The examples of these numbers, side by side."""
    return together([objective.example(int(number), chance) for number in numbers], name)


def all_batches(objective: Objective, size: Size = MEASURED) -> Iterator[Batch]:
    """Every example once, to be measured; what is left to chance is always the same."""
    return (each for _, each in numbered_batches(objective, size))


def numbered_batches(objective: Objective, size: Size) -> Iterator[tuple[Numbers, Batch]]:
    """The same, each with the numbers of its examples."""
    for numbers in by_length(np.arange(len(objective.lengths)), objective.lengths, size):
        yield numbers, batch(objective, numbers, Chance(0, 0))


def shifted(stream: Array) -> tuple[Array, Answer]:
    """THE place where targets are shifted: at each token the model should say the next one."""
    return stream[:-1], Answer(stream[1:], np.ones(len(stream) - 1, np.bool_))


@dataclass(frozen=True, eq=False)
class Classes:
    """A text's class. `labels` are numbers [N]; or [N C], one where the text is of the class.

    `firsts` are how many tokens belong to the first text of a pair, where the model is told.
    While it learns, `hiding` may put an id in the place of some ordinary words, so that a few
    words do not decide everything (Iyyer et al. 2015).
    """

    rows: Rows
    labels: Int[np.ndarray, "N ..."]
    firsts: Sequence[int] | None = None
    stream: str = "ids"  # the model's input
    hiding: "Hiding | None" = None

    @property
    def lengths(self) -> Int[np.ndarray, "N 1"]:
        return self.rows.lengths[:, None]

    @property
    def mark(self) -> str:
        return f"{self.rows.mark} {fingerprint(self.labels)}"

    def example(self, number: int, chance: Chance) -> Example:
        """Its tokens, and its class or classes."""
        ids = wide(self.rows[number])
        if self.hiding is not None:
            ids = self.hiding.apply(ids, chance.of(number))
        inputs = {self.stream: ids}
        if self.firsts is not None:
            inputs["segments"] = (np.arange(len(ids)) >= self.firsts[number]).astype(np.int64)
        label = self.labels[number]
        term = "class" if label.ndim == 0 else "classes"
        return Example(inputs, {term: Answer(np.asarray(label), np.ones(label.shape, np.bool_))})


@dataclass(frozen=True, eq=False)
class Hiding:
    """Some of a text's words are hidden by one id; `special` ids never are."""

    share: float
    by: int
    special: Int[np.ndarray, "W"]

    def apply(self, ids: Array, chance: np.random.Generator) -> Array:
        """The ids with some hidden."""
        hidden = (chance.random(len(ids)) < self.share) & ~np.isin(ids, self.special)
        return np.where(hidden, self.by, ids)


@dataclass(frozen=True, eq=False)
class Language:
    """The next word, in blocks of a text; documents stand one behind the other.

    Kept "apart" none sees another; "joined" they are one text. While it learns, blocks begin
    elsewhere in each epoch, and what is left over at the ends is left out; else (`whole`) every
    token of the text is a target once.
    """

    rows: Rows
    context: int
    whole: bool = False
    documents: Literal["apart", "joined"] = "apart"

    @property
    def lengths(self) -> Int[np.ndarray, "N 1"]:
        return np.full((self._count, 1), min(self.context, len(self.rows.ids) - 1))

    @property
    def _count(self) -> int:
        tokens = len(self.rows.ids)
        if self.whole:
            return -(-(tokens - 1) // self.context)
        return max(1, (tokens - self.context) // self.context)

    @property
    def mark(self) -> str:
        return self.rows.mark

    def example(self, number: int, chance: Chance) -> Example:
        """One block."""
        spare = len(self.rows.ids) - 1 - self._count * self.context
        moved = 0 if self.whole or spare <= 0 else int(chance.of_all.integers(0, spare + 1))
        start = moved + number * self.context
        given, answer = shifted(wide(self.rows.ids[start : start + self.context + 1]))
        inputs = {"ids": given}
        if self.documents == "apart" and len(self.rows) > 1:
            inputs[DOCUMENTS] = self.numbered(start, len(given))
        return Example(inputs, {"words": answer})

    def numbered(self, start: int, length: int) -> Int[np.ndarray, "T"]:
        """The documents of a block, from 1."""
        homes = np.searchsorted(self.rows.starts, np.arange(start, start + length), "right")
        return homes - homes[0] + 1


@dataclass(frozen=True, eq=False)
class Translation:
    """Target words, given the source and the target words before them (teacher forcing)."""

    sources: Rows
    targets: Rows
    start: int  # the id that stands before the first target word
    breaking: Breaking | None = None  # while it learns

    @property
    def lengths(self) -> Int[np.ndarray, "N 2"]:
        return np.stack([self.sources.lengths, self.targets.lengths], axis=1)

    @property
    def mark(self) -> str:
        return f"{self.sources.mark} {self.targets.mark}"

    def example(self, number: int, chance: Chance) -> Example:
        """Decoder inputs are made of the targets, here and nowhere else."""
        source, target = wide(self.sources[number]), wide(self.targets[number])
        if self.breaking is not None:
            random = chance.of(number)
            source, target = (self.breaking.apply(ids, random) for ids in (source, target))
        inputs, answer = shifted(np.concatenate([[self.start], target]))
        return Example({"source_ids": source, "target_ids": inputs}, {"words": answer})


def wide(ids: Array) -> Int[np.ndarray, "T"]:
    """Ids as torch's embedding wants them."""
    return ids.astype(np.int64)


def fingerprint(numbers: Array) -> str:
    """A few letters that tell these numbers from others."""
    return hashlib.blake2b(np.ascontiguousarray(numbers).tobytes(), digest_size=8).hexdigest()


def several(labels: Sequence[Sequence[str]], names: Sequence[str]) -> Int[np.ndarray, "N C"]:
    """One where a text is of the class."""
    return np.array([[int(name in row) for name in names] for row in labels])
