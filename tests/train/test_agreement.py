"""R-Drop: two looks at a text should say the same; sum and gradient as autograd has them."""

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional
from train_tasks import TASKS

from pellucid.errors import UsageError
from pellucid.nn.dropout import Dropout
from pellucid.train import entropy
from pellucid.train.agreement import twice
from pellucid.train.batches import Targets
from pellucid.train.entropy import cross_entropy
from pellucid.train.loop import Learning
from pellucid.train.loss import Smoothing, each_of, one_of
from pellucid.train.objectives import Chance, batch
from pellucid.train.ranks import Ranks
from pellucid.train.settings import usual
from pellucid.train.step import gradients

V, D = 11, 5


def both_ways(first: Tensor, second: Tensor) -> Tensor:
    """½ (KL(p‖q) + KL(q‖p)), by torch's own."""
    pair = (first, second), (second, first)
    each = [functional.kl_div(*logs, reduction="sum", log_target=True) for logs in pair]
    return (each[0] + each[1]) / 2


@pytest.mark.parametrize("held", [2, 6, 1000])
@pytest.mark.parametrize("share", [0.0, 0.1])
def test_of_words(share: float, held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entropy, "CHUNK", 1)
    monkeypatch.setattr(entropy, "ROWS", held)
    torch.manual_seed(0)
    hidden, weight, bias = (
        torch.randn(shape, dtype=torch.float64, requires_grad=True)
        for shape in ((14, D), (V, D), (V,))
    )
    ids = torch.randint(V, (7,)).repeat(2)
    found, plain = cross_entropy(hidden, weight, bias, ids, Smoothing(share, r_drop=3.0))
    logits = hidden @ weight.t() + bias
    logs = logits.log_softmax(-1)
    by_hand = functional.cross_entropy(logits, ids, reduction="sum", label_smoothing=share)
    by_hand = by_hand + 3 * both_ways(logs[:7], logs[7:])
    torch.testing.assert_close(found, by_hand)
    torch.testing.assert_close(plain, functional.cross_entropy(logits, ids, reduction="sum"))
    leaves = (hidden, weight, bias)
    for a, b in zip(*(torch.autograd.grad(x, leaves) for x in (found, by_hand)), strict=True):
        torch.testing.assert_close(a, b)


def test_of_classes_one_and_several() -> None:
    torch.manual_seed(0)
    logits = torch.randn(6, 4, dtype=torch.float64)
    counted = torch.ones(6, dtype=torch.bool)
    ids = torch.tensor([0, 3, 1]).repeat(2)
    one = Targets(ids, counted)
    told = one_of(logits, one, Smoothing(r_drop=2.0)).total - one_of(logits, one).total
    logs = logits.log_softmax(-1)
    torch.testing.assert_close(told, 2 * both_ways(logs[:3], logs[3:]))

    yes = torch.randint(2, (3, 4)).repeat(2, 1)
    several = Targets(yes, counted[:, None].expand(6, 4))
    told = each_of(logits, several, Smoothing(r_drop=2.0)).total - each_of(logits, several).total
    each = torch.stack([functional.logsigmoid(logits), functional.logsigmoid(-logits)])
    torch.testing.assert_close(told, 2 * both_ways(each[:, :3], each[:, 3:]))


@pytest.mark.parametrize("task", TASKS)
def test_without_dropout_two_looks_are_one(task: str) -> None:
    """The same gradients, and twice as many targets."""
    grads, counts = [], []
    for double, smoothing in ((False, Smoothing(0.1)), (True, Smoothing(0.1, r_drop=5.0))):
        model, objective = TASKS[task]()
        model.double().eval()
        given = batch(objective, np.arange(6), Chance(0, 0))
        given = twice(given) if double else given
        ledger = gradients(model, [given], smoothing, Ranks())
        grads.append({name: p.grad for name, p in model.named_parameters() if p.grad is not None})
        counts.append((ledger.targets, ledger.tokens, ledger.padded))
    assert [2 * n for n in counts[0]] == list(counts[1])
    for name, grad in grads[0].items():
        torch.testing.assert_close(grad, grads[1][name])


@pytest.mark.parametrize("task", ["classes", "translation"])
def test_with_dropout_it_draws_two_looks_together(task: str) -> None:
    """After some steps two looks at a text are nearer to each other than without it."""
    far = []
    for r_drop in (0.0, 20.0):
        model, objective = TASKS[task]()
        for module in model.modules():
            if isinstance(module, Dropout):
                module.p = 0.3
        chosen = {"rows": 8, "steps": 60, "warmup": 0, "rate": 1e-2}
        Learning(model, objective, usual(**chosen, r_drop=r_drop)).run()
        model.train()
        torch.manual_seed(0)
        given = twice(batch(objective, np.arange(6), Chance(0, 0)))
        output = model(**given.inputs)
        logits = output.classes if output.classes is not None else output.logits
        assert logits is not None
        logs = logits.log_softmax(-1).detach()
        far.append(float(both_ways(*logs.chunk(2))))
    assert far[1] < far[0] / 2


def test_it_needs_dropout() -> None:
    with pytest.raises(UsageError, match="r_drop"):
        usual(r_drop=1.0, dropout=0.0)
