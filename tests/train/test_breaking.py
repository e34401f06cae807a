"""Pieces that fall apart spell what they spelled before."""

import numpy as np
import pytest

from pellucid.errors import UsageError
from pellucid.text.training import train
from pellucid.train.breaking import Breaking
from pellucid.train.encoding import specials
from pellucid.train.objectives import Chance
from pellucid.train.settings import usual
from pellucid.train.translator import Parallel, Translator

TEXTS = [f"the {a} {b} sits on the {c} mat" for a in ("old", "tall") for b in ("cat", "hat")
         for c in ("red", "flat", "fat")]  # fmt: skip


@pytest.fixture(scope="module")
def tokenizer():
    return train(TEXTS, kind="bpe", size=300)


def ids_of(tokenizer, text):
    return np.array(tokenizer.inner.encode(text).ids)


@pytest.mark.parametrize("share", [0.1, 0.5, 1.0])
def test_the_text_stays_the_same(tokenizer, share):
    breaking = Breaking.of(tokenizer, share)
    longer = 0
    for number, text in enumerate(TEXTS):
        ids = ids_of(tokenizer, text)
        broken = breaking.apply(ids, np.random.default_rng(number))
        assert tokenizer.inner.decode(broken.tolist()) == tokenizer.inner.decode(ids.tolist())
        longer += len(broken) - len(ids)
    assert longer > 0


def test_all_that_was_merged_falls_apart_into_letters(tokenizer):
    broken = Breaking.of(tokenizer, 1.0).apply(
        ids_of(tokenizer, TEXTS[0]), np.random.default_rng(0)
    )
    pieces = [tokenizer.inner.id_to_token(int(each)) for each in broken]
    assert all(len(piece) == 1 for piece in pieces)


def test_how_often_a_piece_falls(tokenizer):
    breaking = Breaking.of(tokenizer, 0.2)
    merged = np.flatnonzero((breaking.halves[:, 0] >= 0) & (breaking.halves < 256).all(1))
    count = sum(len(breaking.apply(merged[:1], np.random.default_rng(n))) > 1 for n in range(4000))
    assert abs(count / 4000 - 0.2) < 0.03


def test_special_pieces_stay_and_so_does_what_would_be_too_long(tokenizer):
    special = specials(tokenizer)
    chance = np.random.default_rng(0)
    assert np.array_equal(Breaking.of(tokenizer, 1.0).apply(special, chance), special)
    ids = ids_of(tokenizer, TEXTS[0])
    kept = Breaking.of(tokenizer, 1.0, longest=len(ids)).apply(ids, chance)
    assert np.array_equal(kept, ids)


def test_the_same_chance_breaks_the_same(tokenizer):
    breaking, ids = Breaking.of(tokenizer, 0.3), ids_of(tokenizer, TEXTS[0])
    one, other, another = (breaking.apply(ids, np.random.default_rng(n)) for n in (5, 5, 6))
    assert np.array_equal(one, other)
    assert not np.array_equal(one, another)


def test_a_tokenizer_without_merges_is_refused():
    with pytest.raises(UsageError, match="merge_dropout needs pieces that were merged"):
        Breaking.of(train(TEXTS, kind="wordpiece", size=60), 0.1)


def test_a_translator_learns_from_broken_pieces_and_is_measured_on_whole_ones():
    given = Parallel(TEXTS, TEXTS)
    learner = Translator(usual(task="translate", merge_dropout=0.5, vocabulary=300))
    learner.prepare(given, given)
    learned, measured = learner.sets(given, given)
    chances = [Chance(0, epoch) for epoch in range(3)]
    whole, *others = (measured.example(1, chance).inputs["target_ids"] for chance in chances)
    assert all(np.array_equal(whole, other) for other in others)
    sizes = {len(learned.example(1, chance).inputs["target_ids"]) for chance in chances}
    assert min(sizes) > len(whole)
    example = learned.example(1, chances[0])
    answer = example.answers["words"].ids
    assert np.array_equal(example.inputs["target_ids"][1:], answer[:-1])
