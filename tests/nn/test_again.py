"""What is made again on the way back is not kept, and no gradient differs."""

import pytest
import torch

from pellucid.nn.again import made_again
from pellucid.nn.config import Config
from pellucid.nn.feedforward import FEEDFORWARDS
from pellucid.nn.mask import Mask
from pellucid.nn.sublayer import Context


def kept_by(run):
    """Numbers that autograd keeps of what is run, and what comes out."""
    kept = {}

    def pack(x):
        kept[x.data_ptr()] = x.numel()
        return x

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
        y = run()
    return sum(kept.values()), y


def test_it_is_not_kept_and_the_gradient_is_the_same():
    x, weight = torch.randn(50, 30, requires_grad=True), torch.randn(4, 30, requires_grad=True)

    def plainly():
        return x.sigmoid() @ weight.t()

    def again():
        y = x.sigmoid()
        with made_again(y, x.sigmoid):
            return y @ weight.t()

    found = []
    for run in (plainly, again):
        y = run()
        found.append([y, *torch.autograd.grad(y.square().sum(), (x, weight))])
    for a, b in zip(*found, strict=True):
        assert torch.equal(a, b)


def test_where_no_gradient_is_wanted_nothing_is_prepared():
    asked = []
    y = torch.randn(3, 2)
    with made_again(y, lambda: asked.append(1) or y):
        (y @ torch.randn(2, 2, requires_grad=True)).sum().backward()
    assert not asked


@pytest.mark.parametrize("kind", FEEDFORWARDS)
@pytest.mark.parametrize("low", [False, True])
def test_a_feed_forward_learns_the_same_and_keeps_less(kind, low):
    torch.manual_seed(0)
    chosen = {"width": 8, "inner": 32, "heads": 2, "layers": 1, "vocabulary": 5, "longest": 9}
    layer = FEEDFORWARDS[kind](Config(shape="encoder", **chosen))
    context = Context(Mask.of(torch.ones(2, 6, dtype=torch.long)))
    x = torch.randn(2, 6, 8, requires_grad=True)
    found, sizes = [], []
    for learning in (False, True):
        layer.train(learning)
        with torch.autocast("cpu", torch.bfloat16, enabled=low):
            size, y = kept_by(lambda: layer.work(x, context))
        sizes.append(size)
        found.append(
            torch.autograd.grad(
                y.float().square().sum(), [x, *layer.parameters()], allow_unused=True
            )
        )
    for a, b in zip(*found, strict=True):
        assert (a is None and b is None) or torch.equal(a, b)
    assert sizes[1] < sizes[0]
