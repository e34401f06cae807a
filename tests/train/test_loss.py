"""Losses: sums as torch has them, smoothing by its named conventions, gradients chunk by chunk."""

import numpy as np
import pytest
import torch
from torch.nn import functional
from train_tasks import TASKS

from pellucid.train import entropy
from pellucid.train.alignment import alignment, trace_of
from pellucid.train.batches import Targets
from pellucid.train.entropy import cross_entropy
from pellucid.train.loss import Smoothing, each_of
from pellucid.train.objectives import Chance, batch
from pellucid.train.terms import losses

N, V, D = 37, 11, 6


@pytest.fixture(params=["one chunk", "many chunks"])
def chunks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "many chunks":
        monkeypatch.setattr(entropy, "CHUNK", 0)
        monkeypatch.setattr(entropy, "ROWS", 5)


def given(dtype: torch.dtype = torch.float64) -> tuple[torch.Tensor, ...]:
    random = torch.Generator().manual_seed(0)
    hidden, weight, bias = (
        torch.randn(*size, generator=random, dtype=dtype).requires_grad_()
        for size in ((N, D), (V, D), (V,))
    )
    return hidden, weight, bias, torch.randint(0, V, (N,), generator=random)


def beliefs(ids: torch.Tensor, smoothing: Smoothing) -> torch.Tensor:
    """What each word should get, by hand."""
    share, rest = smoothing.share, {"torch": V, "fairseq": V - 1, "annotated": V - 2}
    right = functional.one_hot(ids, V).double()
    wrong = torch.ones_like(right) if smoothing.convention == "torch" else 1 - right
    if smoothing.convention == "annotated":
        wrong[:, smoothing.padding] = 0
    return (1 - share) * right + share / rest[smoothing.convention] * wrong


@pytest.mark.usefixtures("chunks")
@pytest.mark.parametrize("convention", ["torch", "fairseq", "annotated"])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.9])
def test_the_sum_and_its_gradient(convention: str, share: float) -> None:
    hidden, weight, bias, ids = given()
    ids[ids == 2] = 3  # padding is no target
    smoothing = Smoothing(share, convention, padding=2)
    total, plain = cross_entropy(hidden, weight, bias, ids, smoothing)
    found = torch.autograd.grad(total / 7, (hidden, weight, bias))
    logs = (hidden @ weight.t() + bias).log_softmax(-1)
    by_hand = -(beliefs(ids, smoothing) * logs).sum()
    torch.testing.assert_close(total, by_hand)
    torch.testing.assert_close(plain, -logs.gather(1, ids[:, None]).sum())
    assert not plain.requires_grad
    for a, b in zip(found, torch.autograd.grad(by_hand / 7, (hidden, weight, bias)), strict=True):
        torch.testing.assert_close(a, b)


@pytest.mark.usefixtures("chunks")
def test_smoothing_as_torch_has_it() -> None:
    hidden, weight, bias, ids = given(torch.float32)
    total, _ = cross_entropy(hidden, weight, bias, ids, Smoothing(0.1))
    theirs = functional.cross_entropy(
        hidden @ weight.t() + bias, ids, reduction="sum", label_smoothing=0.1
    )
    torch.testing.assert_close(total, theirs)


@pytest.mark.parametrize("convention", ["torch", "fairseq", "annotated"])
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_what_classes_get_is_one_together(convention: str, classes: int) -> None:
    """None of them is padding, whatever the id of it is among words."""
    right, other = Smoothing(0.1, convention, padding=1).among(classes)
    assert right + (classes - 1) * other == pytest.approx(1)
    assert right == pytest.approx(0.9 + (0.1 / classes if convention == "torch" else 0))


@pytest.mark.parametrize("convention", ["fairseq", "annotated"])
def test_without_padding_all_words_but_the_right_one_share(convention: str) -> None:
    assert Smoothing(0.1, convention).beliefs(11) == (0.9, pytest.approx(0.01), None)


def test_yes_and_no_are_smoothed_too() -> None:
    torch.manual_seed(0)
    logits, wanted = torch.randn(5, 3, dtype=torch.float64), torch.randint(2, (5, 3))
    targets = Targets(wanted, torch.ones(5, 3, dtype=torch.bool))
    found = each_of(logits, targets, Smoothing(0.2))
    entropy_of = functional.binary_cross_entropy_with_logits
    by_hand = entropy_of(logits, 0.1 + 0.8 * wanted.double(), reduction="sum")
    torch.testing.assert_close(found.total, by_hand)
    torch.testing.assert_close(found.plain, each_of(logits, targets).total)


