"""Numbers that say how good a model is: as the libraries have them, and whatever the batches."""

import math
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu import corpus_bleu, corpus_chrf
from sklearn.metrics import confusion_matrix
from torch.nn import functional

from pellucid import UsageError
from pellucid.train.calibration import Calibration
from pellucid.train.examples import Examples
from pellucid.train.objectives import all_batches
from pellucid.train.order import Size
from pellucid.train.run import scored
from pellucid.train.score import Score
from pellucid.train.settings import usual
from pellucid.train.several import SeveralScore
from pellucid.train.step import measure
from pellucid.train.surprise import Surprise
from pellucid.train.transformer import TransformerClassifier
from pellucid.train.translation import TranslationScore
from pellucid.train.writer import Writer

TEXTS = [
    "the seal slept on the ice",
    "ice",
    "🙂 a café by the sea, where the seal and the mouse met for the first time",
    *(f"seal number {number}" for number in range(9)),
]


@pytest.fixture(scope="module")
def writer() -> Writer:
    writer = Writer(usual(task="generate", width=16, layers=1, heads=2, longest=7, vocabulary=300))
    writer.model = writer.make(TEXTS).eval()
    torch.manual_seed(0)
    for weights in writer.model.parameters():
        torch.nn.init.normal_(weights, std=0.5)
    return writer


@torch.inference_mode()
def one_by_one(writer: Writer) -> float:
    """−Σ ln p, by one run of the model for each token: what is before it in its block and text."""
    rows, context, nats = writer.objective(TEXTS, "").rows, writer.context, 0.0
    ids = rows.ids.tolist()
    for at in range(1, len(ids)):
        block = (at - 1) // context * context
        text = max(start for start in rows.starts if start < at)
        logits = writer.model(torch.tensor([ids[max(block, text) : at]])).logits
        nats -= float(functional.log_softmax(logits[0, -1], -1)[ids[at]])
    return nats


def test_surprise_is_that_of_every_token(writer: Writer) -> None:
    told = writer.score(TEXTS)
    assert told.nats == pytest.approx(one_by_one(writer), rel=1e-5)
    assert told.tokens == len(writer.objective(TEXTS, "").rows.ids) - 1
    assert told.bytes == sum(len(text.encode()) for text in TEXTS)


@pytest.mark.parametrize("rows", [1, 4, 64])
def test_surprise_does_not_depend_on_the_batches(writer: Writer, rows: int) -> None:
    told, objective = writer.score(TEXTS), writer.objective(TEXTS, "")
    batches = list(all_batches(objective, Size(rows=rows)))
    assert len(batches) == -(-len(objective.lengths) // rows)
    ledger = measure(writer.model, batches)
    assert ledger.plain["words"] == pytest.approx(told.nats, rel=1e-6)
    assert ledger.counts["words"] == told.tokens


def test_figures_of_surprise() -> None:
    told = Surprise(nats=40 * math.log(2), tokens=20, bytes=80) + Surprise(0.0, 20, 0)
    assert told.loss == pytest.approx(math.log(2))
    assert told.perplexity == pytest.approx(2)
    assert told.bits_per_byte == pytest.approx(0.5)
    assert told.to_json()["perplexity"] == told.perplexity
    assert "bits per byte  0.5000  of 80 bytes" in str(told)


SURE = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60)


@given(SURE)
def test_calibration_by_a_loop(pairs: list[tuple[float, bool]]) -> None:
    sure, right = (np.array(each) for each in zip(*pairs, strict=True))
    found = Calibration.of(sure, right)
    error = 0.0
    for at, each in zip(np.unique(bins(sure)), found.bins, strict=True):
        here = bins(sure) == at
        assert each.examples == here.sum()
        assert each.confidence == pytest.approx(sure[here].mean())
        assert each.accuracy == pytest.approx(right[here].mean())
        error += abs(sure[here].sum() - right[here].sum()) / len(pairs)
    assert found.error == pytest.approx(error)


def bins(sure: np.ndarray) -> np.ndarray:
    return np.searchsorted(np.linspace(0, 1, 11)[1:-1], sure)


