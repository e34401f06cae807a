"""The one place that divides: how a step is cut changes nothing."""

import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
from train_tasks import TASKS, Task

from pellucid.train.batches import Batch
from pellucid.train.checkpoint import weights
from pellucid.train.loop import Learning
from pellucid.train.loss import Smoothing
from pellucid.train.objectives import Chance, batch
from pellucid.train.ranks import Ranks
from pellucid.train.settings import usual
from pellucid.train.step import gradients, measure
from pellucid.train.terms import losses

CHANCE = Chance(0, 0)
EVERY = pytest.mark.parametrize("task", TASKS)


def parts(task: Task, count: int, examples: int = 8) -> list[Batch]:
    cut = np.array_split(np.arange(examples), count)
    return [batch(task[1], numbers, CHANCE) for numbers in cut]


def learned(name: str, accumulate: int, **settings: object) -> dict[str, torch.Tensor]:
    """The weights after two steps, in float64: where a gradient is zero but for rounding (that
    of keys' biases is), AdamW would make a whole step of the rounding.
    """
    model, objective = TASKS[name]()
    chosen = {"rows": 8, "steps": 2, "warmup": 0, "rate": 1e-3, "dropout": 0.0, **settings}
    Learning(model.double(), objective, usual(accumulate=accumulate, **chosen)).run()
    return weights(model)


def apart(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> float:
    return max(float((a[name] - b[name]).abs().max()) for name in a)


@EVERY
def test_however_a_step_is_cut_the_weights_are_the_same(task: str) -> None:
    smoothing = {"smoothing": 0.1} if task == "translation" else {}
    whole = learned(task, 1, **smoothing)
    for accumulate in (2, 8):
        assert apart(whole, learned(task, accumulate, **smoothing)) < 1e-6
    assert apart(whole, weights(TASKS[task]()[0])) > 1e-4


@EVERY
def test_sums_are_divided_by_real_targets_once(task: str) -> None:
    model, objective = TASKS[task]()
    model.double().eval()
    ledger = gradients(model, parts((model, objective), 3), Smoothing(), Ranks())
    found = {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}
    whole = batch(objective, np.arange(8), CHANCE)
    model.zero_grad()
    by_hand = [each.total / each.count for each in losses(model, whole, Smoothing()).values()]
    sum(by_hand).backward()
    assert ledger.loss == pytest.approx(sum(by_hand).item())
    assert ledger.counts == whole.counts()
    for name, parameter in model.named_parameters():
        if parameter.grad is not None:
            torch.testing.assert_close(found[name], parameter.grad, rtol=1e-9, atol=1e-11)


@EVERY
def test_a_measure_does_not_depend_on_the_size_of_batches(task: str) -> None:
    model, objective = TASKS[task]()
    model.double().eval()
    found = [measure(model, parts((model, objective), count)) for count in (1, 2, 8)]
    assert found[0].counts == found[1].counts == found[2].counts
    for other in found[1:]:
        assert other.entropy == pytest.approx(found[0].entropy, rel=1e-10)
        assert other.right == found[0].right


def test_a_micro_batch_without_targets_adds_nothing_and_is_named() -> None:
    model, objective = TASKS["translation"]()
    batches = parts((model, objective), 2)
    alone = gradients(model, batches[:1], Smoothing(), Ranks())
    expected = {name: p.grad.clone() for name, p in model.named_parameters()}
    model.zero_grad()
    empty = batch(objective, np.arange(2), CHANCE, "Batch 7 of window 1 in epoch 2")
    empty.targets["words"].counted.zero_()
    with pytest.warns(UserWarning, match="Batch 7 of window 1 in epoch 2 has nothing to learn"):
        ledger = gradients(model, [batches[0], empty], Smoothing(), Ranks())
    assert ledger.loss == alone.loss
    for name, parameter in model.named_parameters():
        assert torch.equal(parameter.grad, expected[name])


def test_a_step_without_targets_is_not_taken() -> None:
    model, objective = TASKS["language"]()
    before = {name: tensor.clone() for name, tensor in weights(model).items()}
    learning = Learning(model, objective, usual(rows=8, steps=2))
    nothing = batch(objective, np.arange(8), CHANCE)
    nothing.targets["words"].counted.zero_()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learning._step([nothing])
    assert learning.state.step == 0
    assert all(torch.equal(before[name], tensor) for name, tensor in weights(model).items())
    assert not learning.optimizer.state


def test_only_what_is_real_counts() -> None:
    """Padding is no target, whatever its id; the end of a text is one."""
    _, objective = TASKS["translation"]()
    together = batch(objective, np.arange(8), CHANCE)
    lengths = [len(objective.targets[at]) for at in range(8)]
    assert together.counts() == {"words": sum(lengths)}
    assert together.targets["words"].counted.sum(1).tolist() == lengths
    ends = [together.targets["words"].ids[at, n - 1] for at, n in enumerate(lengths)]
    assert ends == [int(objective.targets[at][-1]) for at in range(8)]
    assert together.tokens == sum(lengths) + sum(len(objective.sources[at]) for at in range(8))


@pytest.mark.skipif(shutil.which("g++") is None, reason="torch compiles with g++")
def test_compiled_blocks_learn_the_same() -> None:
    """In a process of its own, since checks of types cannot be compiled."""
    script = [sys.executable, str(Path(__file__).parent / "train_compiled.py")]
    ran = subprocess.run(script, capture_output=True, text=True, timeout=600, check=False)
    assert ran.returncode == 0, ran.stderr
    apart, graphs, breaks = map(float, ran.stdout.split())
    assert apart < 1e-5
    assert graphs > 0
    assert breaks == 0


def test_bfloat16_products_leave_float32_weights() -> None:
    model, objective = TASKS["translation"]()
    settings = usual(rows=8, steps=2, precision="bfloat16", rate=1e-3)
    state = Learning(model, objective, settings).run()
    assert state.step == 2
    assert {tensor.dtype for tensor in weights(model).values()} == {torch.float32}


def test_padding_is_counted() -> None:
    _, objective = TASKS["translation"]()
    together = batch(objective, np.arange(8), CHANCE)
    widest = objective.lengths[:8].max(axis=0).sum()
    assert together.padded == 8 * widest
    ledger = gradients(TASKS["translation"]()[0], [together], Smoothing(), Ranks())
    assert (ledger.tokens, ledger.padded) == (together.tokens, together.padded)
