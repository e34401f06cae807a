"""Models to begin with: how weights are drawn, and what a new head leaves as it was."""

import math

import pytest
import torch
from train_tasks import SIZES, TASKS

import pellucid
from pellucid.nn.config import Config
from pellucid.train.checkpoint import weights
from pellucid.train.making import grown, new
from pellucid.train.optimize import decays, height, optimizer, share
from pellucid.train.settings import usual

WIDE = {**SIZES, "width": 64, "inner": 256, "layers": 4, "vocabulary": 500}


def test_drawn_as_gpt2() -> None:
    model = new(Config(shape="decoder", head="language", **WIDE), "gpt2", 0)
    state = weights(model)
    assert state["entrance.embed.words.weight"].std() == pytest.approx(0.02, rel=0.05)
    assert state["decoder.layers.0.attention.query.weight"].std() == pytest.approx(0.02, rel=0.05)
    added = state["decoder.layers.3.feedforward.output.weight"].std()
    assert added == pytest.approx(0.02 / math.sqrt(8), rel=0.05)
    assert not state["decoder.layers.0.attention.query.bias"].any()
    assert (state["decoder.norm.weight"] == 1).all()


def test_drawn_as_in_2017() -> None:
    config = Config(shape="encoder-decoder", head="language", embedding_scaling="root", **WIDE)
    state = weights(new(config, "xavier", 0))
    assert state["source.embed.words.weight"].std() == pytest.approx(1 / 8, rel=0.05)
    wide = state["decoder.layers.0.feedforward.hidden.weight"]
    assert wide.abs().max() == pytest.approx(math.sqrt(6 / (64 + 256)), rel=0.02)
    assert "target.embed.words.weight" not in state  # it is the source's own


def test_a_seed_is_a_model_and_leaves_chance_alone() -> None:
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    first, again, other = (new(Config(shape="encoder", **SIZES), "gpt2", s) for s in (0, 0, 1))
    assert torch.equal(torch.rand(1), expected)
    name = "entrance.embed.words.weight"
    assert torch.equal(weights(first)[name], weights(again)[name])
    assert not torch.equal(weights(first)[name], weights(other)[name])


def test_grown(minilm) -> None:
    known = pellucid.load("minilm")
    found = grown(known, 0, classes=3, classify="mean", pooler="none", dropout=0.1)
    state, before = weights(found), weights(known)
    assert state["heads.classes.output.weight"].shape == (3, 384)
    shared = state.keys() & before.keys()
    assert len(shared) == len(state) - 2
    assert all(torch.equal(state[name], before[name]) for name in shared)
    assert found.config.family == "pellucid"  # BERT's layout has no mean
    pooled = grown(known, 0, classes=3, classify="pooled")
    assert pooled.config.family == "bert"
    assert found.tokenizer is known.tokenizer


def test_what_decays_and_what_learns_slowly() -> None:
    model, _ = TASKS["bert"]()
    names = {name for name, p in model.named_parameters() if decays(p)}
    assert not any("norm" in name or name.endswith("bias") for name in names)
    assert "entrance.embed.words.weight" in names
    assert [height(name, 6) for name in ("entrance.x", "encoder.layers.5.y", "heads.z")] == [
        0,
        6,
        7,
    ]
    assert share("heads.z", 6, 0.5) == 1
    assert share("encoder.layers.4.y", 6, 0.5) == 0.25
    groups = optimizer(model, usual(layer_rate=0.5, decay=0.1)).param_groups
    assert {group["weight_decay"] for group in groups} == {0.0, 0.1}
    assert {group["share"] for group in groups} == {1, 0.5, 0.25}


def test_frozen_layers_stay() -> None:
    model, objective = TASKS["class"]()
    from pellucid.train.loop import Learning

    before = {name: tensor.clone() for name, tensor in weights(model).items()}
    Learning(model, objective, usual(freeze=1, steps=2, rows=8)).run()
    moved = {name for name, t in weights(model).items() if not torch.equal(t, before[name])}
    assert moved
    assert all(name.startswith(("heads.", "encoder.norm")) for name in moved)
    with pytest.raises(pellucid.PellucidError, match="nothing to learn; freeze fewer"):
        optimizer(TASKS["class"]()[0], usual(freeze=9))
