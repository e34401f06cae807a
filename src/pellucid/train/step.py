"""One optimizer step. THE ONE PLACE THAT DIVIDES is `gradients`.

The loss of a step is, for each term, the sum over all its real targets in all micro-batches on all
processes, divided once by how many there are. A mean of means would weigh the tokens of a short
micro-batch more than those of a long one (huggingface/transformers#34198, #47688).
"""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from pellucid.train.batches import Batch
from pellucid.train.loss import Smoothing, Sum
from pellucid.train.ranks import Ranks
from pellucid.train.terms import losses

Around = Callable[[int], AbstractContextManager[object]]


@dataclass
class Ledger:
    """What was added up for one step, over all micro-batches and processes.

    `sums` and `plain` (without smoothing) are by term, and `counts` are what divides them.
    """

    sums: dict[str, float] = field(default_factory=dict)
    plain: dict[str, float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    right: dict[str, int] = field(default_factory=dict)
    tokens: int = 0
    padded: int = 0

    def add(self, term: str, found: Sum) -> None:
        """One term of one micro-batch."""
        self.sums[term] = self.sums.get(term, 0.0) + float(found.total.detach())
        self.plain[term] = self.plain.get(term, 0.0) + float(found.plain)
        self.right[term] = self.right.get(term, 0) + found.right

    @property
    def targets(self) -> int:
        """All real targets."""
        return sum(self.counts.values())

    def mean(self, sums: Mapping[str, float]) -> float:
        """The sums, each divided by its count, together."""
        return sum(sums[term] / self.counts[term] for term in sums if self.counts[term])

    @property
    def loss(self) -> float:
        """What was learned from."""
        return self.mean(self.sums)

    @property
    def entropy(self) -> float:
        """The plain loss, without smoothing."""
        return self.mean(self.plain)

    @property
    def merit(self) -> tuple[float, float]:
        """The less the better: of classes the share told wrong, of words the plain loss."""
        told = sorted({"class", "classes"} & self.counts.keys())
        return (1 - self.right[told[0]] / self.counts[told[0]] if told else 0.0), self.entropy

    def to_json(self) -> dict[str, Any]:
        """Sums and what divides them, term by term."""
        return {
            term: {"sum": self.sums[term], "plain": self.plain[term], "targets": count}
            | ({"right": self.right[term]} if term != "words" else {})
            for term, count in self.counts.items()
            if term in self.sums
        }


def gradients(
    model: nn.Module,
    batches: Sequence[Batch],
    smoothing: Smoothing,
    ranks: Ranks,
    around: Around = lambda number: nullcontext(),
) -> Ledger:
    """Leave in the model the gradients of one step's loss.

    `batches` are the micro-batches of this process. `around` is entered for each (precision,
    dropout's chance).
    """
    ledger = counted(batches, ranks)
    for number, batch in enumerate(batches):
        if not sum(batch.counts().values()):
            continue
        with around(number):
            sums = losses(model, batch, smoothing)
            parts = [sums[term].total / max(1, ledger.counts[term]) for term in sums]
        torch.stack(parts).sum().backward()
        for term, found in sums.items():
            ledger.add(term, found)
    ranks.add_gradients(model)
    ledger.sums, ledger.plain = ranks.added(ledger.sums), ranks.added(ledger.plain)
    ledger.right = {term: int(n) for term, n in ranks.added(ledger.right).items()}
    return ledger


def counted(batches: Sequence[Batch], ranks: Ranks) -> Ledger:
    """How many real targets each term has, in all micro-batches of all processes."""
    ledger = Ledger()
    for batch in batches:
        found = batch.counts()
        if not sum(found.values()):
            warnings.warn(f"{batch.name} has nothing to learn from; left out.", stacklevel=2)
        for term, count in found.items():
            ledger.counts[term] = ledger.counts.get(term, 0) + count
        ledger.tokens, ledger.padded = ledger.tokens + batch.tokens, ledger.padded + batch.padded
    ledger.counts = {term: int(n) for term, n in ranks.added(ledger.counts).items()}
    together = ranks.added({"tokens": ledger.tokens, "padded": ledger.padded})
    ledger.tokens, ledger.padded = int(together["tokens"]), int(together["padded"])
    return ledger


@torch.no_grad()
def measure(model: nn.Module, batches: Iterable[Batch]) -> Ledger:
    """The plain sums over batches, which are the same however they are cut."""
    ledger = Ledger()
    for batch in batches:
        for term, count in batch.counts().items():
            ledger.counts[term] = ledger.counts.get(term, 0) + count
        for term, found in losses(model, batch, Smoothing()).items():
            ledger.add(term, found)
    return ledger
