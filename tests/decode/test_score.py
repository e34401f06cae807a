"""Scores are sums of the model's own log-probabilities, whatever stands beside or before."""

import json
import math

import pytest
import torch
import zoo
from writers import START, following, writer

from pellucid import UsageError
from pellucid.decode import score as scoring
from pellucid.decode.score import Scored, Total, cut, score
from pellucid.record.tokens import Tokens

TEXTS = [*zoo.SENTENCES, "ice", "the river bank was muddy and it sat on the ice"]


def test_each_token_has_the_probability_the_model_gives_it() -> None:
    model = writer()
    for scored in score(model, TEXTS):
        ids, values = scored.tokens.ids, scored.log_probabilities
        assert values[0] is None
        for at in range(1, len(ids)):
            logits = model(torch.tensor([ids[:at]])).logits[0, -1]
            assert values[at] == pytest.approx(logits.log_softmax(-1)[ids[at]].item(), abs=1e-5)


def test_batch_and_order_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    model, found = writer(), []
    for batch in (1, 2, 8):
        monkeypatch.setattr(scoring, "BATCH", batch)
        total = Total()
        for scored in score(model, TEXTS):
            total.add(scored)
        found.append(total.perplexity)
    assert found == pytest.approx([found[0]] * 3)
    tokens = sum(len(text.split()) - 1 for text in TEXTS)
    assert total.tokens == tokens
    assert total.perplexity == pytest.approx(math.exp(-total.log_likelihood / tokens))


def test_bits_are_per_byte_of_what_was_scored() -> None:
    total = Total()
    for scored in score(writer(), ["the seal"]):
        total.add(scored)
    assert total.bytes == len(" seal")
    assert total.bits_per_byte == pytest.approx(-total.log_likelihood / math.log(2) / 5)


def test_what_is_no_number_is_null_in_json() -> None:
    total = Total()
    (alone,) = score(writer(), ["ice"])
    total.add(alone)
    assert alone.to_json()["perplexity"] is total.to_json()["perplexity"] is None
    total.add(Scored(alone.tokens, (-1000.0,)))
    assert total.perplexity == math.inf
    assert "Infinity" not in json.dumps(total.to_json())
    assert "perplexity inf" in str(total)


def test_of_a_character_in_pieces_only_those_count_that_were_scored() -> None:
    places = ((0, 1),) * 4 + ((1, 2),)
    smile = Tokens("🙂!", (1, 2, 3, 4, 5), tuple("abcde"), places, (False,) * 5)
    assert Scored(smile, (None, -1.0, -1.0, -1.0, -1.0)).bytes == 3 + 1
    assert Scored(smile, (None,) * 4 + (-1.0,)).bytes == 1
    assert Scored(smile, (-1.0,) * 5).bytes == 5
    assert Scored(smile, (None,) * 5).bytes == 0


def test_a_long_text_is_read_in_windows() -> None:
    model = writer(longest=6)
    text = "the river bank was muddy and it sat on the ice"
    (scored,) = score(model, [text])
    ids = scored.tokens.ids
    assert scored.count == len(ids) - 1
    for start, end, first in cut(len(ids), 6):
        logits = model(torch.tensor([ids[start:end]])).logits[0].log_softmax(-1)
        for at in range(first, end):
            value = logits[at - start - 1, ids[at]].item()
            assert scored.log_probabilities[at] == pytest.approx(value, abs=1e-5)


@pytest.mark.parametrize(("length", "longest"), [(5, 6), (6, 6), (7, 6), (23, 6), (9, 2)])
def test_windows_score_each_token_once(length: int, longest: int) -> None:
    windows = list(cut(length, longest))
    scored = [at for _, end, first in windows for at in range(first, end)]
    assert scored == list(range(1, length))
    assert all(end - start <= longest for start, end, _ in windows)


def test_a_target_is_scored_given_its_source() -> None:
    model = writer("bart")
    (scored,) = score(model, ["a seal"], ["the mouse"])
    after = following(model, "the mouse")
    ids = scored.tokens.ids
    assert scored.log_probabilities[0] == pytest.approx(after(())[ids[0]], abs=1e-5)
    assert scored.log_probabilities[1] == pytest.approx(after(ids[:1])[ids[1]], abs=1e-5)
    assert model.generation["decoder_start_token_id"] == START


def test_sources_where_they_belong() -> None:
    with pytest.raises(UsageError, match="each text needs a source beside it"):
        score(writer("bart"), ["a seal"])
    with pytest.raises(UsageError, match="a decoder takes no sources"):
        score(writer(), ["a seal"], ["the mouse"])