def test_calibration_by_hand() -> None:
    sure = np.array([0.95, 0.95, 0.55, 0.55])
    found = Calibration.of(sure, np.array([True, True, True, False]))
    assert found.error == pytest.approx(0.05)
    lines = str(found).splitlines()
    assert lines[0] == "calibration error  5.0%"
    assert lines[-1].split() == ["90%", "to", "100%", "2", "95.0%", "100.0%"]


def test_a_score_with_confidences() -> None:
    score = Score.of("aab", "aba", [0.9, 0.6, 0.8])
    assert score.calibration is not None
    assert score.calibration.error == pytest.approx((0.1 + 0.6 + 0.8) / 3)
    assert score.confusion == confusion_matrix([*"aab"], [*"aba"]).tolist()
    assert score.to_json()["calibration"]["error"] == score.calibration.error
    assert "calibration error" in str(score)
    assert "true, below what was answered  a  b" in str(score)
    assert Score.of("aab", "aba").calibration is None


def test_several_classes_by_hand() -> None:
    truth, answers = [["a", "b"], ["a"], [], ["c"]], [["b", "a"], ["b"], [], ["c", "a"]]
    score = SeveralScore.of(truth, answers)
    assert score.exact == 2 / 4
    a, b, c = score.classes
    assert (a.name, a.examples, a.precision, a.recall, a.f1) == ("a", 2, 1 / 2, 1 / 2, 1 / 2)
    assert (b.precision, b.recall, c.precision, c.recall) == (1 / 2, 1, 1, 1)
    assert score.micro_f1 == pytest.approx(2 * 3 / (4 + 5))
    assert score.macro_f1 == pytest.approx((1 / 2 + 2 / 3 + 1) / 3)
    assert str(score).startswith("exactly right  50.0%  of 4 examples\nmicro F1       66.7%")
    assert score.to_json()["classes"][0]["name"] == "a"


def test_the_order_of_labels_does_not_count() -> None:
    examples = Examples(["one", "two"], ["x; y", "y ;x"])
    score = scored(Echo(sign=";"), examples)
    assert score.summary() == {"exact": 1, "micro_f1": 1, "macro_f1": 1}


class Echo(TransformerClassifier):
    """Answers all texts alike."""

    def predict(self, texts: Iterable[str]) -> Iterator[str]:
        return ("y;x" for _ in texts)


REFERENCES = ["Die Katze sitzt auf der Matte.", "Ein Hund läuft über den Strand, schnell!"]
ANSWERS = ["die Katze saß auf der Matte .", "Ein Hund läuft am Strand, schnell!"]


def test_bleu_and_chrf_are_sacrebleus() -> None:
    figures = TranslationScore.of(REFERENCES, ANSWERS).figures
    assert figures["BLEU"].score == corpus_bleu(ANSWERS, [REFERENCES]).score
    lower = corpus_bleu(ANSWERS, [REFERENCES], lowercase=True)
    assert figures["BLEU lower-cased"].score == lower.score > figures["BLEU"].score
    assert figures["chrF"].score == corpus_chrf(ANSWERS, [REFERENCES]).score
    assert "case:mixed" in figures["BLEU"].signature
    assert "tok:13a" in figures["BLEU"].signature
    assert "case:lc" in figures["BLEU lower-cased"].signature
    assert "nc:6" in figures["chrF"].signature


def test_bleu_of_words_that_somebody_else_cut() -> None:
    told = TranslationScore.of(REFERENCES, ANSWERS, tokenize=" ".join)
    letters = told.figures["BLEU lower-cased, tokenized"]
    assert "tok:none" in letters.signature
    cut = ([" ".join(line.lower()) for line in lines] for lines in (ANSWERS, REFERENCES))
    answers, references = cut
    expected = corpus_bleu(answers, [references], tokenize="none", force=True)
    assert letters.score == pytest.approx(expected.score)


def test_a_translation_for_each_reference() -> None:
    with pytest.raises(UsageError, match="1 translations came for 2 references"):
        TranslationScore.of(REFERENCES, ANSWERS[:1])


def test_the_score_is_one_table(tmp_path: Path) -> None:
    lines = str(TranslationScore.of(REFERENCES, REFERENCES)).splitlines()
    assert lines[0].startswith("BLEU              100.00  nrefs:1|case:mixed|")
    assert lines[-1] == "of 2 sentences"
