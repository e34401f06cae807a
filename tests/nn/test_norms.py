"""Norms against torch, transformers and loops."""

import brute_force
import pytest
import torch
from torch import Tensor, nn
from transformers.models.llama.modeling_llama import LlamaRMSNorm
from zoo import randomise

from pellucid.nn.norm import BatchNorm, LayerNorm, Norm, RMSNorm

B, T, D, EPSILON = 3, 5, 12, 1e-3
REAL = torch.tensor([[True] * 5, [True] * 2 + [False] * 3, [False] * 4 + [True]])
ALL = torch.ones(B, T, dtype=torch.bool)


def sample(dtype: torch.dtype = torch.float32) -> Tensor:
    random = torch.Generator().manual_seed(0)
    return 3 * torch.randn(B, T, D, generator=random, dtype=dtype) + 1


def made(kind: type[Norm], epsilon: float = EPSILON) -> Norm:
    norm = kind(D, epsilon)
    randomise(norm)
    return norm


@pytest.mark.parametrize("epsilon", [1e-12, 1e-5, 0.1])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_layer_norm_is_torchs(epsilon: float, dtype: torch.dtype) -> None:
    ours, theirs = made(LayerNorm, epsilon).to(dtype), nn.LayerNorm(D, eps=epsilon)
    theirs.load_state_dict(ours.state_dict())
    x = sample(dtype)
    torch.testing.assert_close(ours(x, ALL), theirs.to(dtype)(x), rtol=1e-6, atol=1e-6)


def test_layer_norm_is_the_loop() -> None:
    norm, x = made(LayerNorm).double(), sample(torch.float64)
    gain, shift = norm.weight.tolist(), norm.bias.tolist()
    loop = [brute_force.layer_norm(row, gain, shift, EPSILON) for row in x[0].tolist()]
    torch.testing.assert_close(norm(x, ALL)[0], torch.tensor(loop, dtype=torch.float64))


@pytest.mark.parametrize("epsilon", [1e-12, 1e-5, 0.1])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_rms_norm_is_llamas(epsilon: float, dtype: torch.dtype) -> None:
    ours, theirs = made(RMSNorm, epsilon).to(dtype), LlamaRMSNorm(D, eps=epsilon)
    theirs.load_state_dict(ours.state_dict())
    x = sample(dtype)
    near = 1e-6 if dtype == torch.float32 else 1e-2
    torch.testing.assert_close(ours(x, ALL), theirs.to(dtype)(x), rtol=near, atol=near)


def test_rms_norm_is_the_loop() -> None:
    norm, x = made(RMSNorm).double(), sample(torch.float64)
    loop = [brute_force.rms_norm(row, norm.weight.tolist(), EPSILON) for row in x[0].tolist()]
    torch.testing.assert_close(norm(x, ALL)[0], torch.tensor(loop, dtype=torch.float64))


def pair() -> tuple[BatchNorm, nn.BatchNorm1d]:
    ours = made(BatchNorm).double()
    theirs = nn.BatchNorm1d(D, eps=EPSILON, momentum=ours.momentum).double()
    state = {name.replace("variance", "var"): x for name, x in ours.state_dict().items()}
    theirs.load_state_dict(state, strict=False)
    return ours, theirs


@pytest.mark.parametrize("real", [REAL, ALL], ids=["padded", "full"])
def test_batch_norm_is_torchs_on_the_real_rows(real: Tensor) -> None:
    ours, theirs = pair()
    for mode in (True, True, False, True):
        ours.train(mode), theirs.train(mode)
        x = sample(torch.float64).requires_grad_()
        y, z = ours(x, real)[real], theirs(x[real])
        torch.testing.assert_close(y, z)
        weigh = torch.linspace(-1, 2, D, dtype=torch.float64)
        gradients = [torch.autograd.grad((out * weigh).square().sum(), x)[0] for out in (y, z)]
        torch.testing.assert_close(*gradients)
        torch.testing.assert_close(ours.running_mean, theirs.running_mean)
        torch.testing.assert_close(ours.running_variance, theirs.running_var)


def test_batch_norm_is_the_loop() -> None:
    norm, x = made(BatchNorm).double().train(), sample(torch.float64)
    means, variances = brute_force.statistics(x[REAL].tolist())
    gain, shift = norm.weight.tolist(), norm.bias.tolist()
    loop = [
        brute_force.batch_norm(row, means, variances, gain, shift, epsilon=EPSILON)
        for row in x[REAL].tolist()
    ]
    torch.testing.assert_close(norm(x, REAL)[REAL], torch.tensor(loop, dtype=torch.float64))


@pytest.mark.parametrize("rubbish", [1e6, float("inf"), float("nan")])
def test_what_stands_in_padding_is_never_counted(rubbish: float) -> None:
    clean, dirty = made(BatchNorm).train(), made(BatchNorm).train()
    x = sample()
    y = x.masked_fill(~REAL[..., None], rubbish)
    assert clean(x, REAL)[REAL].equal(dirty(y, REAL)[REAL])
    assert clean.running_mean.equal(dirty.running_mean)
    assert clean.running_variance.equal(dirty.running_variance)


@pytest.mark.parametrize("rows", [0, 1])
def test_too_few_rows_teach_batch_norm_nothing(rows: int) -> None:
    norm, real = made(BatchNorm).train(), torch.zeros(B, T, dtype=torch.bool)
    real[0, :rows] = True
    before = norm.running_mean.clone(), norm.running_variance.clone()
    x = sample().requires_grad_()
    y = norm(x, real)
    y[real].sum().backward()
    assert y[real].isfinite().all()
    assert x.grad.isfinite().all()
    assert norm.running_mean.equal(before[0])
    assert norm.running_variance.equal(before[1])


def test_no_norm_returns_the_very_same() -> None:
    x = sample()
    assert Norm(D, EPSILON)(x, ALL) is x
