"""Greedy and sampled answers: what they are, why they end, and that batch mates do not matter."""

from collections import Counter

import brute_force
import pytest
import torch
import zoo
from writers import END, PROMPT, following, writer

from pellucid.decode.walk import draw

WRITERS = [n for n, c in zoo.ZOO.items() if c["shape"] != "encoder" and c["head"] == "language"]


@pytest.mark.parametrize("name", WRITERS)
def test_greedy_is_the_likeliest_step_by_step(name: str) -> None:
    model = writer(name)
    after, ids = following(model), ()
    while len(ids) < 6 and END not in ids:
        scores = after(ids)
        ids = (*ids, scores.index(max(scores)))
    answer = model.generate(PROMPT, max_new_tokens=6)[0]
    assert answer.ids == ids
    assert answer.finish == ("end" if ids[-1] == END else "length")


def test_draws_follow_the_distribution() -> None:
    scores = torch.tensor([0.5, 0.3, 0.0, 0.2]).log()
    drawn = Counter(draw(scores, torch.Generator().manual_seed(seed)) for seed in range(2000))
    assert drawn[2] == 0
    for token, share in ((0, 0.5), (1, 0.3), (3, 0.2)):
        assert drawn[token] / 2000 == pytest.approx(share, abs=0.04)


def test_what_cannot_be_is_never_drawn() -> None:
    scores = torch.tensor([-torch.inf, 0.0, -torch.inf, -torch.inf])
    assert {draw(scores, torch.Generator().manual_seed(seed)) for seed in range(50)} == {1}


def test_a_batch_draws_what_its_texts_draw_alone() -> None:
    model = writer()
    choices = {"pick": "sample", "seed": 7, "best": 3, "max_new_tokens": 6}
    together = model.generate(zoo.SENTENCES, batch=3, **choices)
    for text, answers in zip(zoo.SENTENCES, together, strict=True):
        assert [a.ids for a in model.generate(text, **choices)] == [a.ids for a in answers]


def test_a_seed_draws_the_same_again_and_another_does_not() -> None:
    model = writer()
    first = model.generate(PROMPT, pick="sample", max_new_tokens=8)[0]
    again = model.generate(PROMPT, pick="sample", max_new_tokens=8, seed=first.seed)[0]
    assert again.ids == first.ids
    many = [model.generate(PROMPT, pick="sample", max_new_tokens=8, seed=s)[0] for s in range(5)]
    assert len({answer.ids for answer in many}) > 1


def test_several_draws_are_several_answers() -> None:
    model = writer()
    answers = model.generate(PROMPT, pick="sample", best=6, seed=0, max_new_tokens=5)
    assert len(answers) == 6
    assert len({answer.ids for answer in answers}) > 1
    assert [a.score for a in answers] == sorted((a.score for a in answers), reverse=True)
    for answer in answers:
        answer.tree.check()


def test_the_score_of_a_draw_is_of_what_it_was_drawn_from() -> None:
    model = writer()
    answer = model.generate(PROMPT, pick="sample", top_k=1, max_new_tokens=4, seed=0)[0]
    assert answer.score == pytest.approx(0.0, abs=1e-9)
    assert answer.terms[0].log_probability < -0.1
    greedy = model.generate(PROMPT, max_new_tokens=4)[0]
    assert answer.ids == greedy.ids


@pytest.mark.parametrize("beams", [1, 3])
def test_a_stop_string_ends_and_is_cut_off(beams: int) -> None:
    model = writer()
    model.generation["eos_token_id"] = []
    plain = model.generate(PROMPT, beams=beams, max_new_tokens=6)[0]
    stop = f" {plain.text.split()[2]}"
    answer = model.generate(PROMPT, beams=beams, max_new_tokens=6, stop=stop)[0]
    assert stop not in answer.text
    if beams == 1:
        assert answer.finish == "stop string"
        assert answer.text == plain.text[: plain.text.index(stop)]


def test_the_default_length_is_what_the_model_reaches() -> None:
    model = writer(longest=9)
    model.generation["eos_token_id"] = []
    answer = model.generate(PROMPT)[0]
    assert len(answer.ids) == 9 - len(PROMPT.split())
    assert answer.finish == "length"
    model.generation["max_length"] = 7
    assert len(model.generate(PROMPT)[0].ids) == 7 - len(PROMPT.split())


def test_a_prompt_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model, lengths = writer(), []
    hidden = model.hidden
    monkeypatch.setattr(
        model, "hidden", lambda ids, *a, **k: lengths.append(ids.shape[-1]) or hidden(ids, *a, **k)
    )
    model.generate(PROMPT, beams=3, max_new_tokens=5)
    assert lengths[0] == len(PROMPT.split())
    assert max(lengths[1:]) <= 3


def test_brute_force_knows_the_best_of_all() -> None:
    """The slow search itself, on a distribution that one can follow by hand."""
    table = {(): [-1.0, -2.0], (0,): [-1.0, -0.1], (1,): [-9.0, -9.0]}
    best = brute_force.best_answers(lambda ids: table[ids], 1, 2, lambda t, n: t)
    assert best[0] == (-1.1, (0, 1))