def test_no_targets_no_loss_and_no_gradient() -> None:
    hidden, weight, bias, ids = given()
    total, plain = cross_entropy(hidden[:0], weight, bias, ids[:0], Smoothing(0.1))
    total.backward()
    assert float(total.detach()) == float(plain) == 0
    assert not weight.grad.any()
    assert not bias.grad.any()


def test_bfloat16_products_and_float32_sums() -> None:
    hidden, weight, bias, ids = given(torch.float32)
    exact, _ = cross_entropy(hidden, weight, bias, ids, Smoothing())
    with torch.autocast("cpu", torch.bfloat16):
        rough, _ = cross_entropy(hidden, weight, bias, ids, Smoothing())
    rough.backward()
    assert rough.dtype == weight.grad.dtype == torch.float32
    assert rough.item() == pytest.approx(exact.item(), rel=0.02)
    assert rough.item() != exact.item()


def test_without_gradients_none_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entropy, "_zeros", lambda *of: pytest.fail("made a gradient"))
    with torch.no_grad():
        total, plain = cross_entropy(*given(), Smoothing())
    assert float(total) == float(plain) > 0


@pytest.mark.parametrize("task", ["language", "bert", "translation"])
def test_of_words_as_the_model_itself_says_them(task: str) -> None:
    """The loss from hidden vectors is that of the logits which the model gives by itself."""
    model, objective = TASKS[task]()
    model.double().eval()
    given = batch(objective, np.arange(6), Chance(0, 0))
    logits = model(**given.inputs).logits
    targets = given.targets["words"]
    theirs = functional.cross_entropy(
        logits[targets.counted], targets.ids[targets.counted], reduction="sum"
    )
    found = losses(model, given, Smoothing())["words"]
    torch.testing.assert_close(found.total, theirs)
    assert found.count == targets.count


def test_smoothing_uses_the_shifted_targets_and_the_plain_loss_stands_beside_it() -> None:
    model, objective = TASKS["translation"]()
    model.double().eval()
    given = batch(objective, np.arange(4), Chance(0, 0))
    sums = losses(model, given, Smoothing(0.1))["words"]
    plain = losses(model, given, Smoothing())["words"].total
    torch.testing.assert_close(sums.plain, plain.detach())
    targets = given.targets["words"]
    theirs = functional.cross_entropy(
        model(**given.inputs).logits[targets.counted],
        targets.ids[targets.counted],
        reduction="sum",
        label_smoothing=0.1,
    )
    torch.testing.assert_close(sums.total, theirs)


@pytest.mark.parametrize("task", ["language", "bert", "translation"])
def test_the_alignment_shows_each_target_beside_its_input(task: str) -> None:
    model, objective = TASKS[task]()
    model.double().eval()
    given = batch(objective, np.arange(3), Chance(0, 0))
    lines = alignment(model, given, "words")
    assert sum(each.loss for each in lines) == pytest.approx(
        float(losses(model, given, Smoothing())["words"].total.detach())
    )
    assert len(lines) == given.targets["words"].count
    if task != "bert":
        stream = {"language": "ids", "translation": "target_ids"}[task]
        for each in lines:
            row = given.inputs[stream][each.row]
            assert int(row[each.place]) == each.given
            if each.place + 1 < given.targets["words"].counted[each.row].sum():
                assert int(row[each.place + 1]) == each.target


@pytest.mark.parametrize("task", ["language", "bert", "translation"])
def test_what_is_learned_at_each_token_is_in_the_trace(task: str) -> None:
    model, objective = TASKS[task]()
    model.double().eval()
    given = batch(objective, np.arange(3), Chance(0, 0))
    trace = trace_of(model, given)
    nats, counted = trace["loss.nats"], trace["loss.counted"]
    total = float(losses(model, given, Smoothing())["words"].total.detach())
    assert float(nats.sum()) == pytest.approx(total)
    assert not nats[counted == 0].any()
    chances = trace["head.logits"].log_softmax(-1).gather(-1, trace["loss.target"][..., None])
    torch.testing.assert_close(nats, -chances[..., 0] * counted)
    if task != "bert":  # each token's target is the next one given
        both = counted[:, 1:] == 1
        assert torch.equal(trace["loss.target"][:, :-1][both], trace["loss.given"][:, 1:][both])
