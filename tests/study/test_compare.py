"""One word at two places: mice by hand, and the real MiniLM."""

import json
from pathlib import Path

import pytest
import tokenizers
import torch
import zoo

import pellucid
from pellucid import Model, UsageError
from pellucid.study.compare import Comparison, compare

FRIENDS, HELPFUL = "cat and mouse are friends", "keyboard and mouse are helpful"
RIVER, MONEY = "He sat on the bank of the river.", "She paid it in at the bank."


@pytest.fixture(scope="module")
def real(minilm: Path) -> Model:
    return pellucid.load(minilm)


@pytest.fixture(scope="module")
def banks(real: Model) -> Comparison:
    return compare(real, RIVER, MONEY, word="bank")


def test_the_mouse_parts_in_its_only_layer() -> None:
    found = pellucid.compare(pellucid.load("mouse"), FRIENDS, HELPFUL, word="mouse")
    start, end = found.layers
    assert start.distance == 0
    assert start.angle == 0
    vectors = [place.vector("encoder.output", {}) for place in (found.a, found.b)]
    torch.testing.assert_close(found.account.whole, vectors[0] - vectors[1])
    assert end.distance == pytest.approx((vectors[0] - vectors[1]).norm().item())
    animal, tech = (vectors[0] - vectors[1]).tolist()
    assert animal > 0 > tech
    # by hand: q = mouse, so the scores of cat and keyboard are 1.5·2/√2, and the sum is symmetric
    assert animal == pytest.approx(-tech)


def test_the_mouses_neighbours_by_hand() -> None:
    found = compare(pellucid.load("mouse"), FRIENDS, HELPFUL, word="mouse")
    rows = torch.tensor([[2, 0], [0.1, 0.1], [1.5, 1.5], [0.1, 0.1], [0.5, 0]], dtype=torch.double)
    weights = (rows @ rows[2] / 2**0.5).softmax(0)
    whole = weights @ rows - (weights @ rows).flip(0)
    expected = (weights[:, None] * rows) @ whole / whole.square().sum()
    shares = [found.neighbours[0, token] for token in range(5)]
    assert shares == pytest.approx(expected.tolist(), rel=1e-5)
    assert sum(found.neighbours.values()) == pytest.approx(1)
    assert max(found.neighbours, key=found.neighbours.get) in [(0, 0), (1, 0)]  # cat, keyboard


def test_what_differs_first_stands_first() -> None:
    found = compare(pellucid.load("mouse"), FRIENDS, HELPFUL, word="mouse")
    # what mouse, and, are get is the same in both, since the mouse is animal and tech alike
    assert found.first.name == "encoder.0.attention.mixed"
    assert found.names[0].difference == 0
    names = [each.name for each in found.names]
    assert "encoder.0.attention.q" in names
    assert names.index("encoder.0.attention.q") < names.index("encoder.0.attention.mixed")


def test_minilm_parts_and_its_parts_sum(banks: Comparison) -> None:
    vectors = [place.vector("encoder.output", {}) for place in (banks.a, banks.b)]
    difference = vectors[0] - vectors[1]
    assert (banks.account.whole - difference).norm() / difference.norm() < 1e-5
    assert sum(banks.kinds.values()) == pytest.approx(1)
    assert banks.kinds["embed", "words"] == 0
    assert [step.name for step in banks.layers][:2] == ["embed.output", "encoder.0.output"]
    assert banks.layers[-1].angle > banks.layers[1].angle > 0
    assert banks.first.name == "tokens.positions"
    assert len(banks.names) > 150


def test_an_account_has_every_head_and_neighbour(banks: Comparison) -> None:
    assert len(banks.heads) == 6 * 12
    assert len(banks.neighbours) == len(banks.a.tokens) + len(banks.b.tokens)
    assert banks.neighbour(*next(iter(banks.neighbours))) == "[CLS]"
    assert banks.neighbour(1, banks.b.pieces[0]) == "bank"


