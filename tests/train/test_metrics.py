"""Numbers that say how good a model is: as the libraries have them, and whatever the batches."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu import corpus_bleu, corpus_chrf
from sklearn.metrics import confusion_matrix
from torch.nn import functional

import pellucid
from pellucid import PellucidError, UsageError
from pellucid.models.decoder import Decoder
from pellucid.nn.config import Config
from pellucid.text.training import train
from pellucid.train.calibration import Calibration
from pellucid.train.score import Score
from pellucid.train.surprise import Surprise, surprise, target_bytes
from pellucid.train.translation import TranslationScore

TEXTS = [
    "the seal slept on the ice",
    "ice",
    "🙂 a café by the sea, where the seal and the mouse met for the first time",
    "the mouse",
    *(f"seal number {number}" for number in range(4)),
]


@pytest.fixture(scope="module")
def model() -> Decoder:
    torch.manual_seed(0)
    tokenizer = train(TEXTS, kind="bpe", size=300)
    sizes = {"width": 16, "layers": 2, "heads": 2, "inner": 32, "longest": 12}
    words = tokenizer.inner.get_vocab_size()
    model = Decoder(Config(shape="decoder", vocabulary=words, head="language", **sizes)).eval()
    for weights in model.parameters():
        torch.nn.init.normal_(weights, std=0.5)
    model.tokenizer = tokenizer
    return model


@pytest.fixture(scope="module")
def nats(model: Decoder) -> float:
    """−Σ ln p, by one run of the model for each target."""
    with torch.inference_mode():
        return sum(one_by_one(model, text) for text in TEXTS)


def one_by_one(model: Decoder, text: str) -> float:
    ids = model.tokenizer.encode(text).ids
    longest, nats = model.config.longest, 0.0
    for at in range(1, len(ids)):
        start = (at - 1) // longest * longest
        logits = model(torch.tensor([ids[start:at]])).logits
        nats -= float(functional.log_softmax(logits[0, -1], -1)[ids[at]])
    return nats


@pytest.mark.parametrize("at_once", [1, 4, 64])
def test_surprise_does_not_depend_on_the_batches(model: Decoder, nats: float, at_once: int) -> None:
    told = surprise(model, TEXTS, at_once)
    assert told.nats == pytest.approx(nats, rel=1e-5)
    lengths = [len(model.tokenizer.encode(text)) for text in TEXTS]
    assert max(lengths) > model.config.longest
    assert told.tokens == sum(lengths) - len(TEXTS)


def test_figures_of_surprise() -> None:
    told = Surprise(nats=40 * math.log(2), tokens=20, bytes=80) + Surprise(0.0, 20, 0)
    assert told.loss == pytest.approx(math.log(2))
    assert told.perplexity == pytest.approx(2)
    assert told.bits_per_byte == pytest.approx(0.5)
    assert told.to_json()["perplexity"] == told.perplexity
    assert "bits per byte  0.5000  of 80 bytes" in str(told)


def test_the_bytes_of_targets(model: Decoder) -> None:
    tokens = model.tokenizer.encode("the café")
    first = tokens.text[: tokens.offsets[0][1]]
    assert target_bytes(tokens) == len("the café".encode()) - len(first)


def test_nothing_to_be_surprised_by(model: Decoder) -> None:
    with pytest.raises(PellucidError, match="No text has a second token"):
        surprise(model, ["."])
    with pytest.raises(UsageError, match="has no head for words"):
        surprise(pellucid.load("mouse-causal"), ["cat and mouse"])


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
