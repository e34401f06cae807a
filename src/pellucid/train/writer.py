"""The Transformer as a writer: of a text's beginning it tells the next word, again and again."""

from collections.abc import Iterable

from pellucid.errors import PellucidError
from pellucid.models.model import Model
from pellucid.train.encoding import ends, flowing
from pellucid.train.learner import Learner, measured
from pellucid.train.objectives import Language, Objective
from pellucid.train.rows import Rows
from pellucid.train.surprise import Surprise

Texts = Iterable[str]  # to be read more than once


class Writer(Learner):
    """A decoder that learns documents, one behind the other, in blocks as long as it can read."""

    task = "generate"

    def make(self, given: Texts) -> Model:
        if self.settings.start:
            return self.checkpoint()
        model = self.scratch(given)
        first, last = ends(model.tokenizer)
        ids = [*first, *last]
        model.settings |= {"bos_token_id": ids[0], "eos_token_id": ids[-1]} if ids else {}
        return model

    def sets(self, given: Texts, valid: Texts | None) -> tuple[Objective, Objective | None]:
        """Without a text to measure on, the last part of the text is held out."""
        rows = Rows.of(flowing(self.model.tokenizer, given))
        if valid is not None:
            return self._blocks(rows), self.objective(valid, "")
        if not self.settings.held_out:
            return self._blocks(rows), None
        known, new = rows.cut(1 - self.settings.held_out)
        return self._blocks(known), self._blocks(new, whole=True)

    def objective(self, given: Texts, what: str) -> Language:
        return self._blocks(Rows.of(flowing(self.model.tokenizer, given)), whole=True)

    def _blocks(self, rows: Rows, whole: bool = False) -> Language:
        if len(rows.ids) < 2:
            raise PellucidError("The text has a single token; a next one cannot be learned.")
        return Language(rows, self.context, whole, self.settings.documents)

    @property
    def context(self) -> int:
        """Tokens of a block."""
        longest = self.model.config.longest
        return min(self.settings.longest, longest) if longest else self.settings.longest

    def score(self, texts: Texts) -> Surprise:
        """How surprised it is, block by block."""
        ledger = measured(self.model, self.objective(texts, ""))
        size = sum(len(text.encode()) for text in texts)
        return Surprise(ledger.plain["words"], ledger.counts["words"], size)