def test_pieces_are_taken_as_their_mean(real: Model) -> None:
    word = "unbelievably"
    found = compare(real, f"It was {word} cold.", f"An {word} long road.", word=word)
    assert len(found.a.pieces) > 1
    rows = [place.trace["encoder.output"][0, list(place.pieces)] for place in (found.a, found.b)]
    difference = rows[0].double().mean(0) - rows[1].double().mean(0)
    assert (found.account.whole - difference).norm() / difference.norm() < 1e-5
    assert found.to_json()["places"][0]["vector"] == "the mean of the pieces"


def test_occurrences(real: Model) -> None:
    twice = "The bank by the bank."
    with pytest.raises(UsageError, match=r"stands 2 times .* say which"):
        compare(real, twice, MONEY, word="bank")
    first, second = (compare(real, twice, MONEY, word="bank", occurrence=n) for n in (1, 2))
    assert first.a.span == (4, 8)
    assert second.a.span == (16, 20)
    within = compare(real, twice, twice, word="bank", occurrence=(1, 2))
    assert within.a.span != within.b.span
    with pytest.raises(UsageError, match="no occurrence 3"):
        compare(real, twice, MONEY, word="bank", occurrence=3)
    for texts, number in (((MONEY, MONEY), 7), ((twice, MONEY), 0), ((MONEY, MONEY), 0)):
        with pytest.raises(UsageError, match=f"no occurrence {number}"):
            compare(real, *texts, word="bank", occurrence=number)
    assert not compare(real, MONEY, MONEY, word="bank", occurrence=1).differing


def test_words_may_differ_and_may_be_missing(real: Model) -> None:
    found = compare(real, "Two banks failed.", MONEY, word=("banks", "bank"))
    assert (found.a.text, found.b.text) == ("banks", "bank")
    assert compare(real, "Bank!", MONEY, word="bank").a.text == "Bank"
    with pytest.raises(UsageError, match="'shore' is not in"):
        compare(real, RIVER, MONEY, word="shore")


def test_two_checkpoints_of_a_model() -> None:
    model, other = zoo.build("post"), zoo.build("post")
    with torch.no_grad():
        other.encoder.layers[1].feedforward.output.bias.add_(0.1)
    found = compare(model, zoo.SENTENCE, zoo.SENTENCE, word="seal", other=other)
    assert found.first.name == "encoder.1.feedforward.output"
    difference = found.a.vector("encoder.output", {}) - found.b.vector("encoder.output", {})
    torch.testing.assert_close(found.account.whole, difference, rtol=1e-5, atol=1e-6)


def test_models_of_different_shapes() -> None:
    model, other = zoo.build("post"), zoo.build("encoder", layers=3, heads=2)
    found = compare(model, zoo.SENTENCE, zoo.SENTENCE, word="seal", other=other)
    reasons = {each.name: each.reason for each in found.unlike}
    assert reasons["encoder.2.output"] == "only the second has it"
    assert reasons["encoder.0.attention.q"] == "4×1×4 in the first, 2×1×8 in the second"
    assert found.account is None
    assert "place: post and pre" in found.no_account
    assert found.layers


@pytest.mark.parametrize("name", ["both", "t5", "bart"])
def test_encoder_decoders(name: str) -> None:
    model = zoo.build(name)
    pairs = ("the bank", "a seal sat"), ("a bank was muddy", "the seal slept")
    for word in ("bank", "seal"):
        found = compare(model, *pairs, word=word)
        name = found.account.name
        difference = found.a.vector(name, {}) - found.b.vector(name, {})
        assert (found.account.whole - difference).norm() / difference.norm() < 1e-5


def test_a_word_of_a_source_is_not_compared_with_one_of_a_target() -> None:
    pairs = ("a bank", "the seal"), ("the seal slept", "it sat by the river bank")
    with pytest.raises(UsageError, match=r"by the encoder, .* by the decoder"):
        compare(zoo.build("t5"), *pairs, word="bank")


def test_an_encoder_and_a_decoder_share_their_embedding() -> None:
    found = compare(
        zoo.build("encoder"), zoo.SENTENCE, zoo.SENTENCE, word="seal", other=zoo.build("decoder")
    )
    assert [step.name for step in found.layers] == ["embed.output"]
    assert found.no_account == "one word is read by the encoder, the other by the decoder"


