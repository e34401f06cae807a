"""Each rule does what its paper says, and is on record with what it changed."""

import math
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from writers import END, PROMPT, writer

from pellucid.decode.rules import (
    Forbidden,
    MinP,
    NoRepeat,
    Repetition,
    Rule,
    Said,
    Temperature,
    TopK,
    TopP,
    Typical,
)
from pellucid.models.checkpoint import load_without_tokenizer

PROMPT_IDS = [3, 7, 3, 7]
LOGITS = torch.randn(3, 20, generator=torch.Generator().manual_seed(3)) * 2
SAID = Said(PROMPT_IDS, [[1, 2, 1], [4, 5, 6], [3, 7, 3]], LOGITS.logsumexp(-1, keepdim=True))
IDS = torch.tensor([PROMPT_IDS + row for row in SAID.generated])


@pytest.mark.parametrize(
    ("rule", "theirs"),
    [
        (Repetition(1.8), transformers.RepetitionPenaltyLogitsProcessor(1.8)),
        (Temperature(0.6), transformers.TemperatureLogitsWarper(0.6)),
        (TopK(4), transformers.TopKLogitsWarper(4)),
        (TopP(0.7), transformers.TopPLogitsWarper(0.7)),
        (MinP(0.2), transformers.MinPLogitsWarper(0.2)),
        (Typical(0.6), transformers.TypicalLogitsWarper(0.6)),
        (NoRepeat(2), transformers.NoRepeatNGramLogitsProcessor(2)),
        (NoRepeat(1), transformers.NoRepeatNGramLogitsProcessor(1)),
    ],
)
def test_they_make_the_same_distribution(rule: Rule, theirs: Any) -> None:
    ours = rule(LOGITS - SAID.normaliser, SAID).softmax(-1)
    torch.testing.assert_close(ours, theirs(IDS, LOGITS.clone()).softmax(-1))


def test_what_was_said_gets_less_likely_whatever_its_sign() -> None:
    logits = torch.tensor([[2.0, -2.0, 0.5]])
    said = Said([0], [[1]], logits.logsumexp(-1, keepdim=True))
    after = Repetition(2.0)(logits - said.normaliser, said) + said.normaliser
    torch.testing.assert_close(after, torch.tensor([[1.0, -4.0, 0.5]]))


@pytest.mark.parametrize(
    ("scope", "changed"), [("all", {0, 1}), ("prompt", {0}), ("generated", {1})]
)
def test_the_scope_says_where_it_was_said(scope: Any, changed: set[int]) -> None:
    logits = torch.tensor([[2.0, -2.0, 0.5]])
    said = Said([0], [[1]], torch.zeros(1, 1))
    after = Repetition(2.0, scope)(logits, said)
    assert set((after != logits)[0].nonzero().flatten().tolist()) == changed


def test_runs_are_forbidden_only_where_they_would_be_whole() -> None:
    rule = Forbidden(((5,), (2, 1, 9), (6, 8)))
    barred = rule(torch.zeros(3, 20), SAID).isneginf()
    assert [row.nonzero().flatten().tolist() for row in barred] == [[5, 9], [5, 8], [5]]


def test_rules_are_on_record_with_before_and_after() -> None:
    model = writer()
    model.generation["eos_token_id"] = []
    plain = model.generate(PROMPT, max_new_tokens=4)[0]
    answer = model.generate(PROMPT, max_new_tokens=4, repetition=3.0)[0]
    assert answer.ids != plain.ids
    changes = [c for node in answer.tree.nodes for c in node.changes]
    assert {change.rule for change in changes} == {"repetition"}
    assert all(change.after < change.before for change in changes)
    assert sum(term.value for term in answer.terms) == pytest.approx(answer.terms[-1].sum)
    assert answer.score == pytest.approx(answer.terms[-1].sum / len(answer.ids))


def test_a_prefix_begins_every_answer_and_counts_in_its_score() -> None:
    model = writer()
    answers = model.generate(PROMPT, prefix="mouse by", beams=3, best=3, max_new_tokens=5)
    assert all(answer.text.startswith(" mouse by") for answer in answers)
    assert all(term.value < 0 for term in answers[0].terms[:2])


