"""Checkpoints that are wrong: one sentence that names what is wrong, and nothing made up."""

import json
import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import BertConfig, BertModel

import pellucid
from pellucid import PellucidError, UsageError

pytestmark = pytest.mark.usefixtures("unchecked")

Weights = dict[str, Tensor]
LAYER = "encoder.layer.1"
QUERY, NORM = f"{LAYER}.attention.self.query.weight", f"{LAYER}.output.LayerNorm.bias"


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small BERT that can be loaded."""
    here = tmp_path_factory.mktemp("sound")
    sizes = {"hidden_size": 12, "num_hidden_layers": 2, "num_attention_heads": 3}
    sizes |= {"intermediate_size": 20, "vocab_size": 7, "max_position_embeddings": 9}
    BertModel(BertConfig(**sizes)).save_pretrained(here)
    (here / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nbank\nriver\n")
    return here


@pytest.fixture
def folder(sound: Path, tmp_path: Path) -> Path:
    """A copy of it to break."""
    return Path(shutil.copytree(sound, tmp_path / "broken"))


def refused(folder: Path, kind: type[PellucidError] = PellucidError) -> str:
    with pytest.raises(PellucidError) as error:
        pellucid.load(folder)
    assert type(error.value) is kind
    assert "\n" not in str(error.value)
    return str(error.value)


def test_the_sound_one_is_loaded(folder: Path) -> None:
    assert pellucid.load(folder).see("river bank").verify().worst.difference < 1e-5


def with_settings(folder: Path, **changes: Any) -> None:
    path = folder / "config.json"
    settings = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({name: x for name, x in settings.items() if x is not ...}))


SETTINGS: dict[str, tuple[dict[str, Any], str]] = {
    "no width": ({"hidden_size": ...}, "config.json lacks 'hidden_size', which this family needs."),
    "no layers": ({"num_hidden_layers": None}, "lacks 'num_hidden_layers'"),
    "a word for a width": ({"hidden_size": "12"}, "width is '12'; expected is a whole number"),
    "a broken width": ({"hidden_size": 12.5}, "width is 12.5; expected is a whole number"),
    "a list of heads": ({"num_attention_heads": [3]}, "heads is [3]; expected is a whole number"),
    "negative inner": ({"intermediate_size": -20}, "inner is -20; expected is a whole number"),
    "heads that do not divide": (
        {"num_attention_heads": 5}, "The width 12 cannot be cut into 5 equal heads.",
    ),
    "no heads": ({"num_attention_heads": 0}, "must each be at least 1."),
    "a word for epsilon": ({"layer_norm_eps": "1e-12"}, "epsilon is '1e-12'; expected is a number"),
    "too much dropout": ({"hidden_dropout_prob": 2.0}, "A dropout of 1 or more leaves nothing"),
    "an unknown activation": (
        {"hidden_act": "mish"}, "config.json says hidden_act = 'mish'; known are gelu, gelu_new, ",
    ),
    "a decoder": ({"is_decoder": True}, "says is_decoder = True; followed is only False."),
    "relative positions": (
        {"position_embedding_type": "relative_key"}, "position_embedding_type = 'relative_key'",
    ),
    "another width": (
        {"hidden_size": 24},
        "The weights contradict config.json: embeddings.word_embeddings.weight is [7, 12], not "
        "[7, 24], ",
    ),
    "another vocabulary": (
        {"vocab_size": 8},
        "The weights contradict config.json: embeddings.word_embeddings.weight is [7, 12], not "
        "[8, 12].",
    ),
    "more layers": (
        {"num_hidden_layers": 3}, "The weights lack bert.encoder.layer.2.attention.",
    ),
    "fewer layers": (
        {"num_hidden_layers": 1}, "The weights hold what config.json denies: encoder.layer.1.",
    ),
    "an enormous width": (
        {"hidden_size": 3 * 10**15}, "config.json describes a model that cannot be built",
    ),
    "an enormous table": ({"max_position_embeddings": 10**18}, "a model that cannot be built"),
    "layers for ever": (
        {"num_hidden_layers": 10**9}, "config.json describes a model that cannot be built",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "sentence"), SETTINGS.values(), ids=SETTINGS)
def test_a_config_that_is_wrong_is_refused(
    changes: dict[str, Any], sentence: str, folder: Path
) -> None:
    with_settings(folder, **changes)
    with pytest.raises(PellucidError) as error:
        pellucid.load(folder)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("bart2", "bart"), ("gpt", "gpt2"), ("roberta-xl", "roberta"), ("lama", "llama")],
)
def test_an_unknown_architecture_is_named_and_so_is_the_nearest(
    name: str, nearest: str, folder: Path
) -> None:
    with_settings(folder, model_type=name)
    sentence = refused(folder)
    assert sentence.startswith(f"config.json says model_type = {name!r}; known are ")
    assert sentence.endswith(f" The nearest is {nearest}.")
    assert all(f" {known}" in sentence for known in ("bert", "gpt2", "t5", "llama"))


@pytest.mark.parametrize("name", [..., None, 7, [], "zzzzzz"])
def test_no_architecture_at_all(name: Any, folder: Path) -> None:
    with_settings(folder, model_type=name)
    assert refused(folder).startswith("config.json says model_type = ")


NO_JSON = {
    "empty": (b"", "is not valid JSON"),
    "cut off": (b'{"model_type": "be', "is not valid JSON"),
    "a list": (b"[1, 2]", "holds no settings; expected a JSON object."),
    "a number": (b"7", "holds no settings; expected a JSON object."),
    "Latin-1": ('{"name": "Köln"}'.encode("latin-1"), "is not valid JSON"),
    "deep": (b"[" * 100_000, "is not valid JSON"),
}


@pytest.mark.parametrize(("data", "sentence"), NO_JSON.values(), ids=NO_JSON)
def test_a_config_that_is_no_json_is_refused(data: bytes, sentence: str, folder: Path) -> None:
    (folder / "config.json").write_bytes(data)
    assert f"{folder / 'config.json'} {sentence}" in refused(folder)


def rename(weights: Weights, old: str, new: str) -> None:
    weights[new] = weights.pop(old)


CHANGES: dict[str, tuple[Callable[[Weights], object], str]] = {
    "one missing": (
        lambda w: w.pop(QUERY), f"The weights lack bert.{QUERY}.",
    ),
    "many missing": (
        lambda w: [w.pop(name) for name in list(w) if "layer.1" in name],
        "The weights lack bert.encoder.layer.1.attention.",
    ),
    "one misspelt": (
        lambda w: rename(w, NORM, f"{NORM}es"), f"The weights lack bert.{NORM}.",
    ),
    "one turned": (
        lambda w: w.update({f"{LAYER}.intermediate.dense.weight": torch.zeros(12, 20)}),
        "The weights contradict config.json: encoder.layer.1.intermediate.dense.weight is "
        "[12, 20], not [20, 12].",
    ),
    "one of other dimensions": (
        lambda w: w.update({QUERY: torch.zeros(144)}),
        f"The weights contradict config.json: {QUERY} is [144], not [12, 12].",
    ),
    "one too large": (
        lambda w: w.update({NORM: torch.zeros(13)}),
        f"The weights contradict config.json: {NORM} is [13], not [12].",
    ),
    "one of whole numbers": (
        lambda w: w.update({QUERY: torch.zeros(12, 12, dtype=torch.int8)}), f"{QUERY} is int8; ",
    ),
    "not a number": (
        lambda w: w[QUERY].__setitem__((3, 4), float("nan")),
        f"The weights are not numbers (NaN) in {QUERY}.",
    ),
    "half a pooler": (lambda w: w.pop("pooler.dense.bias"), "lack bert.pooler.dense.bias."),
    "nothing": (lambda w: [w.pop(name) for name in list(w)[1:]], "The weights lack bert."),
}  # fmt: skip


@pytest.mark.parametrize(("change", "sentence"), CHANGES.values(), ids=CHANGES)
def test_weights_that_are_wrong_are_named(
    change: Callable[[Weights], object], sentence: str, folder: Path
) -> None:
    weights = load_file(folder / "model.safetensors")
    change(weights)
    save_file(weights, folder / "model.safetensors")
    assert sentence in refused(folder)


def test_weights_that_are_not_used_are_named(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    save_file(weights | {"strange.thing": torch.zeros(3)}, folder / "model.safetensors")
    with pytest.warns(UserWarning, match=r"^Weights that are not used: strange\.thing\.$"):
        model = pellucid.load(folder)
    assert "strange" not in str(model.state_dict().keys())


def test_a_pooler_is_there_only_if_its_weights_are(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    bare = {name: tensor for name, tensor in weights.items() if not name.startswith("pooler")}
    save_file(bare, folder / "model.safetensors")
    assert pellucid.load(folder)(torch.tensor([[1, 2]])).pooled is None


def huge(data: bytes) -> bytes:
    return struct.pack("<Q", 2**60) + data[8:]


FILES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "seven bytes": lambda data: data[:7],
    "half the header": lambda data: data[:300],
    "half the numbers": lambda data: data[: len(data) // 2],
    "the last byte missing": lambda data: data[:-1],
    "a byte too many": lambda data: data + b"x",
    "a huge header": huge,
    "a web page": lambda _: b"<!DOCTYPE html><html><body>404</body></html>",
    "a pointer": lambda _: b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
    "a pickle": lambda _: b"\x80\x04\x95\x00\x00\x00\x00",
}


@pytest.mark.parametrize("change", FILES.values(), ids=FILES)
def test_a_file_that_is_no_safetensors_file_is_refused(
    change: Callable[[bytes], bytes], folder: Path
) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(change(path.read_bytes()))
    assert f"{path} is broken or no safetensors file" in refused(folder)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("config.json", "has no config.json; give the"), ("model.safetensors", "has no weights; exp")],
)
def test_a_file_that_is_missing_is_named(name: str, sentence: str, folder: Path) -> None:
    (folder / name).unlink()
    assert f"{folder} {sentence}" in refused(folder, UsageError)


def test_no_folder_at_all(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        pellucid.load(tmp_path / "nowhere")
    assert str(tmp_path / "nowhere") in str(error.value)
    with pytest.raises(UsageError, match=r"There is no model 'mose' \(did you mean 'mouse'\?\)"):
        pellucid.load("mose")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "The text is empty; give at least one word."),
        (" \n\t", "The text is empty; give at least one word."),
        ([], "0 texts came; give at least one, and as many sources as targets."),
        (["bank", ""], "The text is empty; give at least one word."),
        ("bank \ud800", "The text is not valid UTF-8 at character 5; save it as UTF-8."),
        ("river " * 8, "The text has 10 tokens; this model reads at most 9. Shorten it."),
    ],
)
def test_a_text_that_cannot_be_read(text: str | list[str], sentence: str, sound: Path) -> None:
    model = pellucid.load(sound)
    for ask in (model.see, model.forecast, model.read):
        with pytest.raises(UsageError) as error:
            ask(text)
        assert str(error.value) == sentence


def test_ids_beyond_the_models_length(sound: Path) -> None:
    with pytest.raises(UsageError, match=r"The text has 10 tokens; this model reads at most 9\."):
        pellucid.load(sound)(torch.zeros(1, 10, dtype=torch.long))


def test_one_text_too_many(sound: Path) -> None:
    with pytest.raises(UsageError, match=r"This model takes 1 \(tokens\); 2 came\."):
        pellucid.load(sound).see("bank", "river")
