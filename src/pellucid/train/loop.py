"""The loop: batches, steps, measurements, checkpoints.

learned = Learning(model, objective, settings, valid=measured_on, folder=run).run()

Whatever is left to chance follows from the seed and the number of the step, so a run that was
stopped anywhere goes on as if nothing had been.
"""

import math
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_

from pellucid.errors import PellucidError, UsageError
from pellucid.nn.block import Block
from pellucid.train import checkpoint
from pellucid.train.agreement import twice
from pellucid.train.batches import Batch
from pellucid.train.checkpoint import Shelf
from pellucid.train.finding import first_odd
from pellucid.train.journal import Journal
from pellucid.train.loss import Smoothing
from pellucid.train.objectives import Chance, Objective, Slow, all_batches, batch, marks
from pellucid.train.optimize import moments, optimizer, parameters, remember, set_rate
from pellucid.train.order import Numbers, Order, Place, Size
from pellucid.train.ranks import Ranks
from pellucid.train.settings import Settings
from pellucid.train.state import State
from pellucid.train.step import Ledger, gradients, measure
from pellucid.train.stopping import Stopping

CHECKPOINT = Path("checkpoint", "run.safetensors")
MINUTE = 60.0
FREE = ("learning", "run")  # sections of the settings that may change in a run that goes on
AHEAD = 8  # steps that workers prepare


