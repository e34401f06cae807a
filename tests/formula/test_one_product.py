"""x Wᵀ + b, whichever library makes it: values, gradients, and where torch is asked instead."""

import pytest
import torch

from pellucid.formula import linear as product
from pellucid.formula.linear import FEW, linear

SIZES = [(FEW, 3, 5), (40, 64, 16), (300, 16, 64)]
serving = pytest.mark.skipif(not product.SERVES, reason="this processor has no AVX-512")


def tensors(rows, inner, outer, dtype=torch.float32):
    generator = torch.Generator().manual_seed(6)
    sizes = (2, rows // 2, inner), (outer, inner), (outer,)
    return [torch.randn(size, generator=generator).to(dtype).requires_grad_() for size in sizes]


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_values_and_gradients(size, biased, transposed):
    x, weight, bias = tensors(*size)
    if transposed:
        x = x.detach().transpose(0, 1).requires_grad_()
    given = [x, weight, bias][: 2 + biased]
    exact = [each.detach().double().requires_grad_() for each in given]
    ours, theirs = linear(*given), torch.nn.functional.linear(*exact)
    near = {"rtol": 1e-5, "atol": 1e-4, "check_dtype": False}
    assert ours.dtype == torch.float32
    torch.testing.assert_close(ours, theirs, **near)
    found = torch.autograd.grad(ours.square().sum(), given)
    wanted = torch.autograd.grad(theirs.square().sum(), exact)
    for a, b in zip(found, wanted, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-2, check_dtype=False)


WITH_GAPS = {
    "as they come": lambda x: x,
    "every other row": lambda x: x.repeat_interleave(2, 0)[::2],
    "every other column": lambda x: x.repeat_interleave(2, -1)[..., ::2],
    "the other way round": lambda x: x.t().contiguous().t() if x.dim() > 1 else x,
    "one for all": lambda x: x[:1].expand_as(x),
    "from the middle": lambda x: torch.cat([x.new_zeros(3), x.flatten()])[3:].view(x.shape),
}


@pytest.mark.parametrize("how", WITH_GAPS)
@pytest.mark.parametrize("which", [0, 1, 2])
def test_wherever_numbers_lie(which, how):
    x, weight, bias = (each.detach() for each in tensors(*SIZES[1]))
    given = [x.flatten(0, 1), weight, bias]
    given[which] = WITH_GAPS[how](given[which])
    theirs = torch.nn.functional.linear(*given)
    torch.testing.assert_close(linear(*given), theirs, rtol=1e-4, atol=1e-4)


def test_gradients_of_gradients():
    x, weight, _ = (each.detach().requires_grad_() for each in tensors(40, 6, 5))
    found = []
    for f in (linear, torch.nn.functional.linear):
        first = torch.autograd.grad(f(x, weight).pow(3).sum(), x, create_graph=True)[0]
        found.append(torch.autograd.grad(first.square().sum(), weight)[0])
    torch.testing.assert_close(*found, rtol=1e-3, atol=1.0)


def test_only_what_is_wanted_gets_a_gradient():
    x, weight, bias = tensors(*SIZES[1])
    frozen = weight.detach()
    linear(x, frozen, bias.detach()).sum().backward()
    assert x.grad is not None
    assert frozen.grad is None
    with torch.no_grad():
        assert not linear(x, weight, bias).requires_grad


@serving
@pytest.mark.parametrize(
    ("case", "serves"),
    [
        ("many rows", True),
        ("few rows", False),
        ("float64", False),
        ("bfloat16", False),
        ("autocast", False),
        ("nothing", False),
    ],
)
def test_where_torch_is_asked(monkeypatch, case, serves):
    asked, plain = [], product._product
    monkeypatch.setattr(product, "_product", lambda *given: asked.append(given) or plain(*given))
    rows = {"few rows": FEW - 2, "nothing": 0}.get(case, FEW)
    dtype = getattr(torch, case) if case in ("float64", "bfloat16") else torch.float32
    x, weight, bias = (each.detach() for each in tensors(rows, 4, 3, dtype))
    with torch.autocast("cpu", torch.bfloat16, enabled=case == "autocast"):
        linear(x, weight, bias)
    assert bool(asked) == serves


def test_where_onednn_does_not_serve(monkeypatch):
    x, weight, bias = tensors(*SIZES[1])
    near = linear(x, weight, bias)
    monkeypatch.setattr(product, "SERVES", False)
    torch.testing.assert_close(linear(x, weight, bias), near, rtol=1e-4, atol=1e-4)
