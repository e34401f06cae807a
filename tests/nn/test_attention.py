"""The fused attention is the readable formula, and both are the loops."""

import math
from itertools import product

import brute_force
import pytest
import torch
from torch import Tensor

from pellucid.nn.attention import attention, fused_attention
from pellucid.nn.mask import Mask, Pattern

B, H, K = 3, 4, 8
LENGTHS = [(5, 5), (3, 5), (1, 7), (40, 40)]
SIDES = ["none", "left", "right", "both", "whole"]

each_choice = pytest.mark.parametrize(
    ("pattern", "groups", "biased", "dtype"),
    [*product(["full", "causal"], [4, 2, 1], [False, True], [torch.float32, torch.float64])],
)


def padded(side: str, length: int) -> Mask:
    """The second sentence has padding, or is nothing else."""
    real = torch.ones(B, length, dtype=torch.bool)
    if side in ("left", "both"):
        real[1, : length // 3] = False
    if side in ("right", "both"):
        real[1, -(length // 3) :] = False
    if side == "whole":
        real[1] = False
    return Mask(real, padded=not bool(real.all()))


def by_formula(values: dict[str, Tensor], pattern: Pattern) -> Tensor:
    """The table of steps, one after the other."""
    values = dict(values)
    for name, formula in attention(K, pattern, biased="bias" in values).items():
        values[name] = formula.compute(*(values[parent] for parent in formula.parents))
    return values["mixed"]


def draw(lengths: tuple[int, int], groups: int, biased: bool, dtype: torch.dtype) -> dict:
    t, s = lengths
    shapes = {"q": (B, H, t, K), "k": (B, groups, s, K), "v": (B, groups, s, K)}
    if biased:
        shapes["bias"] = (B, H, t, s)
    random = torch.Generator().manual_seed(t)
    return {
        name: torch.randn(shape, generator=random, dtype=dtype).requires_grad_()
        for name, shape in shapes.items()
    }


def both_ways(leaves: dict[str, Tensor], seen: Mask, pattern: Pattern) -> list[list[Tensor]]:
    """Results and gradients, fused and by formula."""
    q, k, v, bias = (leaves.get(name) for name in ("q", "k", "v", "bias"))
    fused = fused_attention(q, k, v, seen, pattern, bias=bias, scale=K**-0.5)
    plain = by_formula(leaves | {"real": seen.real}, pattern)
    weigh = torch.linspace(-1, 2, K, dtype=q.dtype)
    return [
        [mixed, *torch.autograd.grad((mixed * weigh).sum(), list(leaves.values()))]
        for mixed in (fused, plain)
    ]


@each_choice
def test_fused_is_the_formula(
    pattern: Pattern, groups: int, biased: bool, dtype: torch.dtype
) -> None:
    for lengths, side in product(LENGTHS, SIDES):
        leaves = draw(lengths, groups, biased, dtype)
        fused, plain = both_ways(leaves, padded(side, lengths[1]), pattern)
        for ours, reference in zip(fused, plain, strict=True):
            assert ours.isfinite().all()
            torch.testing.assert_close(ours, reference, rtol=1e-5, atol=1e-5)


@each_choice
def test_who_sees_nothing_gets_zero_and_teaches_nothing(
    pattern: Pattern, groups: int, biased: bool, dtype: torch.dtype
) -> None:
    for lengths in LENGTHS:
        leaves = draw(lengths, groups, biased, dtype)
        for mixed, *gradients in both_ways(leaves, padded("whole", lengths[1]), pattern):
            assert not mixed[1].any()
            assert mixed[0].all()
            for gradient in gradients:
                assert gradient.isfinite().all()
                assert not gradient[1].any()
                assert gradient[0].any()


@pytest.mark.parametrize("biased", [False, True])
def test_rows_before_the_first_word_get_zero(biased: bool) -> None:
    seen = padded("left", 6)
    for mixed, *gradients in both_ways(draw((6, 6), 2, biased, torch.float32), seen, "causal"):
        assert not mixed[1, :, :2].any()
        assert mixed[1, :, 2:].all()
        assert all(gradient.isfinite().all() for gradient in gradients)
        assert not gradients[0][1, :, :2].any()


@pytest.mark.parametrize("pattern", ["full", "causal"])
@pytest.mark.parametrize("groups", [1, 2, 4])
def test_both_are_the_loops(pattern: Pattern, groups: int) -> None:
    leaves = draw((3, 5), groups, True, torch.float64)
    seen = padded("right", 5)
    fused, plain = (mixed for mixed, *_ in both_ways(leaves, seen, pattern))
    q, k, v, bias = (leaf.tolist() for leaf in leaves.values())
    for b, h in product(range(B), range(H)):
        hidden = [
            [
                bias[b][h][t][s]
                if seen.real[b][s] and (pattern == "full" or s <= t + 2)
                else -math.inf
                for s in range(5)
            ]
            for t in range(3)
        ]
        g = h * groups // H
        loops = torch.tensor(
            brute_force.attention(q[b][h], k[b][g], v[b][g], hidden, K**-0.5), dtype=torch.float64
        )
        torch.testing.assert_close(fused[b, h], loops)
        torch.testing.assert_close(plain[b, h], loops)


def test_half_precision_gives_zero_too() -> None:
    for pattern, biased in product(("full", "causal"), (False, True)):
        leaves = draw((6, 6), 2, biased, torch.bfloat16)
        for mixed, *gradients in both_ways(leaves, padded("whole", 6), pattern):
            assert not mixed[1].any()
            assert all(g.isfinite().all() and not g[1].any() for g in gradients)
