"""The equalities hold, and each of them can fail: a broken model is found, where it is broken."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import zoo
from torch import Tensor

import pellucid
from pellucid import UsageError
from pellucid.checks import equalities
from pellucid.checks.causal import causal
from pellucid.checks.equalities import check
from pellucid.checks.rows import EXACT, TOLERANCE, Rows
from pellucid.checks.specimens import SPECIMENS
from pellucid.formula.places import count, reach
from pellucid.models import mouse
from pellucid.models.checkpoint import load_without_tokenizer
from pellucid.models.model import Model
from pellucid.nn import attention, block
from pellucid.nn.cache import Past
from pellucid.nn.mask import Mask
from pellucid.record import note
from pellucid.record.trace import Trace

ALWAYS = [
    "batched = alone",
    "padded on the right = not padded",
    "padded on the left = not padded",
    "fused = plain",
    "itself = recomputed in float64",
    "looked-at = not",
    "trace saved and loaded",
    "weights saved and loaded",
    "model saved and loaded",
]
PACKED = "packed = padded"
CACHED = "cached = uncached"
LEAK = "before another token = as before"
TO_THE_BIT = {"looked-at = not", LEAK, "trace saved and loaded", "weights saved and loaded"}


def hold(model: Model) -> None:
    """All equalities that the model can have were checked, and none fails."""
    rows = check(model)
    assert not rows.failed, f"\n{rows.failed.listed()}"
    groups = rows.by("check")
    leak = [LEAK] * (model.config.shape != "encoder")
    packing = [PACKED] * (model.config.shape != "encoder-decoder")
    cached = [CACHED] * (model.config.shape != "encoder" and model.streams[-1] != "source")
    assert sorted(groups) == sorted(ALWAYS + leak + packing + cached)
    for name, group in groups.items():
        assert {row.tolerance for row in group} == {EXACT if name in TO_THE_BIT else TOLERANCE}


def failing(rows: Rows) -> set[str]:
    return {row.name for row in rows.failed}


@pytest.mark.parametrize("name", SPECIMENS)
def test_they_hold_in_every_family(name: str, specimen: Callable[[str], Path]) -> None:
    hold(load_without_tokenizer(specimen(name)))


@pytest.mark.parametrize("name", ["alibi", "batch", "bare", "interleaved", "relative decoder"])
def test_they_hold_in_models_of_no_family(name: str) -> None:
    hold(zoo.build(name))


@pytest.mark.parametrize("name", mouse.MICE)
def test_they_hold_in_the_mice(name: str) -> None:
    hold(pellucid.load(name))


def test_they_hold_in_a_real_model(minilm: Path) -> None:
    hold(load_without_tokenizer(minilm))


def test_they_hold_in_a_real_encoder_decoder(shared: Path) -> None:
    hold(load_without_tokenizer(shared / "data" / "weights-bart-g2p-us"))


def test_a_layer_that_looks_at_batch_mates_is_found() -> None:
    model = zoo.build("decoder")
    mingle: Any = lambda layer, given, made: made + made.mean(dim=0, keepdim=True)  # noqa: E731
    model.decoder.layers[0].register_forward_hook(mingle)
    found = failing(equalities.batched(model))
    assert "decoder.1.attention.query" in found
    assert "decoder.0.output" not in found


def test_a_cache_that_loses_a_token_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    keep = Past.extended
    lost = lambda past, k, v: keep(past, k * 0, v)  # noqa: E731
    monkeypatch.setattr(Past, "extended", lost)
    assert failing(equalities.cached(zoo.build("decoder"))) == {"hidden", "logits"}


def test_positions_counted_from_the_edge_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    edge = property(lambda mask: torch.arange(mask.real.shape[-1]).expand(mask.real.shape))
    monkeypatch.setattr(Mask, "positions", edge)
    groups = equalities.padded(zoo.build("decoder")).by("check")
    assert not groups["padded on the right = not padded"].failed
    assert "embed.output" in failing(groups["padded on the left = not padded"])


def test_padding_that_is_seen_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    unmasked = lambda ids, *_: Mask(torch.ones_like(ids).bool(), False)  # noqa: E731
    monkeypatch.setattr(Mask, "of", unmasked)
    groups = equalities.padded(zoo.build("post")).by("check")
    assert "encoder.0.attention.output" in failing(groups["padded on the right = not padded"])


@pytest.mark.parametrize("name", ["post", "decoder"])
def test_texts_that_see_their_neighbours_are_found(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def seen(mask: Mask, query: Tensor, pattern: str) -> Tensor:
        return reach.compute(query, mask.real, pattern=pattern)

    monkeypatch.setattr(Mask, "allowed", seen)
    found = failing(equalities.packed(zoo.build(name)))
    assert "embed.output" not in found
    assert any(name.endswith("0.attention.output") for name in found)


def test_packed_texts_that_share_their_positions_are_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Mask, "positions", property(lambda mask: count(mask.real)))
    assert "embed.output" in failing(equalities.packed(zoo.build("decoder", longest=64)))


def test_a_kernel_that_is_off_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = attention.fused_attention
    off = lambda *given, **settings: kernel(*given, **settings) * 1.001  # noqa: E731
    monkeypatch.setattr(attention, "fused_attention", off)
    for equality in (equalities.fused, equalities.exact):
        found = failing(equality(zoo.build("t5")))
        outputs = {"encoder.0.attention.output", "decoder.1.cross.output"}
        assert outputs <= found <= {name for name in found if name.endswith(".output")}


def test_a_value_that_is_not_its_formula_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    model = zoo.build("llama")
    model.decoder.layers[1].feedforward.hidden.register_forward_hook(lambda _, __, made: made * 2)
    assert failing(equalities.fused(model)) == {"decoder.1.feedforward.output"}


def test_a_layer_that_knows_when_it_is_looked_at_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def disturb(layer: Any, output: Tensor) -> None:
        if note._listener.get() is not None:
            output += 1e-6

    monkeypatch.setattr(block, "note", disturb)
    rows = equalities.looked_at(zoo.build("decoder"))
    assert failing(rows) == {"hidden", "logits"}


@pytest.mark.parametrize("name", ["decoder", "bart"])
def test_a_decoder_that_looks_ahead_is_found_where_it_does(name: str) -> None:
    model = zoo.build(name)
    model.decoder.layers[1].attention.pattern = "full"
    found = failing(causal(model))
    assert {"decoder.1.attention.output", "decoder.output", "head.logits"} <= found
    assert not any(name.startswith(("target.", "decoder.0.", "embed.")) for name in found)


def test_a_leak_through_the_mask_alone_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without padding the kernel hides the future by itself; with padding the mask does."""
    monkeypatch.setattr(Mask, "allowed", lambda mask, query, pattern: mask.real[:, None, None])
    assert "decoder.0.attention.output" in failing(causal(zoo.build("decoder")))


def test_a_weight_that_is_lost_in_saving_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    @torch.no_grad()
    def forgetful(*given: Any) -> Model:
        loaded = load_without_tokenizer(*given)
        loaded.encoder.layers[1].attention.key.bias.zero_()
        return loaded

    monkeypatch.setattr(equalities, "load_without_tokenizer", forgetful)
    groups = equalities.saved(zoo.build("post")).by("check")
    assert failing(groups["weights saved and loaded"]) == {"encoder.layers.1.attention.key.bias"}
    assert not groups["trace saved and loaded"].failed


def test_a_trace_that_comes_back_otherwise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    load = Trace.load

    def forgetful(path: Path) -> Trace:
        trace = load(path)
        trace.held["head.logits"] = trace.held["head.logits"].half().float()
        return trace

    monkeypatch.setattr(Trace, "load", forgetful)
    groups = equalities.saved(zoo.build("decoder")).by("check")
    assert failing(groups["trace saved and loaded"]) == {"head.logits"}


def test_a_model_that_is_learning_is_refused() -> None:
    with pytest.raises(UsageError, match=r"call model.eval\(\) first"):
        check(zoo.build("decoder").train())
