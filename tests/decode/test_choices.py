"""What makes no sense is refused in one sentence, before the model runs."""

from pathlib import Path
from typing import Any

import pytest
import torch
import zoo
from writers import PROMPT, writer

import pellucid
from pellucid import PellucidError, UsageError

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"beams": 0}, "beams is 0; expected is from 1 to 1000"),
    ({"beams": 2.5}, "beams is 2.5; expected is a number"),
    ({"beams": True}, "beams is True; expected is a number"),
    ({"best": 2}, "2 answers need as many beams"),
    ({"beams": 3, "best": 4}, "4 answers need as many beams"),
    ({"beam": 3}, "no choice 'beam'; did you mean beams"),
    ({"num_beams": 3}, "no choice 'num_beams'"),
    ({"max_new_tokens": -1}, "max_new_tokens is -1"),
    ({"max_new_tokens": 3, "min_new_tokens": 4}, "At least 4 and at most 3"),
    ({"max_new_tokens": 1000}, "1000 new ones are more than this model's positions reach, 24"),
    ({"temperature": 0.0, "pick": "sample"}, "temperature is 0.0; expected is more than 0"),
    ({"temperature": 0.5}, "Only sampling heeds temperature; add pick='sample'"),
    ({"top_p": 0.0, "pick": "sample"}, "top_p is 0.0"),
    ({"pick": "sample", "beams": 2}, "Beams are searched, not drawn"),
    ({"pick": "greedy"}, "pick is 'greedy'; the choices are 'likeliest', 'sample'"),
    ({"stopping": "never", "beams": 2}, "the choices are 'exact', 'first', 'heuristic'"),
    ({"beams": 4, "groups": 3}, "4 beams cannot be cut into 3 equal groups"),
    ({"beams": 4, "diversity": 1.0}, "Diversity is between groups"),
    ({"beams": 4, "best": 4, "groups": 2}, "Groups without diversity find the same 2; set"),
    ({"seed": 5}, "Only sampling heeds seed; add pick='sample'"),
    ({"seed": 2**63, "pick": "sample"}, "seed is 9223372036854775808; expected is 0 or more"),
    ({"seed": -1, "pick": "sample"}, "seed is -1; expected is 0 or more"),
    ({"seed": "a", "pick": "sample"}, "seed is 'a'; expected is a number"),
    ({"seed": 1.5, "pick": "sample"}, "seed is 1.5; expected is a number"),
    ({"beams": "4"}, "beams is '4'; expected is a number"),
    ({"best": 10**20, "pick": "sample"}, "expected is from 1 to 1000000"),
    ({"batch": 10**20}, "expected is from 1 to 1000000"),
    ({"forced": None}, "forced is None; expected is a token for each step"),
    ({"prefix": 5}, "prefix is 5; expected is a text"),
    ({"stop": 5}, "stop is 5; expected is a text, or several"),
    ({"stopping": "first"}, "When to stop is for beams to heed"),
    ({"stopping": "first", "pick": "sample"}, "When to stop is for beams to heed"),
    ({"scope": "prompt"}, "The scope is that of a rule; set repetition or no_repeat"),
    ({"must": "ice"}, "Words that must come need beams=2"),
    ({"beams": 2, "must": "ice", "forbid": "ice"}, "'ice' must come and is forbidden"),
    ({"beams": 2, "must": ["ice", "on the bank"], "max_new_tokens": 3}, "do not fit into 3 tokens"),
    ({"beams": 2, "must": "on the bank", "max_new_tokens": 2}, "longer than the 2 tokens"),
    ({"beams": 2, "must": "xyz"}, "has no tokens for 'xyz'"),
    ({"prefix": "the seal slept", "max_new_tokens": 2}, "The prefix has 3 tokens; at most 2"),
    ({"forced": {0: 99}}, "Forced is token 99 at step 0; this model's tokens are 0 to 15"),
    ({"repetition": 0.5}, "repetition is 0.5; expected is 1 or more"),
    ({"stop": ""}, "A stop string is empty"),
    ({"stop": ["on", ""]}, "A stop string is empty"),
]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(("choices", "sentence"), REFUSED)
def test_it_is_refused(choices: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        writer().generate(PROMPT, **choices)
    assert sentence in str(caught.value)


def test_who_cannot_write_is_told_so() -> None:
    with pytest.raises(UsageError, match="is an encoder: it reads and does not write"):
        zoo.build("encoder").generate(PROMPT)
    with pytest.raises(UsageError, match="has no head for words"):
        zoo.build("last").generate(PROMPT)
    with pytest.raises(UsageError, match=r"model.eval\(\) first"):
        writer().train().generate(PROMPT)
    with pytest.raises(UsageError, match="translating needs an encoder-decoder"):
        writer().translate(PROMPT)


def test_a_prompt_beyond_the_limit_is_refused() -> None:
    model = writer(longest=4)
    with pytest.raises(UsageError, match="reads at most 4"):
        model.generate("the seal slept on the ice")
    with pytest.raises(UsageError, match="no room for an answer"):
        model.generate("the seal slept on")


def test_a_prompt_as_long_as_the_checkpoint_lets_prompt_and_answer_be() -> None:
    model = writer()
    model.generation |= {"max_length": 3, "eos_token_id": []}
    for prompt in (PROMPT, f"{PROMPT} on the ice"):
        with pytest.raises(UsageError, match=r"have at most 3, says the checkpoint \(max_length\)"):
            model.generate(prompt)
        assert len(model.generate(prompt, max_new_tokens=2)[0].ids) == 2


def test_a_model_without_a_longest_text_needs_a_length() -> None:
    model = writer("t5", longest=0)
    with pytest.raises(UsageError, match="knows no longest text; say max_new_tokens"):
        model.generate(PROMPT)
    assert model.generate(PROMPT, max_new_tokens=3)[0].finish in ("end", "length")


def test_an_answer_that_nobody_knows_how_to_begin() -> None:
    model = writer("bart")
    model.generation = {}
    with pytest.raises(UsageError, match="says no decoder_start_token_id"):
        model.generate(PROMPT)


def test_words_that_do_not_come_within_the_length() -> None:
    model = writer()
    ends = {"eos_token_id": list(range(16))}
    model.generation |= ends
    with pytest.raises(PellucidError, match="No answer of at most 6 tokens with 'bank of river'"):
        model.generate(PROMPT, beams=2, must="bank of river", max_new_tokens=6)


@pytest.mark.parametrize("beams", [1, 3])
def test_rules_that_leave_nothing(beams: int) -> None:
    with pytest.raises(PellucidError, match=r"the rules \(forbidden\) bar them all"):
        writer().generate(PROMPT, beams=beams, forbid=zoo.WORDS, max_new_tokens=3)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_that_are_none_are_named(value: float) -> None:
    model = writer()
    with torch.no_grad():
        model.decoder.layers[1].feedforward.hidden.bias[3] = value
    with pytest.raises(PellucidError, match=r"first in decoder\.1\.feedforward\.output"):
        model.generate(PROMPT, max_new_tokens=2)


def test_texts_or_ids_but_not_both() -> None:
    model = writer()
    with pytest.raises(UsageError, match="Give texts, or ids"):
        model.generate()
    with pytest.raises(UsageError, match="Give texts, or ids"):
        model.generate(PROMPT, ids=[[1]])
    with pytest.raises(UsageError, match="A prompt has no tokens"):
        model.generate(ids=[[]])
    with pytest.raises(UsageError, match=r"ids are \[1, 2\] and the mask \[1, 3\]"):
        model.generate(ids=torch.ones(1, 2).long(), mask=torch.ones(1, 3).bool())


def test_ids_that_are_no_words_are_refused() -> None:
    with pytest.raises(UsageError, match="reach from 3 to 99"):
        writer().generate(ids=[[3, 99]])
    with pytest.raises(UsageError, match="reach from 3 to 1000000000000"):
        writer().generate(ids=[[3, 10**30]])


def test_a_decoder_start_comes_from_the_checkpoint(shared: Path) -> None:
    model = pellucid.load(shared / "data" / "weights-bart-g2p-us")
    answer = model.generate(ids=[[1, 20, 34, 31, 2]], beams=3)[0][0]
    assert answer.finish == "end"
    assert answer.ids[-1] == 2
