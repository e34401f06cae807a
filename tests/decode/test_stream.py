"""Streaming gives the answer's text in pieces, and never takes one back."""

from pathlib import Path

import pytest
import torch
from writers import PROMPT, writer

import pellucid
from pellucid import UsageError
from pellucid.decode.stream import begun
from pellucid.models.model import Model


@pytest.fixture(scope="module")
def bytes_writer(gpt2: Path) -> Model:
    """A model whose tokens are bytes and parts of words."""
    model = pellucid.load(gpt2)
    model.generation = {"eos_token_id": []}
    return model


@pytest.mark.parametrize("choices", [{}, {"beams": 3}, {"pick": "sample", "seed": 3}])
def test_the_pieces_are_the_answer(choices: dict) -> None:
    model = writer()
    run = model.stream(PROMPT, max_new_tokens=6, **choices)
    pieces = list(run)
    plain = model.generate(PROMPT, max_new_tokens=6, **choices)[0]
    assert "".join(pieces) == plain.text
    assert run.answers[0].ids == plain.ids
    assert all(pieces)


def test_greedy_streams_word_by_word() -> None:
    model = writer()
    model.generation["eos_token_id"] = []
    assert len(list(model.stream(PROMPT, max_new_tokens=6))) == 6


def test_what_beams_share_comes_before_the_end() -> None:
    model = writer()
    forced = {"forced": {0: 1, 1: 2, 2: 3}, "max_new_tokens": 6}
    first, *_ = model.stream(PROMPT, beams=3, **forced)
    assert first == " seal"


@pytest.mark.parametrize("text", ["🙂 naïve", "日本語 ok", "a\u0301b"])
def test_no_character_is_cut(text: str, bytes_writer: Model) -> None:
    ids = bytes_writer.tokenizer.encode(text).ids
    forced = dict(enumerate(ids))
    run = bytes_writer.stream("x", forced=forced, max_new_tokens=len(ids))
    pieces = list(run)
    assert "".join(pieces) == text
    assert not any("\ufffd" in piece for piece in pieces)
    assert len(pieces) > 1


def test_bytes_that_are_no_character_come_at_the_end(bytes_writer: Model) -> None:
    ids = bytes_writer.tokenizer.encode("ok🙂").ids[:-1]
    pieces = list(bytes_writer.stream("x", forced=dict(enumerate(ids)), max_new_tokens=len(ids)))
    assert pieces[0] == "ok"
    assert "".join(pieces) == bytes_writer.tokenizer.decode(list(ids))


def test_a_stop_string_is_never_seen_in_part(bytes_writer: Model) -> None:
    ids = bytes_writer.tokenizer.encode("one two END three").ids
    forced = dict(enumerate(ids))
    run = bytes_writer.stream("x", forced=forced, max_new_tokens=len(ids), stop=" END")
    assert "".join(run) == "one two"
    assert run.answers[0].finish == "stop string"
    kept = bytes_writer.stream("x", forced=forced, max_new_tokens=len(ids), stop=" ENDLESS")
    assert "".join(kept) == "one two END three"


def test_how_much_of_a_stop_string_has_begun() -> None:
    assert begun("END", "the E") == 1
    assert begun("END", "the EN") == 2
    assert begun("END", "the") == 0


def test_several_draws_are_not_streamed() -> None:
    with pytest.raises(UsageError, match="Several drawn answers cannot be streamed"):
        writer().stream(PROMPT, pick="sample", best=2)


def test_a_stream_needs_no_gradients() -> None:
    model = writer()
    list(model.stream(PROMPT, max_new_tokens=2))
    assert torch.is_grad_enabled()
