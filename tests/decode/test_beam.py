"""Beam search is what a slow and obvious one finds, in any batch, with any number of answers."""

import brute_force
import pytest
import torch
import zoo
from writers import END, PROMPT, following, writer

from pellucid.decode.length import DIVISORS

WRITERS = [n for n, c in zoo.ZOO.items() if c["shape"] != "encoder" and c["head"] == "language"]
LIMIT = 6
each_writer = pytest.mark.parametrize("name", WRITERS)


def score(penalty: str, p: float):
    return lambda total, length: total / DIVISORS[penalty](length, p)


@pytest.mark.parametrize(("beams", "stopping"), [(2, "exact"), (3, "first"), (5, "heuristic")])
@pytest.mark.parametrize(
    ("penalty", "p"), [("mean", 1.0), ("mean", 2.5), ("gnmt", 0.6), ("none", 1.0)]
)
def test_it_is_the_obvious_one(beams: int, stopping: str, penalty: str, p: float) -> None:
    model = writer()
    choices = {"penalty": penalty, "length_penalty": p, "stopping": stopping}
    found = model.generate(PROMPT, beams=beams, best=beams, max_new_tokens=LIMIT, **choices)
    obvious = brute_force.beam_search(
        following(model), END, LIMIT, score(penalty, p), beams=beams, stopping=stopping
    )
    assert [answer.ids for answer in found] == [ids for _, ids in obvious]
    assert [answer.score for answer in found] == pytest.approx([value for value, _ in obvious])


@each_writer
def test_it_is_the_obvious_one_in_every_model(name: str) -> None:
    model = writer(name)
    found = model.generate(PROMPT, beams=3, best=3, max_new_tokens=LIMIT)
    obvious = brute_force.beam_search(
        following(model), END, LIMIT, score("mean", 1.0), beams=3, stopping="exact"
    )
    assert [answer.ids for answer in found] == [ids for _, ids in obvious]
    assert [answer.score for answer in found] == pytest.approx([value for value, _ in obvious])


@pytest.mark.parametrize("p", [0.0, 1.0, 3.0, -1.0])
def test_wide_beams_find_the_best_of_all_answers(p: float) -> None:
    model = writer()
    best = brute_force.best_answers(following(model), END, 3, score("mean", p))
    found = model.generate(PROMPT, beams=300, best=20, max_new_tokens=3, length_penalty=p)
    assert [answer.ids for answer in found] == [ids for _, ids in best[:20]]


@each_writer
def test_batch_mates_and_padding_change_nothing(name: str) -> None:
    model = writer(name)
    together = model.generate(zoo.SENTENCES, beams=3, best=3, max_new_tokens=LIMIT)
    for text, answers in zip(zoo.SENTENCES, together, strict=True):
        alone = model.generate(text, beams=3, best=3, max_new_tokens=LIMIT)
        assert [a.ids for a in answers] == [a.ids for a in alone]
        assert [a.score for a in answers] == pytest.approx([a.score for a in alone], abs=1e-6)


def test_how_many_answers_are_asked_for_changes_nothing() -> None:
    model = writer()
    all_four = model.generate(PROMPT, beams=4, best=4, max_new_tokens=LIMIT)
    for best in (1, 2, 3):
        fewer = model.generate(PROMPT, beams=4, best=best, max_new_tokens=LIMIT)
        assert [a.ids for a in fewer] == [a.ids for a in all_four[:best]]


def test_ids_may_be_padded_on_any_side() -> None:
    model = writer()
    ids = model.tokenizer.encode(PROMPT).ids
    plain = model.generate(ids=[ids], beams=3, max_new_tokens=LIMIT)[0][0]
    for left, right in ((0, 2), (2, 0), (1, 3)):
        padded = torch.tensor([[9] * left + list(ids) + [9] * right])
        mask = torch.tensor([[False] * left + [True] * len(ids) + [False] * right])
        answer = model.generate(ids=padded, mask=mask, beams=3, max_new_tokens=LIMIT)[0][0]
        assert answer.ids == plain.ids


def test_answers_are_distinct_and_real_or_fewer() -> None:
    """With two words and an end there are but seven answers of at most two tokens."""
    model = writer()
    barred = zoo.WORDS[2:5] + zoo.WORDS[6:]
    found = model.generate(PROMPT, beams=10, best=10, max_new_tokens=2, forbid=barred)
    assert len(found) == len({answer.ids for answer in found}) == 7
    assert all(set(answer.ids) <= {0, 1, END} for answer in found)


def test_groups_differ_where_beams_do_not() -> None:
    model = writer()
    plain = model.generate(PROMPT, beams=4, best=4, max_new_tokens=LIMIT)
    apart = model.generate(PROMPT, beams=4, best=4, groups=4, diversity=50.0, max_new_tokens=LIMIT)
    assert len({answer.ids[0] for answer in apart}) == 4
    assert len({answer.ids[0] for answer in plain}) < 4
    mild = model.generate(PROMPT, beams=4, groups=4, diversity=0.25, max_new_tokens=LIMIT)[0]
    changes = [change for node in mild.tree.nodes for change in node.changes]
    assert {change.rule for change in changes} == {"diversity"}
    times = {round((change.before - change.after) / 0.25, 6) for change in changes}
    assert times <= {1, 2, 3}


def test_groups_without_diversity_are_small_beams() -> None:
    model = writer()
    two = model.generate(PROMPT, beams=2, best=2, max_new_tokens=LIMIT)
    groups = model.generate(PROMPT, beams=4, groups=2, best=2, max_new_tokens=LIMIT)
    assert [a.ids for a in groups] == [a.ids for a in two]


@each_writer
def test_words_that_must_come_do(name: str) -> None:
    model = writer(name)
    for answer in model.generate(
        PROMPT, beams=4, best=2, must=["muddy river", "ice"], max_new_tokens=8
    ):
        assert "muddy river" in answer.text
        assert "ice" in answer.text.split()
        answer.tree.check()


def test_a_word_that_would_come_anyway_changes_nothing() -> None:
    model = writer()
    plain = model.generate(PROMPT, beams=4, max_new_tokens=LIMIT)[0]
    word = plain.text.split()[0]
    assert model.generate(PROMPT, beams=4, must=word, max_new_tokens=LIMIT)[0].ids == plain.ids
