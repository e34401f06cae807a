"""The trace as JSON: strict, complete, and in the digits that give the same numbers again."""

import json
import math
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest
import torch
import zoo
from hypothesis import given
from hypothesis import strategies as st

import pellucid
from pellucid import edit
from pellucid.record.trace import Trace
from pellucid.study.edits import silence
from pellucid.views.data import as_json, lines, numbers

DIFFERENT = ("encoder", "batch", "llama", "alibi decoder", "t5")


def strictly(text: str) -> object:
    def refuse(word: str) -> NoReturn:
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


def see(name: str) -> Trace:
    model = zoo.build(name)
    texts = (zoo.SENTENCES, zoo.TARGETS)[: len(model.streams)]
    return model.see(*texts)


def tensor(entry: dict) -> torch.Tensor:
    """The entry's numbers by NumPy, which knows the names of infinities."""
    return torch.from_numpy(np.array(entry["data"], dtype=np.float64))


@pytest.mark.parametrize("name", DIFFERENT)
def test_every_value_is_there_to_the_bit(name: str, tmp_path: Path) -> None:
    trace = see(name)
    saved = strictly(trace.save(tmp_path / "t.json").read_text(encoding="utf-8"))
    assert list(saved) == ["format", "about", "texts", "weights", "values"]
    assert list(saved["values"]) == list(trace)
    for value, entry in saved["values"].items():
        assert entry["kind"] == trace.kind(value)
        assert tuple(entry["shape"]) == trace.shape(value)
        assert len(entry["axes"].split()) == len(entry["shape"])
        assert entry["parents"] == list(trace.node(value).parents)
        assert torch.equal(tensor(entry).to(trace[value].dtype), trace[value])


def test_values_stand_after_their_parents() -> None:
    told = as_json(see("bart"))
    known = set(zoo.build("bart").weights())
    for name, entry in told["values"].items():
        assert known.issuperset(entry["parents"])
        known.add(name)


def test_infinities_are_strings() -> None:
    data = as_json(pellucid.load("mouse-causal").see("cat and"))["values"]
    assert data["decoder.0.attention.masked"]["data"][0][0][0][1] == "-Infinity"
    assert strictly(numbers(torch.tensor([math.inf, math.nan]))) == ["Infinity", "NaN"]


@given(st.lists(st.floats(width=32)))
def test_float32_comes_back(values: list[float]) -> None:
    truth = torch.tensor(values, dtype=torch.float32)
    back = tensor({"data": strictly(numbers(truth))}).float()
    assert torch.equal(back.view(torch.int32), truth.view(torch.int32)) or truth.isnan().any()


@given(st.lists(st.floats(allow_nan=False)))
def test_float64_comes_back(values: list[float]) -> None:
    truth = torch.tensor(values, dtype=torch.float64)
    assert torch.equal(tensor({"data": strictly(numbers(truth))}), truth)


@pytest.mark.parametrize(
    ("tensor", "text"),
    [
        (torch.tensor([0.1, -2.0]), "[0.1,-2.0]"),
        (torch.tensor([0.1], dtype=torch.bfloat16), "[0.100097656]"),
        (torch.tensor([[True], [False]]), "[[true],[false]]"),
        (torch.tensor([2**40, -1]), f"[{2**40},-1]"),
        (torch.zeros(1, 0), "[[]]"),
    ],
)
def test_numbers_are_as_short_as_they_can_be(tensor: torch.Tensor, text: str) -> None:
    assert numbers(tensor) == text


def test_a_layer_and_a_head() -> None:
    trace = see("llama")
    layer = as_json(trace, layer=1)["values"]
    assert list(layer) == [name for name in trace if name.startswith("decoder.1.")]
    head = as_json(trace, layer=1, head=3)["values"]
    assert all(entry["head"] == 3 for entry in head.values())
    weights = head["decoder.1.attention.weights"]
    assert weights["axes"] == "B T S"
    assert torch.equal(tensor(weights).float(), trace["decoder.1.attention.weights"][:, 3])
    keys = head["decoder.1.attention.k"]
    assert torch.equal(tensor(keys).float(), trace["decoder.1.attention.k"][:, 1])


@pytest.mark.usefixtures("unchecked")
def test_what_cannot_be_given_says_why() -> None:
    whole = see("post")
    kept = {name: held for name, held in whole.held.items() if name.startswith("encoder.0.")}
    values = as_json(Trace(whole.nodes, kept, {}, whole.texts, whole.about))["values"]
    missing = values["encoder.1.attention.weights"]
    assert missing["kind"] == "missing"
    assert "not in the record" in missing["missing"]
    assert "data" not in missing
    assert values["encoder.0.attention.q"]["kind"] == "derived"


@pytest.mark.parametrize("which", ["none", "small", "all"])
def test_weights_as_asked_for(which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pellucid.views.data.SMALL", 64)
    trace = see("encoder")
    told = strictly("".join(lines(trace, weights=which)))["weights"]
    limit = {"none": 0, "small": 64, "all": math.inf}[which]
    assert list(told) == [name for name, w in trace.weights.items() if w.numel() <= limit]
    for name, entry in told.items():
        assert torch.equal(tensor(entry).float(), trace.weights[name])


def test_what_was_edited_is_called_so() -> None:
    values = as_json(edit(see("encoder"), silence("encoder.0.output")))["values"]
    assert values["encoder.0.output"]["kind"] == "edited"


def test_answers_that_are_no_numbers_are_null() -> None:
    model = zoo.build("decoder")
    torch.nn.init.constant_(model.decoder.norm.weight, torch.nan)
    told = strictly("".join(lines(model.see(zoo.SENTENCE))))
    assert told["about"]["answers"]["words"][0][0][0]["score"] is None


def test_texts_and_words_are_readable(gpt2: Path) -> None:
    text = "שלום 🙂"
    trace = pellucid.load(gpt2).see(text)
    written = "".join(lines(trace))
    assert f'"text": "{text}"' in written
    told = json.loads(written)
    assert (
        told["about"]["answers"]["words"][0][0][0]["piece"] == trace.answers().words[0][0][0].piece
    )


def test_a_value_is_a_line_so_that_no_more_is_in_memory() -> None:
    trace = see("decoder")
    written = list(lines(trace))
    assert len(written) >= len(trace)
    assert all(line.count('"data"') <= 1 for line in written)
