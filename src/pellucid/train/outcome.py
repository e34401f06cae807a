"""What a student has kept of its teacher: quality, size, speed, and where the two disagree."""

import heapq
import itertools
import json
import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from pellucid.formula.linear import exact
from pellucid.models.model import Model
from pellucid.record.printed import aligned, in_words
from pellucid.train.alignment import each_loss
from pellucid.train.batches import MASKS, Batch
from pellucid.train.body import look
from pellucid.train.objectives import MEASURED, Chance, Objective, batch
from pellucid.train.order import Numbers, by_length
from pellucid.train.step import measure

FILE, TABLE = "student.json", "disagreements.tsv"
BATCHES, TURNS = 8, 3  # that speed is measured on, and how often
SHOWN, KEPT = 5, 10_000  # disagreements in the report, and in the table


class Answered(NamedTuple):
    """What a model made of one example: nats a target, and of a class which and how sure."""

    nats: float
    answer: str = ""
    sure: float = 0.0

    def __str__(self) -> str:
        return f"{self.answer} {self.sure:.2f}" if self.answer else f"{self.nats:.2f} nats"


class Disagreement(NamedTuple):
    """An example of which student and teacher think most unlike."""

    text: str
    student: Answered
    teacher: Answered

    @property
    def size(self) -> float:
        """How unlike: another class counts more than any difference of nats."""
        other = self.student.answer != self.teacher.answer
        return other * (1e3 + self.student.sure) + abs(self.student.nats - self.teacher.nats)


@dataclass(frozen=True)
class Side:
    """One of the two. `quality` are figures by name, `speed` is in texts a second."""

    name: str
    quality: Mapping[str, float]
    parameters: int
    bytes: int
    speed: float


@dataclass(frozen=True)
class Outcome:
    """Student and teacher, and where they disagree, most first."""

    student: Side
    teacher: Side
    disagreements: Sequence[Disagreement]
    examples: int

    def to_json(self) -> dict[str, Any]:
        """All numbers as plain data."""
        sides = {name: vars(getattr(self, name)) for name in ("student", "teacher")}
        return {**sides, "kept": self.kept(), "examples": self.examples}

    def kept(self) -> dict[str, float]:
        """The student's numbers over the teacher's."""
        pairs = {
            **{name: (self.student.quality[name], x) for name, x in self.teacher.quality.items()},
            **{
                name: (getattr(self.student, name), getattr(self.teacher, name))
                for name in ("parameters", "bytes", "speed")
            },
        }
        return {name: ours / theirs for name, (ours, theirs) in pairs.items() if theirs}

    def save(self, folder: Path) -> None:
        """The numbers, and a table of all disagreements."""
        text = json.dumps(self.to_json(), ensure_ascii=False, indent=1)
        (folder / FILE).write_text(f"{text}\n", encoding="utf-8")
        rows: list[tuple[str, ...]] = [
            ("teacher", "student", "teacher_nats", "student_nats", "text")
        ]
        rows += [
            (*map(answer, (d.teacher, d.student)), f"{d.teacher.nats:.4f}",
             f"{d.student.nats:.4f}", " ".join(d.text.split()))
            for d in self.disagreements
        ]  # fmt: skip
        table = "".join("\t".join(row) + "\n" for row in rows)
        (folder / TABLE).write_text(table, encoding="utf-8")

    def __str__(self) -> str:
        kept = self.kept()
        sides = self.teacher, self.student
        rows = [
            (name, *(f"{side.quality[name]:.4f}" for side in sides), f"{kept.get(name, 0):.1%}")
            for name in self.teacher.quality
        ]
        for name, say in (("parameters", "{:,}".format), ("bytes", in_words), ("speed", fast)):
            cells = (say(getattr(side, name)) for side in sides)
            rows.append((SAID[name], *cells, f"{kept.get(name, 0):.1%}"))
        head = (f"on {self.examples:,} examples", "teacher", "student", "student / teacher")
        return "\n\n".join((aligned([head, *rows]), self._disagreements()))

    def _disagreements(self) -> str:
        some = self.disagreements[:SHOWN]
        head = ("they disagree most on", "teacher", "student")
        rows = [(short(d.text), str(d.teacher), str(d.student)) for d in some]
        return aligned([head, *rows])


SAID = {"bytes": "weights, in float32", "speed": "texts a second, here", "parameters": "parameters"}


def answer(side: Answered) -> str:
    """Which class, if it is one."""
    return f"{side.answer} ({side.sure:.3f})" if side.answer else ""


def fast(speed: float) -> str:
    """A number of texts a second."""
    return f"{speed:,.0f}"


def short(text: str) -> str:
    """A text on a line."""
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:59]}…"


