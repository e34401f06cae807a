"""Positions against the papers' formulas, and against transformers."""

import brute_force
import pytest
import torch
from torch import Tensor
from transformers import LlamaConfig
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb
from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding
from transformers.models.t5.modeling_t5 import T5Attention

from pellucid.formula.positions import bucket, sinusoid
from pellucid.nn.config import Config
from pellucid.nn.mask import Mask
from pellucid.nn.positions import Alibi, Relative, Rotary, alibi_slopes, bucket_thresholds

B, H, T, K = 2, 3, 6, 8
PLACES = torch.tensor([[0, 1, 2, 3, 4, 5], [0, 0, 7, 100, 4095, 5000]])


def config(**changes: object) -> Config:
    plain = {"shape": "encoder", "vocabulary": 5, "width": H * K, "layers": 1, "heads": H}
    return Config(**plain | {"positions": "rotary"} | changes)


def drawn(dtype: torch.dtype = torch.float32) -> Tensor:
    random = torch.Generator().manual_seed(0)
    return torch.randn(B, H, T, K, generator=random, dtype=torch.float64).to(dtype)


def by_loop(x: Tensor, base: float, width: int, layout: str) -> Tensor:
    out = x.double().clone()
    for b, h, t in torch.cartesian_prod(*map(torch.arange, (B, H, T))).tolist():
        row, place = x[b, h, t].double().tolist(), int(PLACES[b, t])
        turned = brute_force.rotated(row, place, base, width, layout)
        out[b, h, t] = torch.tensor(turned, dtype=torch.float64)
    return out


def test_half_split_is_llamas() -> None:
    theirs = LlamaRotaryEmbedding(
        LlamaConfig(hidden_size=H * K, num_attention_heads=H, rope_theta=500.0)
    )
    x = drawn()
    expected, _ = apply_rotary_pos_emb(x, x, *theirs(x, PLACES))
    found = Rotary(config(rotary_base=500.0))(x, PLACES)
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("layout", ["interleaved", "half-split"])
@pytest.mark.parametrize("width", [8, 4, 2])
def test_both_layouts_are_the_loop(layout: str, width: int) -> None:
    rotary = Rotary(config(rotary_layout=layout, rotary_width=width))
    expected = by_loop(drawn(), 10000.0, width, layout)
    torch.testing.assert_close(rotary(drawn(), PLACES).double(), expected, rtol=0, atol=2e-3)
    near = (PLACES < 200)[:, None, :, None].expand(-1, H, -1, K)
    found = rotary(drawn(), PLACES).double()[near]
    torch.testing.assert_close(found, expected[near], rtol=0, atol=2e-5)


def test_the_layouts_differ() -> None:
    one, other = (Rotary(config(rotary_layout=x)) for x in ("interleaved", "half-split"))
    assert not one(drawn(), PLACES).allclose(other(drawn(), PLACES), atol=0.1)


@pytest.mark.parametrize("precision", [torch.bfloat16, torch.float16])
def test_angles_are_never_computed_in_half_precision(precision: torch.dtype) -> None:
    """At position 5000 a frequency of three digits would be off by whole turns."""
    rotary = Rotary(config()).to(precision)
    assert rotary.frequencies.dtype == torch.float32
    x = drawn(precision)
    expected = by_loop(x, 10000.0, K, "half-split")
    found = rotary(x, PLACES)
    assert found.dtype == precision
    torch.testing.assert_close(found.double(), expected, rtol=0.01, atol=0.02)


def test_slopes_keep_their_precision() -> None:
    alibi = Alibi(config(positions="alibi", heads=12, width=12 * K), "both")
    alibi.to(torch.bfloat16)
    assert alibi.slopes.tolist() == pytest.approx(brute_force.slopes(12), rel=1e-6)


@pytest.mark.parametrize("direction", ["both", "back"])
@pytest.mark.parametrize(("buckets", "farthest"), [(32, 128), (16, 64), (8, 20)])
def test_buckets_are_t5s(direction: str, buckets: int, farthest: int) -> None:
    ahead = torch.arange(-300, 301)
    expected = T5Attention._relative_position_bucket(
        ahead, direction == "both", num_buckets=buckets, max_distance=farthest
    )
    thresholds = bucket_thresholds(buckets, farthest, direction)
    query, keys = torch.full((1, 1), 300), ahead[None] + 300
    found = bucket.compute(query, keys, thresholds=thresholds, direction=direction)
    assert found[0, 0].equal(expected)
    loop = [brute_force.bucket(at, direction, buckets, farthest) for at in ahead.tolist()]
    assert found[0, 0].tolist() == loop


def test_each_head_has_its_own_column_of_the_table() -> None:
    relative = Relative(config(positions="relative"), "both")
    bias = relative(Mask.of(torch.zeros(1, T, dtype=torch.long)))
    for head, t, s in torch.cartesian_prod(*map(torch.arange, (H, T, T))).tolist():
        row = brute_force.bucket(s - t, "both", 32, 128)
        assert bias[0, head, t, s] == relative.table.weight[row, head]


PAPER = {8: [2.0**-i for i in range(1, 9)]}
PAPER[12] = PAPER[8] + [2.0 ** -(i / 2) for i in (1, 3, 5, 7)]


@pytest.mark.parametrize("heads", [8, 12])
def test_slopes_are_the_papers(heads: int) -> None:
    assert alibi_slopes(heads).tolist() == pytest.approx(PAPER[heads], rel=1e-6)


@pytest.mark.parametrize("heads", [1, 2, 3, 6, 8, 12, 20])
def test_slopes_are_blooms(heads: int) -> None:
    bloom = build_alibi_tensor(torch.ones(1, 2), heads, torch.float32)
    assert alibi_slopes(heads).tolist() == pytest.approx(bloom[:, 0, 1].tolist(), rel=1e-6)
    assert alibi_slopes(heads).tolist() == pytest.approx(brute_force.slopes(heads), rel=1e-6)


def waves(places: Tensor, width: int, layout: str) -> Tensor:
    return sinusoid.compute(places, width=width, base=10000.0, layout=layout)


@pytest.mark.parametrize("layout", ["interleaved", "half-split"])
@pytest.mark.parametrize("width", [2, 16])
def test_waves_are_the_papers(layout: str, width: int) -> None:
    for b in range(B):
        loop = [brute_force.wave(place, width, layout) for place in PLACES[b].tolist()]
        expected = torch.tensor(loop, dtype=torch.float64)
        torch.testing.assert_close(waves(PLACES, width, layout)[b], expected)


def test_waves_in_halves_are_marians() -> None:
    marian = MarianSinusoidalPositionalEmbedding(600, 16)
    marian.weight.data.copy_(marian.create_weight())
    found = waves(torch.arange(600)[None], 16, "half-split")[0].float()
    torch.testing.assert_close(found, marian.weight.data)


def test_positions_count_real_tokens() -> None:
    real = torch.tensor([[False, False, True, True], [True, False, True, False]])
    assert Mask(real, padded=True).positions.tolist() == [[0, 0, 0, 1], [0, 0, 1, 1]]
