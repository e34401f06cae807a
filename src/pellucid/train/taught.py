"""An objective that is also taught: to every example comes what a teacher says of it."""

import shutil
import tempfile
import weakref
from dataclasses import replace
from pathlib import Path

import numpy as np
from jaxtyping import Int

from pellucid.train.batches import Answer, Array, Example
from pellucid.train.beliefs import Beliefs, ask
from pellucid.train.objectives import Chance, Objective
from pellucid.train.ranks import Ranks
from pellucid.train.teacher import Said, Teacher
from pellucid.train.teaching import TAUGHT

FOLDER = "teacher"  # in a run


class Taught:
    """`learned` are the student's examples. `asked` are the teacher's, number by number the same
    texts; where they are the very same, both see the same masks and blocks: those of the first
    `rounds` epochs, which come again and again.
    """

    def __init__(
        self, learned: Objective, asked: Objective, teacher: Teacher, seed: int, rounds: int = 1
    ) -> None:
        self.learned, self.asked, self.teacher = learned, asked, teacher
        self.same = asked is learned
        self.rounds = [Chance(seed, epoch) for epoch in range(rounds if self.same else 1)]
        self.beliefs: Beliefs | None = None

    @property
    def lengths(self) -> Int[np.ndarray, "N S"]:
        return self.learned.lengths

    @property
    def mark(self) -> str:
        return self.learned.mark

    @property
    def source(self) -> str:
        return self.teacher.weights

    def ready(self, folder: Path | None) -> None:
        """Ask the teacher, if that was not done before."""
        rounds = [(chance.seed, chance.epoch) for chance in self.rounds]
        mark, ranks = f"{self.asked.mark} {rounds} {self.teacher.mark}", Ranks.here()
        alone = folder is None  # then it goes when nobody needs it
        if folder is None:
            folder = Path(tempfile.mkdtemp())
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        where = folder / FOLDER
        self.beliefs = Beliefs.open(where, mark)
        if self.beliefs is None and (ranks.first or alone):
            ask(where, self.teacher, self.asked, mark, self.rounds)
        ranks.wait()
        self.beliefs = self.beliefs or Beliefs.open(where, mark)

    def example(self, number: int, chance: Chance) -> Example:
        """The student's example, and the teacher's answers beside the right ones."""
        assert self.beliefs is not None
        if self.same:
            chance = self.rounds[chance.epoch % len(self.rounds)]
        at = (chance.epoch if self.same else 0) * len(self.lengths) + number
        example = self.learned.example(number, chance)
        taught = {
            term: answer(term, self.beliefs.of(term, at), example) for term in self.beliefs.terms
        }
        return replace(example, answers={**example.answers, **taught})


def answer(term: str, said: Said, example: Example) -> Answer:
    """What was said, at the places that it was said of."""
    for hard, known in example.answers.items():
        if term == TAUGHT(hard):
            ids, scores = (spread(array, known.counted, hard) for array in said)
            return Answer(ids.astype(np.int64), known.counted, scores)
    return Answer(said.ids.astype(np.int64), np.ones(len(said.scores), np.bool_), said.scores)


def spread(array: Array, counted: Array, term: str) -> Array:
    """Of words, rows at the places that count, zeros elsewhere; of classes, as it is."""
    if term != "words" or bool(counted.all()):
        return array
    whole = np.zeros((len(counted), *array.shape[1:]), array.dtype)
    whole[counted] = array
    return whole
