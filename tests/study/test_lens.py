"""Lens, rollout, gradients and why: against loops and against plain arithmetic."""

import json
from pathlib import Path

import pytest
import torch
import zoo

import pellucid
from pellucid import Trace, UsageError
from pellucid.study.gradients import (
    Question,
    gradient_times_input,
    integrated_gradients,
    legendre,
    slopes_at,
)
from pellucid.study.lens import lens, lens_of
from pellucid.study.rollout import rollout
from pellucid.study.why import why

ANSWERING = ["decoder", "llama", "t5", "bart", "albert", "two tongues"]


@pytest.mark.parametrize("name", ANSWERING)
def test_the_lens_is_the_head_on_each_layers_vectors(name: str) -> None:
    model = zoo.build(name)
    texts = zoo.texts(model, 1)
    trace, found = model.see(*texts), lens(model, *(text[0] for text in texts))
    stack_name = "encoder" if model.config.shape == "encoder" else "decoder"
    stack, real = getattr(model, stack_name), torch.ones(1, len(found.tokens), dtype=torch.bool)
    for layer, each in zip(found.layers, found.answers, strict=True):
        hidden = stack.norm(trace[layer], real)
        chances = model.heads.head(hidden, real).softmax(-1)
        best = [position[0].id for position in each.words[0]]
        assert best == chances[0].argmax(-1).tolist()
        scores = torch.tensor([position[0].score for position in each.words[0]])
        torch.testing.assert_close(scores, chances[0].max(-1).values, rtol=1e-4, atol=1e-5)
    assert found.chances.shape == (len(found.layers), len(found.tokens))


def test_the_lens_of_a_model_without_a_head_says_the_nearest_words() -> None:
    model = zoo.build("post")
    found = lens(model, zoo.SENTENCE)
    assert found.chances is None
    assert found.answers[0].meaning == "cosine"
    first = [position[0].piece for position in found.answers[0].words[0]]
    assert len(first) == len(zoo.SENTENCE.split())
    json.dumps(found.to_json())


def test_rollout_against_a_loop() -> None:
    trace = zoo.build("encoder").see("the seal slept on")
    found = rollout(trace)
    total = torch.eye(4, dtype=torch.double)
    for layer in range(2):
        weights = trace[f"encoder.{layer}.attention.weights"][0].double()
        step = torch.zeros(4, 4, dtype=torch.double)
        for row in range(4):
            for column in range(4):
                mean = sum(weights[head, row, column] for head in range(4)) / 4
                step[row, column] = 0.5 * mean + (0.5 if row == column else 0)
        total = step @ total
        torch.testing.assert_close(found[layer], total)
    torch.testing.assert_close(found.sum(-1), torch.ones(2, 4, dtype=torch.double))


def question(name: str, word: int = 5) -> Question:
    model = zoo.build(name).double()
    with torch.no_grad():  # weights as small as training leaves them, else slopes jump
        for weight in model.parameters():
            weight.mul_(0.5)
    texts = zoo.texts(model, 1)
    return Question(model, model.read(*texts), 1, word)


@pytest.mark.parametrize("name", ANSWERING)
def test_integrated_gradients_are_complete(name: str) -> None:
    asked = question(name)
    found = integrated_gradients(asked, steps=48)
    assert abs(found.gap) < 5e-3 * abs(found.change)
    total = sum(scores.sum().item() for scores in found.scores.values())
    assert total == pytest.approx(found.change - found.gap)


def test_gradients_against_small_steps() -> None:
    asked = question("decoder")
    (words,), (slope,) = asked.words, slopes_at(asked, asked.words)
    step = torch.zeros_like(words)
    step[0, 0, 3] = 1e-6
    with torch.no_grad():
        moved = (asked.logit([words + step]) - asked.logit([words - step])) / 2e-6
    torch.testing.assert_close(slope[0, 0, 3], moved, rtol=1e-5, atol=1e-7)
    scores = gradient_times_input(asked)["tokens"]
    torch.testing.assert_close(scores, (slope * words)[0].sum(-1))
    assert scores[2:].abs().sum() == 0  # a decoder's second token does not see the third


def test_given_words_do_not_stay() -> None:
    asked = question("decoder")
    before = asked.model(**asked.inputs).logits
    gradient_times_input(asked)
    assert torch.equal(asked.model(**asked.inputs).logits, before)


def test_legendre_integrates_powers() -> None:
    points, weights = legendre(8)
    for power in range(16):
        total = sum(w * p**power for p, w in zip(points, weights, strict=True))
        assert total == pytest.approx(1 / (power + 1))


@pytest.mark.parametrize("name", ANSWERING)
def test_why_adds_up(name: str) -> None:
    model = zoo.build(name)
    texts = [text[0] for text in zoo.texts(model, 1)]
    found = why(model, *texts, position=1)
    assert sum(found.kinds.values()) == pytest.approx(found.logit, rel=1e-4, abs=1e-5)
    logits = found.trace["head.logits"][0, 1]
    assert found.id == int(logits.argmax())
    assert found.rollout.sum().item() == pytest.approx(1)
    json.dumps(found.to_json())


def test_a_lens_on_one_of_many_texts_ends_where_the_text_does() -> None:
    model = zoo.build("decoder")
    found = lens_of(model.see(zoo.SENTENCES), sentence=1)
    alone = lens(model, zoo.SENTENCES[1])
    torch.testing.assert_close(found.chances, alone.chances)
    for one, other in zip(found.answers, alone.answers, strict=True):
        assert [w.id for row in one.words[0] for w in row] == [
            w.id for row in other.words[0] for w in row
        ]


def test_a_trace_from_a_file_is_told_the_words(tmp_path: Path) -> None:
    model = zoo.build("decoder")
    path = model.see(zoo.SENTENCE).save(tmp_path / "seen.safetensors")
    with pytest.raises(UsageError, match="does not know its model's words"):
        lens_of(Trace.load(path, model.weights()))
    told = lens_of(Trace.load(path, model.weights(), model.tokenizer.target.piece))
    assert told.answers == pellucid.lens(model, zoo.SENTENCE).answers


def test_why_of_a_word() -> None:
    model = zoo.build("decoder")
    found = pellucid.why(model, "the seal slept on", target="ice")
    assert found.target == "ice"
    assert found.position == 3
    assert found.logit == pytest.approx(found.trace["head.logits"][0, 3, found.id].item())


def test_bad_questions() -> None:
    with pytest.raises(UsageError, match="no head for words"):
        why(zoo.build("post"), zoo.SENTENCE)
    with pytest.raises(UsageError, match="there is no 9"):
        why(zoo.build("decoder"), "the seal", position=9)
    with pytest.raises(UsageError, match="no \\[MASK\\] to fill"):
        why(zoo.build("albert"), "the seal")


def test_a_model_that_has_no_numbers_is_shown() -> None:
    model = zoo.build("decoder")
    with torch.no_grad():
        model.decoder.layers[1].feedforward.output.weight[0, 0] = torch.nan
    for view in map(repr, (lens(model, "the seal"), why(model, "the seal"))):
        assert "nan" in view
    with pytest.raises(UsageError, match="was given 0 steps"):
        why(model, "the seal", steps=0)


def test_one_text_is_asked_about(unchecked: None) -> None:
    for ask in (why, lens):
        with pytest.raises(UsageError, match="2 came; ask of each alone"):
            ask(zoo.build("decoder"), ["the seal", "ice"])
