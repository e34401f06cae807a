"""Attention in blocks is attention: values and gradients, against autograd in float64."""

import pytest
import torch

from pellucid.nn import attention, blockwise
from pellucid.nn.attention import Attention
from pellucid.nn.config import Config
from pellucid.nn.mask import Mask

SHAPES = {
    "alone": (1, 1, 1, 1, 1),
    "square": (5, 4, 4, 7, 7),
    "groups share keys": (3, 6, 2, 5, 5),
    "all share one key": (3, 6, 1, 5, 5),
    "a source beside": (4, 2, 2, 3, 9),
}


def by_hand(q, k, v, allowed):
    """The formula of the paper; a row that may see nothing is 0."""
    k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    if allowed is not None:
        scores = scores.masked_fill(~allowed, -1e300)
    mixed = scores.softmax(-1) @ v
    return mixed if allowed is None else mixed * allowed.any(-1, keepdim=True)


def tensors(shape, dtype=torch.float64):
    texts, heads, groups, length, source = SHAPES[shape]
    generator = torch.Generator().manual_seed(4)
    sizes = [(texts, heads, length, 8), (texts, groups, source, 8), (texts, groups, source, 6)]
    return [
        torch.randn(size, generator=generator, dtype=torch.float64).to(dtype).requires_grad_()
        for size in sizes
    ]


def hidden(shape, how):
    texts, _, _, length, source = SHAPES[shape]
    if how == "nothing":
        return None
    if how == "later words":
        return torch.ones(1, 1, length, source, dtype=torch.bool).tril().expand(texts, -1, -1, -1)
    ends = torch.arange(texts)[:, None] % source
    return (torch.arange(source) >= ends)[:, None, None].expand(-1, 1, length, -1)


@pytest.mark.parametrize("held", [1, 200, 1 << 20])
@pytest.mark.parametrize("how", ["nothing", "later words", "padding"])
@pytest.mark.parametrize("shape", SHAPES)
def test_values_and_gradients(monkeypatch, shape, how, held):
    monkeypatch.setattr(blockwise, "HELD", held)
    allowed, given = hidden(shape, how), tensors(shape)
    ours, theirs = blockwise.blockwise(*given, allowed), by_hand(*given, allowed)
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-12)
    weights = torch.randn(ours.shape, dtype=torch.float64)
    found = torch.autograd.grad((ours * weights).sum(), given)
    wanted = torch.autograd.grad((theirs * weights).sum(), given)
    for a, b in zip(found, wanted, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-12)


def test_a_query_that_may_see_nothing_gets_and_gives_nothing():
    q, k, v = tensors("square")
    allowed = torch.ones(5, 1, 7, 7, dtype=torch.bool)
    allowed[2, :, 3] = False
    mixed = blockwise.blockwise(q, k, v, allowed)
    assert (mixed[2, :, 3] == 0).all()
    assert (mixed[2, :, 4] != 0).all()
    gradient = torch.autograd.grad(mixed.sum(), q)[0]
    assert gradient.isfinite().all()
    assert (gradient[2, :, 3] == 0).all()


@pytest.mark.parametrize("pattern", ["full", "causal"])
@pytest.mark.parametrize("padded", [False, True])
def test_learning_in_bf16_is_near_the_kernel_that_float32_takes(pattern, padded):
    ids = torch.ones(5, 7, dtype=torch.long)
    real = torch.arange(7) < torch.tensor([[7], [6], [5], [7], [1]]) if padded else None
    seen = Mask.of(ids, real)
    layer = attention_layer(pattern).train()
    exact = layer._mixed(*tensors("square", torch.float32), seen, None)
    near = layer._mixed(*tensors("square", torch.bfloat16), seen, None)
    assert near.dtype == torch.bfloat16
    said = seen.real[:, None].expand(-1, 4, -1)
    torch.testing.assert_close(near.float()[said], exact[said], rtol=0.05, atol=0.05)


def attention_layer(pattern, **choices):
    config = Config(
        shape="encoder", width=32, heads=4, layers=1, vocabulary=5, longest=9, **choices
    )
    return Attention(config, pattern)


def test_only_learning_in_bf16_takes_it(monkeypatch):
    taken = []
    monkeypatch.setattr(attention, "blockwise", lambda *given: taken.append(given) or given[2])
    seen = Mask.of(torch.ones(5, 7, dtype=torch.long))
    layer, drops = attention_layer("causal"), attention_layer("causal", attention_dropout=0.5)
    low, exact = tensors("square", torch.bfloat16), tensors("square", torch.float32)
    layer.train()._mixed(*low, seen, None)
    assert len(taken) == 1
    layer.train()._mixed(*exact, seen, None)
    layer.train()._mixed(*low, seen, torch.zeros(5, 4, 7, 7, dtype=torch.bfloat16))
    layer.eval()._mixed(*low, seen, None)  # so that looking at gradients changes nothing
    drops.train()._mixed(*low, seen, None)
    assert len(taken) == 1
