"""BLEU and chrF, as sacreBLEU computes them; each with the signature that makes it comparable.

BLEU depends on tokenizer and case by several points, and its signature says which they were
(Post 2018).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sacrebleu.metrics.base import Metric
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from pellucid.errors import UsageError
from pellucid.record.printed import aligned

Tokenize = Callable[[str], str]  # words and signs with a space between

METRICS: Mapping[str, Callable[[], Metric]] = {
    "BLEU": BLEU,
    "BLEU lower-cased": lambda: BLEU(lowercase=True),
    "chrF": CHRF,
}


@dataclass(frozen=True)
class Figure:
    """One number from 0 to 100, and how it was come by."""

    score: float
    signature: str


@dataclass(frozen=True)
class TranslationScore:
    """How near translations are to references, in figures by name."""

    figures: dict[str, Figure]
    sentences: int

    @classmethod
    def of(
        cls, references: Sequence[str], answers: Sequence[str], tokenize: Tokenize | None = None
    ) -> "TranslationScore":
        """Compare a corpus, sentence by sentence.

        Many papers cut both into words by a tokenizer of their own (Moses) and then count without
        regard to case; given one as `tokenize`, this is measured as well.
        """
        if len(references) != len(answers) or not answers:
            raise UsageError(
                f"{len(answers):,} translations came for {len(references):,} references; "
                "give one for each, and at least one."
            )
        figures = {name: figure(make(), answers, references) for name, make in METRICS.items()}
        if tokenize is not None:
            cut = BLEU(lowercase=True, tokenize="none", force=True)
            pair = [*map(tokenize, answers)], [*map(tokenize, references)]
            figures["BLEU lower-cased, tokenized"] = figure(cut, *pair)
        return cls(figures, len(answers))

    def summary(self) -> dict[str, float]:
        """The figures alone; what they mean is in their signatures."""
        return {name: each.score for name, each in self.figures.items()}

    def brief(self) -> str:
        """The same as a person reads them."""
        return str(self)

    def to_json(self) -> dict[str, Any]:
        """The figures and their signatures as plain data."""
        return asdict(self)

    def __str__(self) -> str:
        rows = [(name, f"{each.score:.2f}", each.signature) for name, each in self.figures.items()]
        return f"{aligned(rows)}\nof {self.sentences:,} sentences"


def figure(metric: Metric, answers: Sequence[str], references: Sequence[str]) -> Figure:
    """One metric's number for a corpus with one reference a sentence."""
    score = metric.corpus_score(list(answers), [list(references)]).score
    return Figure(float(score), str(metric.get_signature()))
