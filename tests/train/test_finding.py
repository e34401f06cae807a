"""A number that is none stops the run; the first is named as in the trace, the weights are kept."""

from pathlib import Path

import numpy as np
import pytest
import torch
from train_tasks import TASKS

from pellucid import PellucidError
from pellucid.train import checkpoint
from pellucid.train.finding import first_odd
from pellucid.train.loop import CHECKPOINT, Learning
from pellucid.train.objectives import Chance, batch
from pellucid.train.settings import usual


def odd(poison) -> str:
    model, objective = TASKS["translation"]()
    poison(model)
    given = batch(objective, np.arange(4), Chance(0, 0))
    return first_odd(model, [given], lambda number: torch.enable_grad())


def test_a_weight() -> None:
    def poison(model) -> None:
        with torch.no_grad():
            model.decoder.layers[0].cross.value.weight[2, 3] = float("nan")

    assert odd(poison) == "the weight decoder.layers.0.cross.value.weight"


def test_on_the_way_forward() -> None:
    def poison(model) -> None:
        with torch.no_grad():
            model.encoder.layers[0].feedforward.output.weight.fill_(3e38)

    assert odd(poison) == "encoder.0.feedforward.output"


def test_on_the_way_back() -> None:
    class Broken(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, given):
            return given / 0

    def poison(model) -> None:
        model.decoder.layers[0].feedforward.register_forward_hook(
            lambda module, given, found: Broken.apply(found)
        )

    found = odd(poison)
    assert found.startswith("decoder.0.feedforward.")
    assert found.endswith("its gradient")


def test_the_run_stops_and_keeps_what_it_had(tmp_path: Path, monkeypatch) -> None:
    model, objective = TASKS["language"]()
    found = Learning(model, objective, usual(rows=4, steps=9, rate=1e-3), folder=tmp_path)
    take = found._step

    def poisoned(batches) -> None:
        if found.state.step == 4:
            model.heads.head.register_forward_pre_hook(lambda *_: pytest.fail("not used"))
            model.decoder.norm.register_forward_hook(lambda m, x, y: y * float("inf"))
        take(batches)

    monkeypatch.setattr(found, "_step", poisoned)
    with pytest.raises(
        PellucidError, match=r"loss of step 5 is no number.*The checkpoint of step 4 is kept"
    ):
        found.run()
    tensors, about = checkpoint.load(tmp_path / CHECKPOINT)
    assert about["state"]["step"] == 4
    assert all(bool(torch.isfinite(tensor).all()) for tensor in tensors.values())