class Learning:
    """A model that learns an objective, as the settings say.

    `valid` is what it is measured on, `padding` the id that stands for nothing, if there is one.
    With a `folder` it writes a log and checkpoints there, and goes on where those end.
    """

    def __init__(
        self,
        model: nn.Module,
        objective: Objective,
        settings: Settings,
        *,
        valid: Objective | None = None,
        folder: Path | None = None,
        padding: int | None = None,
    ) -> None:
        self.model, self.objective, self.settings = model, objective, settings
        self.valid, self.ranks = valid, Ranks.here()
        self.smoothing = Smoothing(
            settings.smoothing, settings.convention, padding, settings.r_drop
        )
        size = Size(tokens=settings.tokens, rows=settings.rows)
        self.order = Order(
            lengths=objective.lengths, size=size, window=settings.window, seed=settings.seed
        )
        self.epoch = self.order.count()  # batches, and so steps
        self.steps = settings.steps or math.ceil(settings.epochs * self.epoch)
        self.schedule = settings.plan(self.steps)
        self.optimizer = optimizer(model, settings)
        self.state = State()
        self._saved = time.monotonic()
        self.every = settings.measure or min(self.epoch, self.steps)
        self.into(folder)

    def into(self, folder: Path | None) -> None:
        """Write into this folder from now on."""
        self.folder = folder
        writes = folder if self.ranks.first else None
        if writes is not None:
            (writes / CHECKPOINT).parent.mkdir(parents=True, exist_ok=True)
        self.shelf = Shelf(writes and (writes / CHECKPOINT).parent)
        self.journal = Journal(writes, self.schedule, shows=self.ranks.first)

    def run(self, accepted: Callable[[], None] = lambda: None) -> State:
        """Learn to the end; then the model has the weights that are kept.

        `accepted` is called where the checkpoint to go on from, if any, fits settings and data.
        """
        self._begin()
        accepted()
        with Stopping() as stopping, closing(self.journal):
            for after, batches in self._ahead():
                if self._done():
                    break
                self._step(batches)
                self.state.place = after
                self._measure_if_due()
                if stopping.asked:
                    self._save()
                    raise stopping.stopped(self.state.step, self.folder)
                self._save_if_due()
            self._save()
        self._finish()
        return self.state

    def _done(self) -> bool:
        patience = self.settings.patience
        return self.state.step >= self.steps or 0 < patience <= self.state.waited

    def _ahead(self) -> Iterator[tuple[Place, list[Batch]]]:
        """The micro-batches of this process for step after step, and the place behind them.

        With workers, threads prepare some ahead; a batch follows from its place alone, so it is
        the same whoever made it and when.
        """
        jobs = self.order.after(self.state.place)
        if not self.settings.workers:
            yield from map(self._prepare, jobs)
            return
        with ThreadPoolExecutor(self.settings.workers) as pool:
            waiting = deque(pool.submit(self._prepare, job) for job in islice(jobs, AHEAD))
            for job in jobs:
                yield waiting.popleft().result()
                waiting.append(pool.submit(self._prepare, job))

    def _prepare(self, job: tuple[Place, Place, Numbers]) -> tuple[Place, list[Batch]]:
        place, after, numbers = job
        cut = np.array_split(numbers, self.settings.accumulate * self.ranks.count)
        mine = cut[self.ranks.number :: self.ranks.count]
        chance = Chance(self.settings.seed, place.epoch)
        name = f"Batch {place.batch + 1} of window {place.window + 1} in epoch {place.epoch + 1}"
        found = [batch(self.objective, part, chance, name) for part in mine if len(part)]
        return after, list(map(twice, found)) if self.settings.r_drop else found

    def _step(self, batches: list[Batch]) -> None:
        started, step = time.monotonic(), self.state.step + 1
        self.optimizer.zero_grad(set_to_none=True)
        ledger = gradients(self.model, batches, self.smoothing, self.ranks, self._around)
        if not ledger.targets:
            self._skip()
            return
        norm = clip_grad_norm_(parameters(self.model), self.settings.clip or math.inf)
        if not math.isfinite(ledger.loss + float(norm)):
            self._stop_at_odd(batches)
        set_rate(self.optimizer, rate := self.schedule(step))
        self.optimizer.step()
        self.state.took(ledger.targets, time.monotonic() - started)
        self.journal.step(self.state, ledger, rate, float(norm))

    def _skip(self) -> None:
        """A step without a single target is not taken; an epoch of them is no data."""
        self.state.skipped += 1
        if self.state.skipped > self.epoch:
            raise PellucidError("No example has anything to learn from; give longer texts.")

    @contextmanager
    def _around(self, number: int) -> Iterator[None]:
        """A micro-batch's dropout follows from the step; products are in the chosen precision."""
        part = number * self.ranks.count + self.ranks.number
        with drawing(self.settings.seed, self.state.step, part), self._precision():
            yield

    def _precision(self) -> torch.autocast:
        wanted = self.settings.precision == "bfloat16"
        return torch.autocast("cpu", torch.bfloat16, enabled=wanted)

    def _stop_at_odd(self, batches: list[Batch]) -> None:
        """Say which number was the first that is none; the weights are still those before it."""
        self._save()
        name = first_odd(self.model, batches, self._around)
        begun = self.folder and self.state.step
        kept = f" The checkpoint of step {self.state.step} is kept." if begun else ""
        raise PellucidError(
            f"The loss of step {self.state.step + 1} is no number: the first such is in "
            f"{name}.{kept} Go on with a lower rate, or clip the gradient."
        )

    def _measure_if_due(self) -> None:
        if self.valid is None or not self.state.due(self.every, self.steps):
            return
        found = self._measured(self.valid)
        self.state.measured.append((self.state.step, *found.merit))
        if self.ranks.first:
            self.shelf.add(self.state.step, checkpoint.weights(self.model))
        self.shelf.only({self.state.best, *self._averaged()})
        self.journal.measured(self.state, found)

    def _measured(self, objective: Objective) -> Ledger:
        """The plain sums over an objective, the model as it will be used."""
        self.model.eval()
        with self._precision():
            ledger = measure(self.model, all_batches(objective))
        self.model.train()
        return ledger

    def _averaged(self) -> list[int]:
        average = self.settings.keep == "average"
        return self.state.last(self.settings.average) if average else []

    def _finish(self) -> None:
        """Take the weights that are to be kept, if they were measured."""
        kept = [step for step in self._averaged() or [self.state.best] if step in self.shelf]
        if kept and self.settings.keep != "last":
            checkpoint.put(self.model, self.shelf.mean(kept))
        self.model.eval()

    def _begin(self) -> None:
        """Go on where the checkpoint ends, or write the first one."""
        self.model.train()
        if self.folder is not None and (self.folder / CHECKPOINT).is_file():
            self._resume(*checkpoint.load(self.folder / CHECKPOINT))
        else:
            self._save()
        if isinstance(self.objective, Slow):
            self.objective.ready(self.folder)
        if self.settings.compile == "blocks":
            for module in self.model.modules():
                if isinstance(module, Block):
                    module.compile()
        self.journal.open(self.state)

    def _resume(self, tensors: Mapping[str, Tensor], about: Mapping[str, Any]) -> None:
        for what, (mark, size) in marks(self.objective, self.valid).items():
            was, before = about.get(what, mark), about.get(f"{what} size", size)
            if was != mark:
                told = f" ({before} then, {size} now)" if before != size else ""
                raise PellucidError(
                    f"The {what} are not those that this run began with{told}; "
                    "give the same, or train afresh."
                )
        changed = Settings(**about["settings"]).differences(self.settings)
        if fixed := [said for said, section in changed if section not in FREE]:
            raise UsageError(f"A run that goes on cannot be another: {', '.join(fixed)}.")
        if changed:
            said = f"Settings changed since this run began: {', '.join(s for s, _ in changed)}."
            warnings.warn(said, stacklevel=2)
        checkpoint.put(self.model, part(tensors, "model."))
        remember(self.model, self.optimizer, part(tensors, "optimizer."))
        self.state = State.read(about["state"])

    def _save_if_due(self) -> None:
        every, now = self.settings.save, time.monotonic()
        due = self.state.step % every == 0 if every else now - self._saved > MINUTE
        if due:
            self._save()

    def _save(self) -> None:
        """Everything that the run goes on from, in one file."""
        self._saved = time.monotonic()
        if self.folder is None or not self.ranks.first:
            return
        self.state.log = self.journal.size
        tensors = {
            **{f"model.{name}": t for name, t in checkpoint.weights(self.model).items()},
            **{f"optimizer.{n}": t for n, t in moments(self.model, self.optimizer).items()},
        }
        about: dict[str, Any] = {"state": asdict(self.state), "settings": asdict(self.settings)}
        for what, (mark, size) in marks(self.objective, self.valid).items():
            about |= {what: mark, f"{what} size": size}
        checkpoint.save(self.folder / CHECKPOINT, tensors, about)


@contextmanager
def drawing(*entropy: int) -> Iterator[None]:
    """Within, torch draws what follows from these numbers; afterwards it goes on as before."""
    chance = torch.default_generator
    before = chance.get_state()
    chance.manual_seed(int(np.random.SeedSequence(entropy).generate_state(1)[0]))
    try:
        yield
    finally:
        chance.set_state(before)


def part(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """The tensors whose names begin so, without that beginning."""
    return {k.removeprefix(prefix): t for k, t in tensors.items() if k.startswith(prefix)}