def compare(student: Model, teacher: Model, learned: Objective, asked: Objective) -> Outcome:
    """Both on the same examples: `learned` as the student reads them, `asked` as the teacher."""
    pair = Reader(student.eval(), learned), Reader(teacher.eval(), asked)
    cut = list(by_length(np.arange(len(learned.lengths)), learned.lengths, MEASURED))
    ours, theirs = (
        Side(each.model.name, each.quality(cut), each.parameters, each.bytes, speed)
        for each, speed in zip(pair, speeds(pair, cut[:BATCHES]), strict=True)
    )
    found = heapq.nlargest(KEPT, disagreements(*pair, cut), key=lambda each: each.size)
    return Outcome(ours, theirs, found, len(learned.lengths))


@dataclass(frozen=True)
class Reader:
    """A model, and what it reads."""

    model: Model
    objective: Objective

    def batches(self, cut: Iterable[Numbers]) -> Iterator[Batch]:
        """The examples of these numbers."""
        return (batch(self.objective, some, Chance(0, 0)) for some in cut)

    def quality(self, cut: Iterable[Numbers]) -> dict[str, float]:
        """Shares told right, and nats a word."""
        ledger = measure(self.model, self.batches(cut))
        return {
            FIGURES[term]: (ledger.plain if term == "words" else ledger.right)[term] / count
            for term, count in ledger.counts.items()
            if term in ledger.plain
        }

    @property
    def parameters(self) -> int:
        return sum(tensor.numel() for tensor in self.model.parameters())

    @property
    def bytes(self) -> int:
        return 4 * sum(tensor.numel() for tensor in self.model.state().values())

    @torch.no_grad()
    def answers(self, batch: Batch) -> list[Answered]:
        """What the model makes of each example: of words, or else of classes."""
        output = look(self.model, batch.inputs)
        if "words" in batch.targets:
            counts = batch.targets["words"].counted.sum(1).tolist()
            losses = each_loss(self.model, output.hidden, batch, "words").split(counts)
            return [Answered(float(loss.mean())) for loss in losses]
        (term, targets), *_ = batch.targets.items()
        assert output.classes is not None
        return TELL[term](self.model, exact(output.classes), targets.ids)

    def texts(self, batch: Batch) -> list[str]:
        """What was given, as far as pieces tell."""
        streams = [
            (batch.inputs[key], batch.inputs[MASKS[key]], side)
            for key, side in SIDES.items()
            if key in batch.inputs
        ]
        columns = [self._decoded(*each) for each in streams]
        return [" → ".join(row) for row in zip(*columns, strict=True)]

    def _decoded(self, ids: Tensor | None, mask: Tensor | None, side: str) -> list[str]:
        assert ids is not None
        tokenizer = self.model.tokenizer
        inner = (tokenizer.target if side == "target" else tokenizer).inner
        lengths = [ids.shape[1]] * len(ids) if mask is None else mask.sum(1).tolist()
        rows = zip(ids.tolist(), lengths, strict=True)
        return inner.decode_batch([row[:n] for row, n in rows], skip_special_tokens=True)


def one_class(model: Model, logits: Tensor, ids: Tensor) -> list[Answered]:
    """Which class, and how sure."""
    names = model.settings.get("id2label", {})
    said = logits.log_softmax(-1)
    nats = -said.gather(-1, ids[:, None])[:, 0]
    rows = zip(nats.tolist(), *(x.tolist() for x in said.max(-1)), strict=True)
    return [Answered(n, names.get(str(at), str(at)), math.exp(best)) for n, best, at in rows]


def each_class(model: Model, logits: Tensor, ids: Tensor) -> list[Answered]:
    """Nats a class, each a yes or no of its own."""
    losses = functional.binary_cross_entropy_with_logits(logits, ids.to(logits), reduction="none")
    return [Answered(n) for n in losses.mean(-1).tolist()]


TELL = {"class": one_class, "classes": each_class}
SIDES = {"ids": "only", "source_ids": "source", "target_ids": "target"}
FIGURES = {
    "words": "nats a word",
    "class": "told right",
    "classes": "yes or no right",
    "next sentence": "next sentence right",
}


def disagreements(
    student: Reader, teacher: Reader, cut: Sequence[Numbers]
) -> Iterator[Disagreement]:
    """Every example, and what both make of it."""
    for ours, theirs in zip(student.batches(cut), teacher.batches(cut), strict=True):
        columns = student.texts(ours), student.answers(ours), teacher.answers(theirs)
        yield from itertools.starmap(Disagreement, zip(*columns, strict=True))


def speeds(readers: Sequence[Reader], cut: Sequence[Numbers]) -> list[float]:
    """Texts a second of each, by turns on the same texts; the best turn counts."""
    held = [list(each.batches(cut)) for each in readers]
    best = [float("inf")] * len(readers)
    for _, (at, reader) in itertools.product(range(TURNS), enumerate(readers)):
        started = time.perf_counter()
        for each in held[at]:
            reader.answers(each)
        best[at] = min(best[at], time.perf_counter() - started)
    return [sum(map(len, cut)) / seconds for seconds in best]