@pytest.mark.parametrize("name", ["decoder", "alibi decoder", "relative decoder", "llama"])
def test_what_a_causal_word_does_not_see_changes_nothing(name: str) -> None:
    short, long = "the bank seal was ice", "the bank seal was muddy and it sat by ice"
    found = compare(zoo.build(name), short, long, word="seal")
    assert found.differing == ()
    assert not found.account.shares.any()
    assert "Nothing parted them" in str(found)


def test_rounding_is_by_the_precision_of_the_run() -> None:
    model, other = (zoo.build("post").double() for _ in range(2))
    with torch.no_grad():
        other.encoder.layers[1].feedforward.output.bias.add_(1e-7)
    found = compare(model, zoo.SENTENCE, zoo.SENTENCE, word="seal", other=other)
    assert found.first.name == "encoder.1.feedforward.output"
    pair = (each.float() for each in (model, other))
    found = compare(next(pair), zoo.SENTENCE, zoo.SENTENCE, word="seal", other=next(pair))
    assert found.first is None


def test_tokens_of_two_vocabularies_are_matched_by_what_they_say() -> None:
    model, other = zoo.build("encoder"), zoo.build("encoder")
    turned = {word: at for at, word in enumerate(reversed(zoo.WORDS))}
    other.tokenizer.inner.model = tokenizers.models.WordLevel(turned, unk_token="?")
    with torch.no_grad():
        words = other.entrance.embed.words.weight
        words.copy_(words.flip(0))
    found = compare(model, zoo.SENTENCE, zoo.SENTENCE, word="seal", other=other)
    assert [each.name for each in found.differing] == ["tokens.ids", "embed.ids"]


def test_where_the_texts_share_no_token_attention_is_not_compared() -> None:
    found = compare(zoo.build("encoder"), "a seal", "the ice", word=("seal", "ice"))
    reasons = {each.name: each.reason for each in found.unlike}
    assert reasons["encoder.0.attention.weights"] == "the texts share no token there"
    assert "encoder.0.attention.mixed" not in reasons


@pytest.mark.parametrize("word", ["seal", "bank"])
def test_cross_attention_is_the_words_row_or_its_column(word: str) -> None:
    model = zoo.build("t5")
    found = compare(model, ("bank a", "a seal"), ("bank a river", "a seal sat"), word=word)
    names = {each.name: each for each in (*found.names, *found.unlike)}
    assert set(names) == set(found.a.trace.nodes)
    weights = [p.trace["decoder.0.cross.weights"][0].double() for p in (found.a, found.b)]
    a, b = (w[:, 1, :2] if word == "seal" else w[:, :2, 0] for w in weights)
    expected = (a - b).norm(dim=1) / ((a.norm(dim=1) + b.norm(dim=1)) / 2)
    assert names["decoder.0.cross.weights"].difference == pytest.approx(expected.max().item())
    stranger = "encoder.0.output" if word == "seal" else "decoder.0.output"
    assert names[stranger].reason == "not of the word's text"


def test_a_saved_trace_is_compared_without_its_model(tmp_path: Path) -> None:
    from pellucid.study.compare import compare_traces

    model = zoo.build("decoder")
    traces = []
    for at, text in enumerate(("the seal slept", "a seal sat")):
        model.see(text).save(tmp_path / f"{at}.safetensors", weights="all")
        traces.append(pellucid.Trace.load(tmp_path / f"{at}.safetensors"))
    found = compare_traces(*traces, word="seal")
    again = compare(model, "the seal slept", "a seal sat", word="seal")
    assert found.account.shares.tolist() == pytest.approx(again.account.shares.tolist())


def test_json(banks: Comparison) -> None:
    data = json.loads(json.dumps(banks.to_json()))
    assert sum(part["share"] for part in data["account"]["parts"]) == pytest.approx(1)
    assert data["places"][0]["pieces"] == ["bank"] or data["places"][0]["pieces"] == ["␣bank"]