def test_forbidden_and_forced_tokens() -> None:
    model = writer()
    word = model.generate(PROMPT, max_new_tokens=1)[0].text.strip()
    assert word not in model.generate(PROMPT, max_new_tokens=6, forbid=[word])[0].text.split()
    forced = model.generate(PROMPT, max_new_tokens=6, forced={0: 9, 3: 2})[0]
    assert (forced.ids[0], forced.ids[3]) == (9, 2)


@pytest.mark.parametrize("beams", [1, 3])
def test_what_the_checkpoint_forces_is_forced(beams: int) -> None:
    model = writer("bart")
    model.generation |= {"forced_bos_token_id": 7, "forced_eos_token_id": END}
    model.generation |= {"suppress_tokens": [3], "bad_words_ids": [[2], [4, 6]], "min_length": 4}
    for answer in model.generate(PROMPT, beams=beams, best=beams, max_new_tokens=6):
        assert answer.ids[0] == 7
        assert answer.ids[-1] == END
        assert len(answer.ids) >= 3
        assert not {2, 3} & set(answer.ids)


@pytest.mark.parametrize("name", ["suppress_tokens", "begin_suppress_tokens", "bad_words_ids"])
def test_what_is_no_token_is_named_and_bars_none(name: str) -> None:
    model = writer()
    plain = model.generate(PROMPT, max_new_tokens=6)[0]
    for wrong in (-1, 70_000, "ice"):
        model.generation[name] = [[3, wrong]] if name == "bad_words_ids" else [wrong]
        with pytest.warns(
            UserWarning, match=f"says {name} = {wrong!r}, but its tokens are 0 to 15"
        ):
            assert model.generate(PROMPT, max_new_tokens=6)[0].ids == plain.ids


def test_what_the_checkpoint_asks_for_and_is_not_followed_is_named() -> None:
    model = writer()
    model.generation["penalty_alpha"] = 0.6
    with pytest.warns(UserWarning, match=r"not followed: penalty_alpha = 0\.6"):
        model.generate(PROMPT, max_new_tokens=1)


def test_the_checkpoint_may_choose_and_a_person_may_choose_otherwise() -> None:
    model = writer()
    model.generation |= {"num_beams": 3, "early_stopping": True, "max_new_tokens": 4}
    model.generation["eos_token_id"] = []
    assert model.generate(PROMPT)[0].tree.about["search"] == "beam search, 3 beams"
    greedy = model.generate(PROMPT, beams=1, max_new_tokens=2)[0]
    assert greedy.tree.about["search"] == "greedy search"
    assert len(greedy.ids) == 2
    model.generation |= {"do_sample": True, "temperature": 0.5}
    with pytest.warns(UserWarning, match="for sampling and for 3 beams; it is sampled, without"):
        assert model.generate(PROMPT, seed=1)[0].tree.about["search"] == "sampling"
    sampled = model.generate(PROMPT, pick="sample", seed=1)[0]
    assert sampled.tree.about["search"] == "sampling"
    assert model.generate(PROMPT, beams=2)[0].tree.about["search"] == "beam search, 2 beams"


def test_no_answer_ends_before_it_may() -> None:
    model = writer()
    for least in (1, 3, 5):
        for answer in model.generate(
            PROMPT, beams=5, best=5, min_new_tokens=least, max_new_tokens=6
        ):
            assert END not in answer.ids[: least - 1]


def test_typical_and_top_p_keep_at_least_one() -> None:
    scores = torch.tensor([[0.0, -1.0, -2.0]]).log_softmax(-1)
    said = Said([], [[]], torch.zeros(1, 1))
    for rule in (TopP(1e-6), Typical(1e-6), TopK(1)):
        assert rule(scores, said).isfinite().sum() == 1
    assert math.isfinite(MinP(1.0)(scores, said).max())


def test_what_a_checkpoint_says_is_kept_with_it(tmp_path: Path) -> None:
    model = writer()
    model.generation |= {"num_beams": 2, "max_new_tokens": 3}
    again = load_without_tokenizer(model.save(tmp_path / "model"))
    assert again.generation == model.generation
    assert again.generate(ids=[[1, 2]])[0][0].tree.about["search"] == "beam search, 2 beams"
