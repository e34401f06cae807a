"""Where the rules are the same, transformers' own search finds the same answers."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import transformers

from pellucid.checks.specimens import SPECIMENS
from pellucid.models.checkpoint import load_without_tokenizer
from pellucid.models.model import Model

FAMILIES = ["GPT-2", "Llama", "BART, scaled", "Marian", "T5 1.1"]
# a head of its own, or the model says one word again and again
UNTIED = {"tie_word_embeddings": False}
EVEN = {"num_decoder_layers": 2}  # as many as in the encoder, or their cache is too short
CHANGES = {"GPT-2": UNTIED, "Llama": UNTIED, "T5 1.1": EVEN}
STOPPINGS = {"exact": "never", "first": True, "heuristic": False}
PROMPTS = [[7, 3, 9, 2, 11], [4, 4, 8]]
START, LIMIT = 2, 10

Pair = tuple[Model, Any]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Pair]:
    made: dict[str, Pair] = {}

    def of(name: str) -> Pair:
        if name not in made:
            folder = tmp_path_factory.mktemp("model")
            theirs = random_model(name)
            theirs.save_pretrained(folder)
            made[name] = alike(load_without_tokenizer(folder), theirs)
        return made[name]

    return of


def random_model(name: str) -> Any:
    architecture, settings = SPECIMENS[name]
    kind = getattr(transformers, architecture)
    torch.manual_seed(1)
    model = kind(kind.config_class(**settings | CHANGES.get(name, {})))
    with torch.no_grad():
        for weight in filter(lambda each: each.requires_grad, model.parameters()):
            weight.add_(torch.randn_like(weight), alpha=0.15)
    return model.eval()


def alike(ours: Model, theirs: Any) -> Pair:
    """Both begin with the same token, and end with likely ones, or no answer would ever end."""
    ours.settings = {}
    ours.generation = {"decoder_start_token_id": START}
    probable = ours.generate(ids=PROMPTS[:1], max_new_tokens=1, beams=20, best=20)[0]
    ours.generation["eos_token_id"] = [answer.ids[0] for answer in probable[2::3]]
    theirs.generation_config.forced_eos_token_id = None
    theirs.generation_config.eos_token_id = ours.generation["eos_token_id"]
    return ours, theirs


@torch.no_grad()
def theirs_of(theirs: Any, prompt: list[int], **choices: Any) -> tuple[list[int], float | None]:
    """The ids that their search generated, and their score."""
    found = theirs.generate(
        torch.tensor([prompt]),
        attention_mask=torch.ones(1, len(prompt), dtype=torch.long),
        max_new_tokens=LIMIT,
        pad_token_id=0,
        decoder_start_token_id=START,
        return_dict_in_generate=True,
        output_scores=True,
        **choices,
    )
    begun = 1 if theirs.config.is_encoder_decoder else len(prompt)
    ids = found.sequences[0, begun:].tolist()
    return ids, found.sequences_scores[0].item() if choices.get("num_beams", 1) > 1 else None


@pytest.mark.parametrize("stopping", STOPPINGS)
@pytest.mark.parametrize("name", FAMILIES)
def test_beams(name: str, stopping: str, pair: Callable[[str], Pair]) -> None:
    ours, theirs = pair(name)
    for prompt, p in zip(PROMPTS * 2, (0.0, 1.0, 2.0, 0.5), strict=True):
        ids, score = theirs_of(
            theirs, prompt, num_beams=4, early_stopping=STOPPINGS[stopping], length_penalty=p
        )
        choices: dict[str, Any] = {"stopping": stopping, "length_penalty": p}
        best = ours.generate(ids=[prompt], beams=4, max_new_tokens=LIMIT, **choices)[0][0]
        assert best.score == pytest.approx(score, abs=1e-4)
        assert list(best.ids) == ids[: len(best.ids)]


RULES = [
    ({}, {}),
    ({"repetition": 1.7}, {"repetition_penalty": 1.7}),
    ({"no_repeat": 2}, {"no_repeat_ngram_size": 2}),
    ({"min_new_tokens": 7}, {"min_new_tokens": 7}),
]


@pytest.mark.parametrize("name", FAMILIES)
def test_greedy_and_its_rules(name: str, pair: Callable[[str], Pair]) -> None:
    ours, theirs = pair(name)
    for ours_rules, theirs_rules in RULES:
        for prompt in PROMPTS:
            ids, _ = theirs_of(theirs, prompt, do_sample=False, **theirs_rules)
            best = ours.generate(ids=[prompt], max_new_tokens=LIMIT, **ours_rules)[0][0]
            assert list(best.ids) == ids


def test_beams_with_rules_that_bar(pair: Callable[[str], Pair]) -> None:
    ours, theirs = pair("GPT-2")
    for prompt in PROMPTS:
        ids, score = theirs_of(
            theirs, prompt, num_beams=3, early_stopping="never", no_repeat_ngram_size=2
        )
        best = ours.generate(ids=[prompt], beams=3, max_new_tokens=LIMIT, no_repeat=2)[0][0]
        assert best.score == pytest.approx(score, abs=1e-4)
        assert list(best.ids) == ids[: len(best.ids)]
