"""The Transformer as a translator: target words, given a source and the target words before."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from tokenizers import AddedToken

from pellucid.errors import PellucidError
from pellucid.models.model import Model
from pellucid.text.recipe import frame
from pellucid.train.breaking import Breaking
from pellucid.train.encoding import special, worded
from pellucid.train.kept import Numbers, Some
from pellucid.train.learner import Learner, measured
from pellucid.train.objectives import Objective, Translation
from pellucid.train.surprise import Surprise

START = "decoder_start_token_id"  # in config.json


@dataclass(frozen=True)
class Parallel:
    """So many sources, and as many targets; `whole` are those that they are some of."""

    sources: Sequence[str]
    targets: Sequence[str]
    whole: "Parallel | None" = field(default=None, compare=False, repr=False, kw_only=True)

    def __post_init__(self) -> None:
        if len(self.sources) != len(self.targets):
            raise PellucidError(
                f"{len(self.sources):,} sources came with {len(self.targets):,} targets; "
                "each line of one file must be the translation of the same line of the other."
            )

    def __len__(self) -> int:
        return len(self.sources)

    def some(self, numbers: Numbers) -> "Parallel":
        """Those of these numbers."""
        return Parallel(Some(self.sources, numbers), Some(self.targets, numbers), whole=self)


class Translator(Learner):
    """An encoder-decoder with one vocabulary for both languages."""

    task = "translate"

    def make(self, given: Parallel) -> Model:
        if self.settings.start:
            return self.checkpoint()
        model = self.scratch(both(given))
        tokenizer = model.tokenizer
        marks = {k: AddedToken(v, special=True) for k, v in tokenizer.special.items()}
        frame(tokenizer.inner, marks, "$A eos", "$A eos $B eos")
        pad = special(tokenizer, "pad")
        ends = {"eos_token_id": special(tokenizer, "eos"), "pad_token_id": pad}
        model.settings |= {**ends, START: pad}
        return model

    def objective(self, given: Parallel, what: str) -> Translation:
        sources, _ = self.encoding(f"{what} (source)").rows(given.sources)
        encoding = self.encoding(f"{what} (target)")
        encoding.tokenizer = self.model.tokenizer.target
        targets, _ = encoding.rows(given.targets)
        return Translation(sources, targets, int(self.model.settings[START]))

    def sets(self, given: Parallel, valid: Parallel | None) -> tuple[Objective, Objective | None]:
        """What is learned in pieces that may fall apart; measured is on whole ones."""
        objective, measured = super().sets(given, valid)
        if not self.settings.merge_dropout:
            return objective, measured
        model, share = self.model, self.settings.merge_dropout
        breaking = Breaking.of(model.tokenizer, share, model.config.longest)
        return replace(cast(Translation, objective), breaking=breaking), measured

    def score(self, given: Parallel) -> Surprise:
        """How surprised it is by the targets."""
        ledger = measured(self.model, self.objective(given, "Text"))
        size = sum(len(text.encode()) for text in given.targets)
        return Surprise(ledger.plain["words"], ledger.counts["words"], size)


def both(given: Parallel) -> Iterator[str]:
    """The texts of both languages, to learn one vocabulary from."""
    yield from worded(given.sources, "Text (source)")
    yield from worded(given.targets, "Text (target)")
