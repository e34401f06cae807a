"""Heads of an encoder-decoder: its encoder's, its decoder's and those between, each measured."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
import zoo
from torch import Tensor, nn

from pellucid import UsageError, edit
from pellucid.checks import specimens
from pellucid.checks.theirs import quiet
from pellucid.models.checkpoint import load_without_tokenizer
from pellucid.study.edits import silence_heads
from pellucid.study.heads import heads
from pellucid.study.silencing import importance, without_each_head
from pellucid.views.heads import called

PAIRS = [("the seal slept on the ice", "a seal sat"), ("a bank", "the river bank was muddy")] * 2
SUBLAYERS = [("encoder", "attention"), ("decoder", "attention"), ("decoder", "cross")]
IDS, TARGETS = torch.tensor([[5, 17, 3, 40, 8, 8, 21]]), torch.tensor([[7, 19, 25, 3]])


@pytest.mark.parametrize("name", ["bart", "t5", "tied t5", "two tongues", "rotary both"])
def test_silencing_is_what_edits_say(name: str) -> None:
    model = zoo.build(name)
    texts = zoo.texts(model)
    read = model.read(*texts)
    found, count = importance(model, **model._inputs(read))
    assert count == sum(len(text) - 1 for text in read["target"])
    trace = model.see(*texts)
    for stack, sublayer in SUBLAYERS:
        changed = silence_heads(trace, 0, [2], sublayer=sublayer, stack=stack)
        runs = (trace, edit(trace, changed))
        was, now = (surprise(each["head.logits"], read["target"]) for each in runs)
        lost = found[f"{stack}.0.{sublayer}"][2].item()
        assert lost == pytest.approx(now - was, rel=1e-3, abs=1e-4), (stack, sublayer)


def surprise(logits: Tensor, texts: list[Any]) -> float:
    chances = logits.double().log_softmax(-1)
    return -sum(
        chances[row, t, said].item()
        for row, text in enumerate(texts)
        for t, said in enumerate(text.ids[1:])
    )


OUTPUTS: dict[str, dict[tuple[str, str], str]] = {
    "BART": {
        ("encoder", "attention"): "model.encoder.layers.0.self_attn.out_proj",
        ("decoder", "attention"): "model.decoder.layers.0.self_attn.out_proj",
        ("decoder", "cross"): "model.decoder.layers.0.encoder_attn.out_proj",
    },
    "T5 1.1": {
        ("encoder", "attention"): "encoder.block.0.layer.0.SelfAttention.o",
        ("decoder", "attention"): "decoder.block.0.layer.0.SelfAttention.o",
        ("decoder", "cross"): "decoder.block.0.layer.1.EncDecAttention.o",
    },
}
OUTPUTS["Marian"] = OUTPUTS["BART"]


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_silent_head_is_as_with_a_hook_on_theirs(
    name: str, tmp_path: Path, unchecked: None
) -> None:
    folder = specimens.build(name, tmp_path / "model")
    model = load_without_tokenizer(folder)
    config = json.loads((folder / "config.json").read_text())
    with quiet(transformers):
        theirs = getattr(transformers, config["architectures"][0]).from_pretrained(folder).eval()
    rows = dict(without_each_head(model, source_ids=IDS, target_ids=TARGETS))
    for (stack, sublayer), module in OUTPUTS[name].items():
        hook = silent(1, model.config.heads)
        handle = theirs.get_submodule(module).register_forward_pre_hook(hook)
        with torch.no_grad():
            expected = theirs(input_ids=IDS, decoder_input_ids=TARGETS).logits
            found = model.heads.words(rows[f"{stack}.0.{sublayer}"][1])
        handle.remove()
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)


def silent(head: int, heads: int) -> Callable[[nn.Module, tuple[Tensor, ...]], tuple[Tensor]]:
    """A hook that makes nothing of what one head gives."""

    def without(_module: nn.Module, given: tuple[Tensor, ...]) -> tuple[Tensor]:
        parts = given[0].unflatten(-1, (heads, -1)).clone()
        parts[..., head, :] = 0
        return (parts.flatten(-2),)

    return without


@pytest.mark.parametrize("name", ["bart", "two tongues"])
def test_a_corpus_of_pairs(name: str, tmp_path: Path) -> None:
    model = zoo.build(name)
    found = heads(model, PAIRS, silencing="each", folder=tmp_path)
    assert found.places == (
        *(f"encoder.{layer}.attention" for layer in (0, 1)),
        *(f"decoder.{layer}.{sub}" for layer in (0, 1) for sub in ("attention", "cross")),
    )
    row = found.places.index("decoder.1.cross")
    assert found["previous"][row].isnan().all()
    assert found["same"][row].isnan().all() == (name == "two tongues")
    assert found["importance"].isfinite().all()
    expected = entropy(model.see(*map(list, zip(*PAIRS, strict=True))), "decoder.1.cross", PAIRS)
    torch.testing.assert_close(found["entropy"][row], expected, rtol=1e-5, atol=1e-7)
    assert all(place != row for place, _, _ in found.best("previous", 99))
    again = heads(model, PAIRS, silencing="each", folder=tmp_path)
    assert json.dumps(again.to_json()) == json.dumps(found.to_json())


def entropy(trace: Any, place: str, pairs: list[tuple[str, str]]) -> Tensor:
    """The mean over all target tokens, pair by pair."""
    rows = []
    for at, (source, target) in enumerate(pairs):
        w = trace[f"{place}.weights"][at, :, : len(target.split()), : len(source.split())].double()
        rows.append(torch.special.entr(w).sum(-1))
    return torch.cat(rows, dim=-1).mean(-1)


def test_the_target_begins_with_the_start_token() -> None:
    model = zoo.build("bart")
    plain = heads(model, PAIRS)
    model.settings["decoder_start_token_id"] = 1
    begun = heads(model, PAIRS)
    more = begun.counts["entropy"] - plain.counts["entropy"]
    assert more.tolist() == [0, 0] + [len(PAIRS)] * 4


def test_what_a_model_reads() -> None:
    with pytest.raises(UsageError, match="bart reads source and target: give pairs"):
        heads(zoo.build("bart"), ["the seal"])
    with pytest.raises(UsageError, match="decoder reads tokens: give a text each"):
        heads(zoo.build("decoder"), PAIRS)


def test_rows_have_names() -> None:
    assert called(["encoder.0.attention", "encoder.1.attention"]) == ["layer 0", "layer 1"]
    assert called(["encoder.0.attention", "decoder.0.attention", "decoder.0.cross"]) == [
        "encoder 0",
        "decoder 0",
        "cross 0",
    ]
