"""GGUF: one file with a Llama in it, its weights whole or squeezed, and its tokenizer."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from models_answers import answer, apart, theirs
from safetensors.torch import load_file
from torch import Tensor

import pellucid
from pellucid import PellucidError, UsageError
from pellucid.checks.theirs import quiet
from pellucid.models.gguf import NAMES

gguf = pytest.importorskip("gguf", reason="gguf is not installed")

Specimen = Callable[[str], Path]
Write = Callable[..., Path]

QUESTION = "<|im_start|>user\nWhat is 7 × 1,024, please?<|im_end|>\n<|im_start|>assistant\n"


def side_by_side(rows: Tensor, heads: int) -> Tensor:
    """Llama.cpp's own way from Hugging Face's order of rotary pairs to GGUF's."""
    return (
        rows.reshape(heads, 2, rows.shape[0] // heads // 2, *rows.shape[1:])
        .swapaxes(1, 2)
        .reshape(rows.shape)
    )


def shortened(name: str) -> str:
    """GGUF's name for one of Hugging Face's."""
    stem, _, kind = name.rpartition(".")
    layer = next((part for part in stem.split(".") if part.isdigit()), "")
    pattern = stem.replace(f".{layer}.", ".*.") if layer else stem
    back = {long: short for short, long in NAMES.items()}
    return f"{back[pattern].replace('*', layer)}.{kind}"


@pytest.fixture
def write(specimen: Specimen, tmp_path: Path) -> Write:
    """A function that writes the specimen of Llama, with further fields and tensors."""

    def writes(fields: dict[str, Any] | None = None, extra: tuple[str, ...] = ()) -> Path:
        model = pellucid.load(specimen("Llama"))
        path = tmp_path / "small.gguf"
        writer = gguf.GGUFWriter(path, "llama")
        for key, value in (numbers(model.config) | (fields or {})).items():
            add(writer, key, value)
        heads = {"q_proj": model.config.heads, "k_proj": model.config.groups}
        for key, tensor in load_file(specimen("Llama") / "model.safetensors").items():
            turned = next((n for part, n in heads.items() if part in key), 0)
            rows = side_by_side(tensor, turned) if turned else tensor
            writer.add_tensor(shortened(key), rows.numpy())
        for key in extra:
            writer.add_tensor(key, np.ones(2, np.float32))
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return path

    return writes


def numbers(config: pellucid.Config) -> dict[str, Any]:
    return {
        "llama.embedding_length": config.width,
        "llama.block_count": config.layers,
        "llama.attention.head_count": config.heads,
        "llama.attention.head_count_kv": config.groups,
        "llama.feed_forward_length": config.inner,
        "llama.context_length": config.longest,
        "llama.attention.layer_norm_rms_epsilon": config.epsilon,
        "llama.rope.freq_base": config.rotary_base,
        "llama.vocab_size": config.vocabulary,
    }


def add(writer: Any, key: str, value: Any) -> None:
    kinds = {bool: "bool", int: "uint32", float: "float32", str: "string", list: "array"}
    getattr(writer, f"add_{kinds[type(value)]}")(key, value)


def test_the_same_weights_give_the_same_numbers(write: Write, specimen: Specimen) -> None:
    expected = pellucid.load(specimen("Llama"))
    assert apart(answer(pellucid.load(write())), answer(expected)) <= 1e-6


def test_heads_of_another_width(write: Write, specimen: Specimen) -> None:
    said = {"llama.attention.key_length": 4, "llama.attention.value_length": 4}
    found = pellucid.load(write(fields=said | {"llama.rope.dimension_count": 4}))
    assert apart(answer(found), answer(pellucid.load(specimen("Llama")))) <= 1e-6


def test_positions_that_are_stretched_evenly(write: Write) -> None:
    said = {"llama.rope.scaling.type": "linear", "llama.rope.scaling.factor": 4.0}
    assert pellucid.load(write(fields=said)).config.rotary_scaling == (4.0,)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"llama.rope.dimension_count": 2}, "llama.rope.dimension_count = 2"),
        ({"llama.attention.value_length": 8}, "llama.attention.value_length = 8"),
        ({"llama.expert_count": 8}, "llama.expert_count = 8"),
        ({"llama.attention.sliding_window": 64}, "llama.attention.sliding_window = 64"),
        ({"llama.logit_scale": 0.5}, "llama.logit_scale = 0.5"),
        ({"llama.rope.scaling.type": "yarn"}, "rope_type = 'yarn'"),
        ({"llama.rope.scaling.type": "linear"}, "setting of the wrong kind"),
        ({"llama.block_count": 2}, "what config.json denies"),
        ({"llama.block_count": 4}, "The weights lack model.layers.3."),
        ({"llama.attention.head_count": [4, 4, 2]}, "is no llama that can be read"),
    ],
)
def test_what_is_not_followed_is_refused(fields: dict[str, Any], said: str, write: Write) -> None:
    with pytest.raises(PellucidError) as error:
        pellucid.load(write(fields=fields))
    assert said in str(error.value)


