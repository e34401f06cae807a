"""Texts as vectors: what does not fit is cut, and told."""

import pytest
import torch
import zoo
from tokenizers.processors import TemplateProcessing

from pellucid.models.vectors import embed


def test_a_text_that_is_too_long_loses_its_rest_and_not_its_end() -> None:
    model, long = zoo.build("encoder", longest=6), "a seal slept on the bank of ice"
    model.tokenizer.inner.post_processor = TemplateProcessing(
        single="the $A it", special_tokens=[("the", 0), ("it", len(zoo.WORDS) - 1)]
    )
    with pytest.warns(UserWarning, match=r"2 texts were cut to 6 tokens; encoder reads no more"):
        one, _, other = embed(model, [long, "ice", f"{long} by it"])
    (whole,) = embed(model, ["a seal slept on"])
    assert torch.equal(one, other)
    torch.testing.assert_close(one, whole)


def test_whoever_takes_but_one_vector_is_told_too() -> None:
    model = zoo.build("encoder", longest=3)
    with pytest.warns(UserWarning, match=r"1 text was cut to 3 tokens"):
        next(embed(model, ["a seal slept on the ice"]))
