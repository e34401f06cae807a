"""Objectives: blocks of a language model, documents kept apart, decoder inputs made of targets."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from train_tasks import TASKS, model, rows

from pellucid.text.training import train
from pellucid.train.batches import DOCUMENTS
from pellucid.train.encoding import ends, flowing
from pellucid.train.loss import Smoothing
from pellucid.train.objectives import Chance, Language, Translation, batch, shifted
from pellucid.train.rows import Rows
from pellucid.train.terms import losses

LENGTHS = st.lists(st.integers(1, 9), min_size=2, max_size=8)


def counting(lengths: list[int]) -> Rows:
    """Rows of 0 1 2 … through all of them, so that an id is its place."""
    starts = np.cumsum([0, *lengths])
    return Rows.of(range(a, b) for a, b in pairwise(starts.tolist()))


@given(LENGTHS, st.integers(1, 12))
def test_measured_every_token_but_the_first_is_a_target_once(lengths, context: int) -> None:
    text = Language(counting(lengths), context, whole=True)
    found = [text.example(at, Chance(0, 0)) for at in range(len(text.lengths))]
    targets = np.concatenate([each.answers["words"].ids for each in found])
    assert targets.tolist() == list(range(1, sum(lengths)))
    for each in found:
        assert (each.inputs["ids"] + 1).tolist() == each.answers["words"].ids.tolist()


@given(LENGTHS, st.integers(1, 12), st.integers(0, 3), st.integers(0, 99))
def test_learned_no_target_comes_twice_in_an_epoch(lengths, context, epoch, seed) -> None:
    text = Language(counting(lengths), context)
    found = [text.example(at, Chance(seed, epoch)) for at in range(len(text.lengths))]
    targets = np.concatenate([each.answers["words"].ids for each in found]).tolist()
    assert len(targets) == len(set(targets))
    assert all(
        len(each.inputs["ids"]) == size for each, (size,) in zip(found, text.lengths, strict=True)
    )


def test_blocks_begin_elsewhere_in_each_epoch() -> None:
    text = Language(counting([100]), 8)
    assert len({text.example(0, Chance(0, epoch)).inputs["ids"][0] for epoch in range(30)}) > 3


def test_documents_in_a_block_do_not_see_each_other() -> None:
    found = rows(6, shortest=3, longest=5)
    decoder = model(shape="decoder", head="language").double().eval()
    together = Language(found, 64, whole=True)
    alone = [
        Language(Rows.of([row]), 64, whole=True) for row in (found[at].tolist() for at in range(6))
    ]
    inputs = batch(together, np.arange(1), Chance(0, 0)).inputs
    assert (
        inputs[DOCUMENTS][0].tolist()
        == [at + 1 for at, n in enumerate(found.lengths) for _ in range(n)][:-1]
    )
    logits = decoder(**inputs).logits[0]
    starts = found.starts.tolist()
    for number, text in enumerate(alone):
        own = decoder(**batch(text, np.arange(1), Chance(0, 0)).inputs).logits[0]
        torch.testing.assert_close(own, logits[starts[number] :][: len(own)])
    joined = Language(found, 64, whole=True, documents="joined")
    inputs = batch(joined, np.arange(1), Chance(0, 0)).inputs
    assert DOCUMENTS not in inputs
    assert not torch.allclose(decoder(**inputs).logits[0], logits)


def test_of_a_single_document_nothing_is_numbered() -> None:
    text = Language(rows(1, shortest=30, longest=30), 8)
    assert DOCUMENTS not in batch(text, np.arange(2), Chance(0, 0)).inputs


@pytest.mark.parametrize(("kind", "begin", "end"), [("bpe", 1, 0), ("characters", 1, 1)])
def test_documents_begin_and_end(kind: str, begin: int, end: int) -> None:
    tokenizer = train(["abc abd\n", "b"], kind=kind, size=300)
    first, last = ends(tokenizer)
    assert (len(first), len(last)) == (begin, end)
    documents = list(flowing(tokenizer, ["abc abd\n", "b"]))
    for ids, text in zip(documents, ["abc abd\n", "b"], strict=True):
        assert ids[:begin] == first
        assert tokenizer.decode(ids) == text


def test_decoder_inputs_are_made_of_the_targets() -> None:
    sources, targets = rows(3), rows(3, seed=1)
    found = Translation(sources, targets, start=7).example(2, Chance(0, 0))
    labels = targets[2].tolist()
    assert found.inputs["target_ids"].tolist() == [7, *labels[:-1]]
    assert found.answers["words"].ids.tolist() == labels
    assert found.answers["words"].counted.all()


def test_shifted_once() -> None:
    given, answer = shifted(np.array([5, 6, 7]))
    assert (given.tolist(), answer.ids.tolist()) == ([5, 6], [6, 7])


def test_no_token_sees_what_it_should_say() -> None:
    """The loss of a target does not depend on it or on what comes behind it, but as a target."""
    decoder, text = TASKS["language"]()
    decoder.double().eval()
    given = batch(text, np.arange(1), Chance(0, 0))
    before = decoder(**given.inputs).logits
    given.inputs["ids"][0, 4:] = 5
    after = decoder(**given.inputs).logits
    torch.testing.assert_close(before[:, :4], after[:, :4])
    assert float(losses(decoder, given, Smoothing())["words"].total.detach()) > 0
