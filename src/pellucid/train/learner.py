"""A learner: a Transformer for one task, from texts to weights."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, cast

from torch import nn

from pellucid.errors import UsageError
from pellucid.models.checkpoint import load_folder
from pellucid.models.load import load
from pellucid.models.model import Model
from pellucid.models.saving import CONFIG
from pellucid.record.printed import aligned, counted
from pellucid.text.training import train
from pellucid.train.encoding import CUT, LONGER, Encoding
from pellucid.train.examples import called
from pellucid.train.loop import Learning
from pellucid.train.making import TASKS, config, grown, new
from pellucid.train.objectives import Objective, all_batches
from pellucid.train.outcome import Outcome, compare
from pellucid.train.seen import cut
from pellucid.train.settings import Settings, TaskName, usual
from pellucid.train.state import State
from pellucid.train.step import Ledger, measure
from pellucid.train.student import asks, check_pieces, pupil, student, taught

LONG = "too_long"  # in config.json: what is done at a long text


class Learner:
    """What the four tasks share. Each says how a model is made, and what is learned of data."""

    task: ClassVar[TaskName]
    model: Model
    state: State
    measured: Objective | None = None
    outcome: Outcome | None = None
    advice = CUT  # at a text that is longer than the model reads

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or usual(task=self.task)

    @classmethod
    def seeded(cls, seed: int) -> "Learner":
        """With all as usual, and this seed."""
        return cls(usual(task=cls.task, seed=seed))

    def make(self, given: Any) -> Model:
        """A model to begin with; its tokenizer is learned from the data, or comes with it."""
        raise NotImplementedError

    def scratch(self, texts: Iterable[str], **choices: Any) -> Model:
        """A new model, with a tokenizer learned from the texts."""
        s = self.settings
        tokenizer = train(texts, kind=s.tokenizer, size=s.vocabulary)
        model = new(config(s, tokenizer.inner.get_vocab_size(), **choices), s.init, s.seed)
        model.tokenizer = tokenizer
        self.advice = LONGER
        return model

    def objective(self, given: Any, what: str) -> Objective:
        """What is to be learned of data; `what` names one of them in messages."""
        raise NotImplementedError

    def prepare(self, given: Any, valid: Any = None, folder: Path | None = None) -> Learning:
        """Everything up to the first step; where a run was begun in the folder, it goes on."""
        begun = folder is not None and (folder / CONFIG).is_file()
        self.model = load_folder(folder) if folder and begun else self._made(given)
        self.model.settings[LONG] = self.settings.too_long
        objective, self.measured = self.sets(given, valid)
        model: nn.Module = self.model
        if self.teacher is not None and asks(self.settings):
            asked = self.asked(given, objective)
            pair = self.model, self.teacher.model, self.settings
            objective, model = taught(*pair, objective, asked), pupil(*pair)
        measured, pad = self.measured, padding(self.model)
        return Learning(model, objective, self.settings, valid=measured, folder=folder, padding=pad)

    def _made(self, given: Any) -> Model:
        s = self.settings
        if self.teacher is None or s.start or s.pieces == "own":
            return self.make(given)
        teacher = self.teacher.model
        return student(cut(teacher, self.texts(given)) if s.pieces == "seen" else teacher, s)

    def texts(self, given: Any) -> Iterable[str]:
        """The texts of data."""
        raise NotImplementedError

    @cached_property
    def teacher(self) -> "Learner | None":
        """A learner like this one that has learned already, if there is one to learn from."""
        if not self.settings.teacher:
            return None
        found = self.of(load(self.settings.teacher))
        found.settings = replace(found.settings, too_long=self.settings.too_long)
        return found

    def asked(self, given: Any, objective: Objective) -> Objective:
        """What the teacher reads where the student has this objective."""
        assert self.teacher is not None
        check_pieces(self.model, self.teacher.model)
        return objective

    def review(self, valid: Any) -> None:
        """Put student and teacher side by side, where there is something to measure them on."""
        if self.teacher is not None and self.measured is not None:
            asked = self.measured if valid is None else self.asked(valid, self.measured)
            self.outcome = compare(self.model, self.teacher.model, self.measured, asked)

    def learn(self, given: Any, valid: Any = None) -> None:
        """Learn from data, measured on others; nothing is written."""
        self.state = self.prepare(given, valid).run()

    def sets(self, given: Any, valid: Any) -> tuple[Objective, Objective | None]:
        """What is learned, and what it is measured on."""
        measured = None if valid is None else self.objective(valid, called(valid, given))
        return self.objective(given, "Text"), measured

    def encoding(self, what: str) -> Encoding:
        """From texts to ids."""
        model, too_long = self.model, self.settings.too_long
        return Encoding(model.tokenizer, model.config.longest, too_long, what, self.advice)

    def checkpoint(self) -> Model:
        """The model that was named to begin with, with the heads that the task needs."""
        s, found = self.settings, load(self.settings.start)
        needs = dict(TASKS[self.task])
        if found.config.shape != (shape := needs.pop("shape")):
            raise UsageError(
                f"{s.start} is of the shape {found.config.shape}; this task needs {shape}."
            )
        drops = {"dropout": s.dropout, "attention_dropout": s.attention_dropout}
        return grown(found, s.seed, **drops, **needs)

    def size(self) -> int:
        """How many numbers it has learned."""
        return sum(parameter.numel() for parameter in self.model.parameters())

    def facts(self) -> dict[str, str]:
        """What it is, in a few words."""
        c = self.model.config
        size = f"{counted(c.layers, 'layer')}, {counted(c.heads, 'head')}, {c.width} wide"
        return {
            "model": f"Transformer ({c.shape}), {size}",
            "vocabulary": f"{c.vocabulary:,} pieces",
            "weights": f"{self.size():,}",
        }

    def lessons(self) -> str:
        """How it went: the best and the last measurement; and beside a teacher, what was kept."""
        outcome = str(self.outcome) if self.outcome else ""
        return "\n\n".join(filter(None, (self._measurements(), outcome)))

    def _measurements(self) -> str:
        if not hasattr(self, "state") or not self.state.measured:
            return ""
        best, last = min(self.state.measured, key=lambda each: each[1:]), self.state.measured[-1]
        lines = [
            (f"{which} measurement", f"step {step:,}", f"loss {loss:.4f}")
            for which, (step, _, loss) in (("best", best), ("last", last))
        ]
        return aligned(lines)

    def save(self, folder: Path) -> None:
        """Write the model, and beside a teacher what was kept."""
        self.model.save(folder, existing="replace")
        if self.outcome:
            self.outcome.save(folder)

    @classmethod
    def load(cls, folder: Path) -> "Learner":
        """Read it back."""
        return cls.of(load_folder(folder))

    @classmethod
    def of(cls, model: Model) -> "Learner":
        """One that has this model; it treats long texts as it did when it learned."""
        found = cls(usual(task=cls.task, too_long=model.settings.get(LONG, "refuse")))
        found.model = model
        return found


def measured(model: Model, objective: Objective) -> Ledger:
    """The plain sums over an objective, as the model is used."""
    return measure(model.eval(), all_batches(objective))


def padding(model: Model) -> int | None:
    """The id of the piece that a model's texts are padded with, if it has one."""
    tokenizer = model.tokenizer.target
    named = tokenizer.inner.token_to_id(tokenizer.special.get("pad_token", ""))
    return cast(int | None, model.settings.get("pad_token_id", named))
