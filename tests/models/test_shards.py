"""Weights in one file or in several: all of them must be there, whole, and here."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from models_answers import answer
from safetensors.torch import load_file, save_file

import pellucid
from pellucid import PellucidError, UsageError

Specimen = Callable[[str], Path]
Weights = dict[str, torch.Tensor]

ONE, INDEX = "model.safetensors", "model.safetensors.index.json"
QUERY = "encoder.layer.1.attention.self.query.weight"


@pytest.fixture
def checkpoint(specimen: Specimen, tmp_path: Path) -> Callable[[Weights], Path]:
    """A function from weights to a checkpoint of a BERT that has them."""
    config = (specimen("BERT, body") / "config.json").read_text()

    def write(weights: Weights) -> Path:
        (tmp_path / "model").mkdir()
        (tmp_path / "model" / "config.json").write_text(config)
        save_file(weights, tmp_path / "model" / ONE)
        return tmp_path / "model"

    return write


@pytest.fixture
def weights(specimen: Specimen) -> Weights:
    found: Weights = load_file(specimen("BERT, body") / ONE)
    return found


@pytest.fixture
def sharded(checkpoint: Callable[[Weights], Path], weights: Weights) -> Path:
    """A checkpoint in three files and their index."""
    folder = checkpoint({})
    (folder / ONE).unlink()
    home: dict[str, str] = {}
    for at in range(3):
        name = f"model-{at + 1:05}-of-00003.safetensors"
        part = dict(sorted(weights.items())[at::3])
        save_file(part, folder / name)
        home |= dict.fromkeys(part, name)
    index(folder, home)
    return folder


def index(folder: Path, home: object) -> None:
    (folder / INDEX).write_text(json.dumps({"metadata": {"total_size": 1}, "weight_map": home}))


def shards(folder: Path) -> dict[str, str]:
    found: dict[str, str] = json.loads((folder / INDEX).read_text())["weight_map"]
    return found


def test_several_files_are_as_one(sharded: Path, specimen: Specimen) -> None:
    one = pellucid.load(specimen("BERT, body"))
    assert torch.equal(answer(pellucid.load(sharded)), answer(one))


def test_a_shard_is_missing(sharded: Path) -> None:
    (sharded / "model-00002-of-00003.safetensors").unlink()
    with pytest.raises(PellucidError, match=r"lacks model-00002-of-00003.safetensors, which its"):
        pellucid.load(sharded)


@pytest.mark.parametrize("kept", [0, 100, -8])
def test_a_shard_cut_short_is_named(kept: int, sharded: Path) -> None:
    path = sharded / "model-00002-of-00003.safetensors"
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(PellucidError, match=r"00002-of-00003.safetensors is broken or no safetens"):
        pellucid.load(sharded)


def test_a_shard_without_its_tensor(sharded: Path) -> None:
    shard = sharded / shards(sharded)[QUERY]
    part = load_file(shard)
    del part[QUERY]
    save_file(part, shard)
    with pytest.raises(PellucidError, match=rf"The weights lack bert.{QUERY}"):
        pellucid.load(sharded)


@pytest.mark.parametrize("where", ["../outside.safetensors", "{}/outside.safetensors", "a/b"])
def test_an_index_that_points_elsewhere_is_refused(where: str, sharded: Path) -> None:
    home = shards(sharded)
    outside = sharded.parent / "outside.safetensors"
    (sharded / home[QUERY]).rename(outside)
    where = where.format(sharded.parent)
    index(sharded, {name: where if home[name] == home[QUERY] else home[name] for name in home})
    with pytest.raises(PellucidError, match="which is no file beside it") as error:
        pellucid.load(sharded)
    assert repr(where) in str(error.value)


@pytest.mark.parametrize(
    "written", ["", "[]", "{}", '{"weight_map": 3}', '{"weight_map": {"a": 1}}']
)
def test_an_index_that_is_none(written: str, sharded: Path) -> None:
    (sharded / INDEX).write_text(written)
    with pytest.raises(PellucidError, match=r"index.json is no index of weights"):
        pellucid.load(sharded)


@pytest.mark.parametrize("kept", [0, 4, 100, -8, -1])
def test_a_file_cut_short(
    kept: int, checkpoint: Callable[[Weights], Path], weights: Weights
) -> None:
    folder = checkpoint(weights)
    (folder / ONE).write_bytes((folder / ONE).read_bytes()[:kept])
    with pytest.raises(PellucidError, match=r"model.safetensors is broken or no safetensors file"):
        pellucid.load(folder)


def test_no_weights_at_all(checkpoint: Callable[[Weights], Path]) -> None:
    folder = checkpoint({})
    (folder / ONE).unlink()
    with pytest.raises(UsageError, match=r"has no weights; expected model.safetensors, "):
        pellucid.load(folder)


def missing(weights: Weights) -> None:
    del weights[QUERY], weights["embeddings.LayerNorm.bias"]


def misshapen(weights: Weights) -> None:
    weights[QUERY] = weights[QUERY][:5].contiguous()


def flat(weights: Weights) -> None:
    weights[QUERY] = torch.tensor(1.0)


def not_numbers(weights: Weights) -> None:
    weights[QUERY][3, 2] = torch.nan


def whole_numbers(weights: Weights) -> None:
    weights[QUERY] = weights[QUERY].to(torch.int8)


def one_layer_more(weights: Weights) -> None:
    weights[QUERY.replace(".1.", ".3.")] = weights[QUERY].clone()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (missing, f"The weights lack bert.embeddings.LayerNorm.bias, bert.{QUERY}."),
        (misshapen, f"The weights contradict config.json: {QUERY} is [5, 16], not [16, 16]."),
        (flat, f"The weights contradict config.json: {QUERY} is [], not [16, 16]."),
        (not_numbers, f"The weights are not numbers (NaN) in {QUERY}."),
        (whole_numbers, f"{QUERY} is int8; read are float32, bfloat16 and float16"),
        (one_layer_more, "The weights hold what config.json denies: encoder.layer.3.attention"),
    ],
)
def test_a_spoiled_weight_is_named(
    spoil: Callable[[Weights], None],
    said: str,
    checkpoint: Callable[[Weights], Path],
    weights: Weights,
) -> None:
    spoil(weights)
    with pytest.raises(PellucidError) as error:
        pellucid.load(checkpoint(weights))
    assert str(error.value).startswith(said)


def test_what_nobody_knows_is_told_and_not_used(
    checkpoint: Callable[[Weights], Path], weights: Weights
) -> None:
    weights["adapter.down.weight"] = torch.ones(2, 2)
    with pytest.warns(UserWarning, match=r"Weights that are not used: adapter.down.weight"):
        pellucid.load(checkpoint(weights))


def test_parts_of_a_weight_of_another_size(specimen: Specimen, tmp_path: Path) -> None:
    """GPT-2 holds query, key and value in one tensor, with rows and columns exchanged."""
    weights = load_file(specimen("GPT-2") / ONE)
    name = "transformer.h.2.attn.c_attn.weight"
    weights[name] = weights[name][:, :2].contiguous()
    (tmp_path / "config.json").write_text((specimen("GPT-2") / "config.json").read_text())
    save_file(weights, tmp_path / ONE)
    with pytest.raises(PellucidError) as error:
        pellucid.load(tmp_path)
    assert f"{name} is [16, 2], not [16, 48]" in str(error.value)


@pytest.mark.parametrize("stored", [torch.float16, torch.bfloat16, torch.float64])
def test_other_precisions_are_read_as_asked(
    stored: torch.dtype, checkpoint: Callable[[Weights], Path], weights: Weights
) -> None:
    folder = checkpoint({name: tensor.to(stored) for name, tensor in weights.items()})
    for dtype in (torch.float32, torch.bfloat16):
        model = pellucid.load(folder, dtype=dtype)
        expected = weights[QUERY].to(stored).to(dtype)
        assert model.encoder.layers[1].attention.query.weight.dtype == dtype
        assert torch.equal(model.encoder.layers[1].attention.query.weight, expected)
        assert {tensor.dtype for tensor in model.state().values()} == {dtype}
