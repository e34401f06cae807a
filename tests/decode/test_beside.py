"""Greedy, sampled and beam-searched answers side by side: each as it is alone."""

import json

import pytest
import torch
from writers import PROMPT, writer

from pellucid import UsageError
from pellucid.decode.beside import heard

CHOICES = {"max_new_tokens": 5, "seed": 3, "temperature": 2.0, "beams": 3, "repetition": 1.5}


@pytest.mark.parametrize("name", ["decoder", "bart"])
def test_each_way_is_as_it_is_alone(name: str) -> None:
    model = writer(name)
    greedy, sample, beam = model.side_by_side(PROMPT, **CHOICES)
    shared = {"max_new_tokens": 5, "repetition": 1.5}
    drawn = {"pick": "sample", "seed": 3, "temperature": 2.0}
    assert greedy.answer.ids == model.generate(PROMPT, **shared)[0].ids
    assert sample.answer.ids == model.generate(PROMPT, **shared, **drawn)[0].ids
    assert beam.answer.ids == model.generate(PROMPT, **shared, beams=3)[0].ids


@torch.no_grad()
def test_the_likelihood_is_the_models_own() -> None:
    """Whatever rules and temperature there were: read again in one pass, without a cache."""
    model = writer()
    prompt = list(model.tokenizer.encode(PROMPT).ids)
    for way in model.side_by_side(PROMPT, **CHOICES):
        ids = [*prompt, *way.answer.ids]
        chances = model(torch.tensor([ids])).logits[0].log_softmax(-1)
        places = range(len(prompt), len(ids))
        total = sum(float(chances[at - 1, ids[at]]) for at in places)
        assert way.log_likelihood == pytest.approx(total, abs=1e-6)
        assert way.each == pytest.approx(total / len(way.answer.ids), abs=1e-6)


def test_they_print_as_a_table() -> None:
    ways = writer().side_by_side(PROMPT, "beam", "greedy", max_new_tokens=4)
    head, beam, greedy = str(ways).splitlines()
    assert head.split() == "log-likelihood a token score tokens ended by answer".split()
    assert beam.startswith("beam  ")
    assert f"{ways[1].log_likelihood:.4f}" in greedy
    told = json.loads(json.dumps(ways[0].to_json()))
    assert (told["way"], told["finish"]) == ("beam", ways[0].answer.finish)


def test_choices_go_to_whom_they_concern() -> None:
    assert heard("greedy", CHOICES) == {
        "pick": "likeliest", "beams": 1, "max_new_tokens": 5, "repetition": 1.5,
    }  # fmt: skip
    assert heard("sample", CHOICES)["temperature"] == 2.0
    assert heard("beam", {})["beams"] == 4


def test_a_way_that_there_is_not() -> None:
    with pytest.raises(UsageError, match="no way 'magic' to search; there are greedy, sample, be"):
        writer().side_by_side(PROMPT, "magic")
