"""BERT from scratch: masked words, and whether a sentence follows another."""

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from pellucid.models.model import Model
from pellucid.record.printed import aligned
from pellucid.train.encoding import readable
from pellucid.train.learner import Learner, measured
from pellucid.train.masking import Sentences, sentences
from pellucid.train.objectives import Objective
from pellucid.train.step import Ledger

ALONE = "Nothing is held out: what is left would be of a single document; give --valid."
Documents = Iterable[str]  # to be read more than once; paragraphs stand between empty lines


@dataclass(frozen=True)
class Told:
    """How well masked words and following sentences are told; sums, and what divides them."""

    ledger: Ledger

    def to_json(self) -> dict[str, Any]:
        """Sums and figures as plain data."""
        return {**self.summary(), "terms": self.ledger.to_json()}

    def summary(self) -> dict[str, float]:
        """Nats a masked word, and the share of sentences told right."""
        plain, counts = self.ledger.plain, self.ledger.counts
        follows = self.ledger.right["next sentence"] / counts["next sentence"]
        return {"words": plain["words"] / counts["words"], "next_sentence": follows}

    def brief(self) -> str:
        """The same as a person reads them."""
        found, counts = self.summary(), self.ledger.counts
        return aligned(
            [
                ("masked words", f"{found['words']:.4f}", f"nats each, of {counts['words']:,}"),
                (
                    "next sentence",
                    f"{found['next_sentence']:.1%}",
                    f"right, of {counts['next sentence']:,}",
                ),
            ]
        )

    def __str__(self) -> str:
        return self.brief()


class Bert(Learner):
    """An encoder that learns both of BERT's objectives."""

    task = "bert"

    def make(self, given: Documents) -> Model:
        if self.settings.start:
            return self.checkpoint()
        return self.scratch(given)

    def sets(self, given: Documents, valid: Documents | None) -> tuple[Objective, Objective | None]:
        """Without texts to measure on, some stretches are held out."""
        found = self.objective(given, "")
        if valid is not None:
            return found, self.objective(valid, "")
        learned, held = found.parted(self.settings.held_out)
        if not len(held.kept):
            return found, None
        if learned.alone:
            warnings.warn(ALONE, stacklevel=2)
            return found, None
        return learned, held

    def objective(self, given: Documents, what: str) -> Sentences:
        longest, share = self.model.config.longest, self.settings.masked
        return sentences(self.model.tokenizer, map(paragraphs, readable(given)), longest, share)

    def score(self, given: Documents) -> Told:
        """How well it tells them."""
        return Told(measured(self.model, self.objective(given, "")))


def paragraphs(document: str) -> Iterator[str]:
    """What stands between empty lines."""
    for blank, lines in groupby(document.splitlines(keepends=True), str.isspace):
        if not blank:
            yield "".join(lines).rstrip("\r\n")
