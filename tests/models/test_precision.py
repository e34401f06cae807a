"""Weights written smaller: loaded like any other, and no number further off than is stated."""

import json
from pathlib import Path

import pytest
import torch
import zoo
from models_answers import theirs
from safetensors.torch import load_file, save_file

from pellucid import PellucidError, UsageError, load
from pellucid.checks.specimens import SPECIMENS
from pellucid.models.precision import halved, rounded
from pellucid.models.rounding import compared
from pellucid.models.vectors import embed

SOME = ("encoder", "decoder", "llama", "t5", "albert", "batch")


def test_a_row_of_integers_is_off_by_half_a_scale_at_most() -> None:
    matrix = torch.randn(20, 30, generator=torch.Generator().manual_seed(0))
    matrix[3] = 0
    whole, scale = rounded(matrix)
    assert whole.dtype == torch.int8
    assert int(whole.abs().max()) == 127
    apart = (matrix - whole.float() * scale[:, None]).abs()
    assert (apart <= scale[:, None] / 2 + 1e-7).all()
    assert not whole[3].any()
    assert scale[3] == 0


@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize("precision", ["bf16", "int8"])
def test_written_small_and_loaded_as_ever(name: str, precision: str, tmp_path: Path) -> None:
    model = zoo.build(name)
    again = load(model.save(tmp_path / "small", precision=precision))
    assert again.config == model.config
    assert {tensor.dtype for tensor in again.state().values()} == {torch.float32}
    found = compared(model, again, zoo.SENTENCES[:2])
    assert 0 < max(each.relative for each in found.tensors) < 0.02
    assert 0 < found.effect.hidden < 0.1
    assert len(found.tensors) <= len(model.state())
    twice = load(again.save(tmp_path / "twice", precision=precision))
    assert max((m.relative for m in compared(again, twice).tensors), default=0) < 1e-6
    whole = again.save(tmp_path / "whole")
    assert "quantization_config" not in json.loads((whole / "config.json").read_text())
    assert torch.equal(*(load(f).state()["entrance.embed.words.weight"] if name not in ("t5",)
                         else load(f).state()["source.embed.words.weight"]
                         for f in (whole, tmp_path / "small")))  # fmt: skip


def test_norms_and_biases_stay_as_they_are(tmp_path: Path) -> None:
    model = zoo.build("encoder")
    stored = load_file(model.save(tmp_path / "small", precision="int8") / "model.safetensors")
    matrices = {name for name, tensor in stored.items() if tensor.dtype == torch.int8}
    assert stored.keys() == model.state().keys()
    for name, tensor in model.state().items():
        assert (name in matrices) == (tensor.dim() == 2)
        if tensor.dim() == 1:
            assert torch.equal(stored[name], tensor)


@pytest.mark.parametrize("name", ["BERT", "GPT-2", "T5 1.1"])
def test_others_read_bf16_and_stop_at_int8(name: str, specimen, tmp_path: Path) -> None:
    assert name in SPECIMENS
    model = load(specimen(name))
    small = model.save(tmp_path / "bf16", precision="bf16")
    assert json.loads((small / "config.json").read_text())["dtype"] == "bfloat16"
    known = load(small).state()
    assert {p.dtype for p in theirs(small).parameters()} <= {torch.bfloat16, torch.float32}
    assert known.keys() == model.state().keys()
    integers = model.save(tmp_path / "int8", precision="int8")
    with pytest.raises(RuntimeError, match=r"size|shape|mismatch"):
        theirs(integers)


def test_files_grow_smaller(tmp_path: Path) -> None:
    model = zoo.build("decoder", width=64, inner=256)
    sizes = [
        (model.save(tmp_path / name, precision=name) / "model.safetensors").stat().st_size
        for name in ("float32", "bf16", "int8")
    ]
    assert sizes[0] > 1.8 * sizes[1] > 1.8 * 1.6 * sizes[2]


@pytest.mark.usefixtures("unchecked")
def test_what_is_broken_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="precision is 'int4'; the choices are float32, bf16"):
        zoo.build("encoder").save(tmp_path / "no", precision="int4")
    assert not (tmp_path / "no").exists()
    small = zoo.build("encoder").save(tmp_path / "small", precision="int8")
    path = small / "model.safetensors"
    tensors = load_file(path)
    name = next(name for name, tensor in tensors.items() if tensor.dim() == 2)
    for wrong in (tensors[name].float(), tensors[name][:, :4].clone()):
        save_file({**tensors, name: wrong}, path)
        with pytest.raises(PellucidError, match="expected are rows of int8, and behind each the 4"):
            load(small)
    save_file({**tensors, name: tensors[name][:, 1:].clone()}, path)
    with pytest.raises(PellucidError, match="contradict"):
        load(small)


def test_halved_matrices_give_nearly_the_same_vectors(minilm: Path) -> None:
    texts = ["The seal slept on the ice.", "A superb movie!", "stocks", "It rained; we read. " * 9]
    exact, half = load(minilm), load(minilm)
    halved(half)
    kinds = {type(m): {p.dtype for p in m.parameters(recurse=False)} for m in half.modules()}
    assert {torch.bfloat16} in kinds.values()
    assert kinds[type(half.encoder.layers[0].attention.norm)] == {torch.float32}
    a, b = (torch.stack([*embed(model, texts)]).double() for model in (exact, half))
    assert b.isfinite().all()
    assert (a * b).sum(-1).min() > 0.9998
    assert not torch.equal(a, b)
