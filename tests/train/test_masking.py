"""BERT's two objectives: what is masked and with what, and which sentence follows."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from train_tasks import CLS, MASK, SEP, SPECIAL, WORDS, rows

from pellucid import PellucidError
from pellucid.text.training import train
from pellucid.train.bert import Bert, paragraphs
from pellucid.train.encoding import ordinary
from pellucid.train.masking import ELSEWHERE, FOLLOWS, Masking, Sentences, sentences, stretches
from pellucid.train.objectives import Chance

MASKING = Masking(0.15, MASK, np.arange(SPECIAL, WORDS))
DOCUMENTS = ["One two three.\n\nFour five six.\n\nSeven.", "Eight nine.\n\nTen eleven twelve."]


def made(documents: np.ndarray) -> Sentences:
    return Sentences(rows(len(documents)), documents, MASKING, (CLS, SEP))


def test_of_a_hundred_words_fifteen_are_chosen_and_most_become_the_mask() -> None:
    ids = np.arange(2000) % (WORDS - SPECIAL) + SPECIAL
    given, answer = MASKING.apply(ids, np.random.default_rng(0))
    chosen = answer.counted
    assert chosen.sum() == 300
    assert (answer.ids == ids).all()
    assert (given[~chosen] == ids[~chosen]).all()
    masked, kept = (given[chosen] == MASK).mean(), (given[chosen] == ids[chosen]).mean()
    assert masked == pytest.approx(0.8, abs=0.06)
    assert kept == pytest.approx(0.1 + 0.1 / (WORDS - SPECIAL), abs=0.05)


@given(st.integers(0, 15), st.integers(0, 3), st.integers(0, 50))
def test_special_pieces_are_never_chosen_nor_drawn(number: int, epoch: int, seed: int) -> None:
    found = made(np.arange(16) // 4)
    example = found.example(number, Chance(seed, epoch))
    given, answer = example.inputs["ids"], example.answers["words"]
    special = answer.ids < SPECIAL
    assert not (special & answer.counted).any()
    assert answer.counted.any()
    changed = given != answer.ids
    assert (changed <= answer.counted).all()
    assert ((given[changed] == MASK) | (given[changed] >= SPECIAL)).all()


def test_another_part_is_other_data() -> None:
    whole = made(np.arange(40) // 20)
    marks = {part.mark for share in (0.1, 0.3) for part in (whole, *whole.parted(share))}
    assert len(marks) == 5


def test_an_unknown_word_is_not_to_be_told() -> None:
    tokenizer = train(["one two three four five"], kind="wordpiece", size=40)
    found = sentences(tokenizer, [["one ☃ two ☃"], ["☃ three ☃"]], longest=16, share=1.0)
    unknown = tokenizer.inner.token_to_id("[UNK]")
    for at in range(2):
        answer = found.example(at, Chance(0, 0)).answers["words"]
        assert unknown in answer.ids
        assert (answer.counted == np.isin(answer.ids, ordinary(tokenizer))).all()


def test_other_epochs_mask_other_words_and_the_same_epoch_the_same() -> None:
    found = made(np.arange(16) // 4)
    first, second, again = (
        [found.example(at, Chance(0, epoch)).inputs["ids"].tolist() for at in range(16)]
        for epoch in (0, 1, 0)
    )
    assert first == again
    assert first != second


def test_the_label_has_a_name_and_what_is_elsewhere_is_of_another_document() -> None:
    documents = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2])
    found = made(documents)
    labels = Counter()
    for seed in range(200):
        for at in range(len(documents)):
            other, label = found.second(at, Chance(seed, 0).of(at))
            labels[label] += 1
            if label == FOLLOWS:
                assert other == at + 1
                assert documents[other] == documents[at]
            else:
                assert label == ELSEWHERE
                assert documents[other] != documents[at]
    assert (FOLLOWS, ELSEWHERE) == (0, 1)  # as BERT's own head has them
    last = 3 / 9  # of the stretches nothing follows
    assert labels[FOLLOWS] / labels.total() == pytest.approx((1 - last) / 2, abs=0.03)


@pytest.mark.parametrize("lengths", [(90, 130), (3,) * 100, (1,) * 50, (41, 50, 200)], ids=str)
def test_what_is_held_out_is_not_learned_as_a_second_one_either(lengths: tuple[int, ...]) -> None:
    found = made(np.repeat(np.arange(len(lengths)), lengths))
    learned, held = parts = found.parted(0.1)
    assert sorted(np.concatenate([part.kept for part in parts])) == [*range(sum(lengths))]
    assert len(held.kept) == pytest.approx(0.1 * sum(lengths), abs=8)
    assert len(learned.kept) > len(held.kept) > 0
    for part in parts:
        seconds = {part.second(at, Chance(0, 0).of(at))[0] for at in range(len(part.kept))}
        assert seconds <= {*part.kept}


def test_most_of_what_is_held_out_has_what_follows_it() -> None:
    _, held = made(np.repeat([0, 1], 160)).parted(0.1)
    assert {*held.documents[held.kept]} == {0, 1}
    assert held.followed.mean() == 7 / 8
    _, held = made(np.repeat(np.arange(100), 2)).parted(0.1)  # whole documents
    assert held.followed.mean() == 1 / 2


def test_where_one_document_is_held_out_others_come_from_elsewhere() -> None:
    _, held = made(np.repeat([0, 1], [100, 3])).parted(0.1)
    assert {*held.documents[held.kept]} == {0}
    seconds = [held.second(at, Chance(0, 0).of(at)) for at in range(len(held.kept))]
    assert {label for _, label in seconds} == {FOLLOWS, ELSEWHERE}
    assert all((other in held.kept) == (label == FOLLOWS) for other, label in seconds)


def test_a_single_document_is_not_left_to_learn_from(monkeypatch: pytest.MonkeyPatch) -> None:
    found = made(np.repeat([0, 1], [29, 1]))
    monkeypatch.setattr(Bert, "objective", lambda *_: found)
    with pytest.warns(UserWarning, match="Nothing is held out: what is left would be of a single"):
        assert Bert().sets([], None) == (found, None)


def test_two_stretches_as_the_model_reads_them() -> None:
    found = made(np.arange(16) // 4)
    example = found.example(5, Chance(0, 0))
    ids, segments = example.answers["words"].ids, example.inputs["segments"]
    first = len(found.rows[5])
    assert (ids[0], ids[first + 1], ids[-1]) == (CLS, SEP, SEP)
    assert segments.tolist() == [0] * (first + 2) + [1] * (len(ids) - first - 2)
    assert ids[1 : first + 1].tolist() == found.rows[5].tolist()


def test_documents_become_stretches() -> None:
    tokenizer = train(DOCUMENTS, kind="wordpiece", size=90)
    found = sentences(tokenizer, [text.split("\n\n") for text in DOCUMENTS], 20, 0.15)
    assert found.documents.tolist() == sorted(found.documents)
    assert set(found.documents) == {0, 1}
    assert found.rows.lengths.max() <= 8
    whole = [at for at in range(len(found.rows)) if found.documents[at] == 0]
    ids = np.concatenate([found.rows[at] for at in whole]).tolist()
    parts = (tokenizer.inner.encode(p, add_special_tokens=False).ids for p in DOCUMENTS[0].split())
    assert ids == [each for part in parts for each in part]
    special = {tokenizer.inner.token_to_id(piece) for piece in tokenizer.special.values()}
    assert not special & set(ordinary(tokenizer).tolist())


@pytest.mark.parametrize("end", ["\n", "\r\n", " \n"])
def test_a_paragraph_ends_before_an_empty_line(end: str) -> None:
    book = f"One{end}two.{end}{end}{end}Three.{end}{end}"
    assert [part.split() for part in paragraphs(book)] == [["One", "two."], ["Three."]]


def test_one_document_is_not_enough() -> None:
    tokenizer = train(DOCUMENTS, kind="wordpiece", size=90)
    with pytest.raises(PellucidError, match="learned from two documents or more"):
        sentences(tokenizer, [DOCUMENTS[:1]], 20, 0.15)


def test_stretches() -> None:
    assert list(stretches([[1, 2], [3], [4, 5, 6], [7, 8, 9, 10, 11]], 4)) == [
        [1, 2, 3],
        [4, 5, 6],
        [7, 8, 9, 10],
        [11],
    ]
