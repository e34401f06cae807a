"""Dropout: chance decides which numbers fall away, not how many, nor how much the others grow."""

import pytest
import torch

from pellucid.nn.dropout import Dropout


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.9])
def test_the_share_that_falls_away_and_what_the_others_become(share, dtype):
    torch.manual_seed(1)
    x = torch.ones(100_003, dtype=dtype)
    y = Dropout(share)(x)
    kept = y[y != 0]
    assert y.dtype == dtype
    assert abs(len(kept) / len(x) - (1 - share)) < 5 * (share * (1 - share) / len(x)) ** 0.5
    torch.testing.assert_close(kept, torch.full_like(kept, 1 / (1 - share)), rtol=1e-3, atol=0)


def test_each_place_has_its_own_chance():
    torch.manual_seed(2)
    fallen = torch.stack([Dropout(0.5)(torch.ones(64)) == 0 for _ in range(4000)]).double()
    apart = (fallen.T.corrcoef() - torch.eye(64)).abs().max()
    assert (fallen.mean(0) - 0.5).abs().max() < 0.05
    assert apart < 0.1


def test_the_same_seed_drops_the_same():
    x, drop = torch.randn(3, 5, 7), Dropout(0.4)
    ys = []
    for _ in range(2):
        torch.manual_seed(3)
        ys.append(drop(x))
    assert torch.equal(*ys)
    assert not torch.equal(ys[0], drop(x))


def test_what_fell_away_has_no_gradient():
    x = torch.randn(50, requires_grad=True)
    y = Dropout(0.5)(x)
    y.sum().backward()
    assert torch.equal(x.grad, (y != 0).float() * 2)


def test_nothing_falls_away_where_nothing_should():
    x = torch.randn(9)
    assert Dropout(0.0)(x) is x
    assert Dropout(0.5).eval()(x) is x
    assert torch.equal(Dropout(1.0)(x), torch.zeros(9))
    assert Dropout(0.5)(torch.empty(0, 4)).shape == (0, 4)