def test_what_says_nothing_is_passed_over(write: Write) -> None:
    pellucid.load(write(fields={"llama.expert_count": 0, "llama.rope.scaling.type": "none"}))


def test_frequencies_of_llama_3_are_refused(write: Write) -> None:
    with pytest.raises(PellucidError, match=r"rope_freqs.weight; stretched positions"):
        pellucid.load(write(extra=("rope_freqs.weight",)))


def test_another_architecture_is_named(tmp_path: Path) -> None:
    writer = gguf.GGUFWriter(tmp_path / "other.gguf", "falcon")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with pytest.raises(PellucidError, match="holds a 'falcon' model; of GGUF only llama is read"):
        pellucid.load(tmp_path / "other.gguf")


@pytest.mark.parametrize("kept", [0, 4, 100, 2000, -100])
def test_a_file_cut_short(kept: int, write: Write) -> None:
    path = write()
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(PellucidError, match=r"small.gguf is broken or no GGUF file"):
        pellucid.load(path)


def test_without_the_package_it_says_which(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write()
    monkeypatch.setitem(sys.modules, "gguf", None)
    with pytest.raises(PellucidError, match=r"pip install 'pellucid\[gguf\]'"):
        pellucid.load(path)


def test_without_a_tokenizer_it_takes_ids_only(write: Write) -> None:
    model = pellucid.load(write())
    assert not model.has_tokenizer
    with pytest.raises(UsageError, match=r"no tokenizer that can be read .* or give it ids"):
        model.see("a text")


def test_a_tokenizer_as_llamas(write: Write) -> None:
    pieces = ["<unk>", "<s>", "</s>", "▁", "a", "t", "b", "▁a", "at", "▁b", "▁bat", "<0x0A>"]
    merged = {"▁a": -1.0, "at": -2.0, "▁b": -3.0, "▁bat": -4.0}
    kinds = {"<unk>": 2, "<s>": 3, "</s>": 3, "<0x0A>": 6}
    fields = {
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": pieces,
        "tokenizer.ggml.scores": [merged.get(piece, -9.0) for piece in pieces],
        "tokenizer.ggml.token_type": [kinds.get(piece, 1) for piece in pieces],
        "tokenizer.ggml.bos_token_id": 1,
    }
    tokenizer = pellucid.load(write(fields=fields)).tokenizer
    assert tokenizer.encode("a bat").pieces == ("<s>", "▁a", "▁bat")
    assert tokenizer.encode("a\n").pieces == ("<s>", "▁a", "<0x0A>")
    assert tokenizer.decode([1, 7, 10, 11]) == "a bat\n"


def test_a_tokenizer_as_gpt2s(write: Write) -> None:
    pieces = ["<e>", "Ġ", "a", "t", "at", "<", ">", "<at>", "<s>"]
    fields = {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.tokens": pieces,
        "tokenizer.ggml.merges": ["a t"],
        "tokenizer.ggml.token_type": [3, 1, 1, 1, 1, 1, 1, 4, 3],
        "tokenizer.ggml.bos_token_id": 8,
        "tokenizer.ggml.eos_token_id": 0,
    }
    tokenizer = pellucid.load(write(fields=fields)).tokenizer
    assert tokenizer.encode("at <at>").pieces == ("at", "Ġ", "<at>")
    assert tokenizer.decode([4, 1, 7]) == "at <at>"
    ends = {"tokenizer.ggml.add_eos_token": True, "tokenizer.ggml.add_bos_token": True}
    tokenizer = pellucid.load(write(fields=fields | ends)).tokenizer
    assert tokenizer.encode("at").pieces == ("<s>", "at", "<e>")
    del ends["tokenizer.ggml.add_bos_token"]
    tokenizer = pellucid.load(write(fields=fields | ends)).tokenizer
    assert tokenizer.encode("at").pieces == ("at", "<e>")


@pytest.fixture(scope="module")
def smol(smollm2: Path) -> pellucid.Model:
    return pellucid.load(smollm2)


def ids(model: pellucid.Model) -> Tensor:
    return torch.tensor([model.tokenizer.encode(QUESTION).ids])


@torch.no_grad()
def test_smollm2_is_what_transformers_reads(smol: pellucid.Model, smollm2: Path) -> None:
    pytest.importorskip("accelerate", reason="transformers reads GGUF with accelerate")
    with quiet(transformers):
        read = transformers.AutoModelForCausalLM.from_pretrained(
            smollm2.parent, gguf_file=smollm2.name
        )
    assert apart(smol(ids(smol)).logits, read.eval()(ids(smol)).logits) <= 1e-5


@torch.no_grad()
def test_smollm2_saved_is_read_by_others(smol: pellucid.Model, tmp_path: Path) -> None:
    saved = smol.save(tmp_path / "smollm2")
    given, ours = ids(smol), smol(ids(smol)).logits
    assert apart(ours, theirs(saved)(given).logits) <= 1e-5
    assert torch.equal(pellucid.load(saved)(given).logits, ours)
    tokenizer = transformers.AutoTokenizer.from_pretrained(saved)
    assert tokenizer(QUESTION).input_ids == given[0].tolist()
