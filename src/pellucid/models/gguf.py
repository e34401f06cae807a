"""Llama checkpoints in a GGUF file, read through the `gguf` package (an extra).

Quantized weights are restored to the precision asked for. GGUF keeps rotary pairs side by side;
the rows of query and key are put back half a head apart, as in Hugging Face's layout.
"""

import re
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from pellucid.errors import PellucidError
from pellucid.models.checkpoint import build
from pellucid.models.model import Model
from pellucid.text.gguf import tokenizer_of

# their names: GGUF's and Hugging Face's
NAMES = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
    "blk.*.attn_norm": "model.layers.*.input_layernorm",
    "blk.*.attn_q": "model.layers.*.self_attn.q_proj",
    "blk.*.attn_k": "model.layers.*.self_attn.k_proj",
    "blk.*.attn_v": "model.layers.*.self_attn.v_proj",
    "blk.*.attn_output": "model.layers.*.self_attn.o_proj",
    "blk.*.ffn_norm": "model.layers.*.post_attention_layernorm",
    "blk.*.ffn_gate": "model.layers.*.mlp.gate_proj",
    "blk.*.ffn_up": "model.layers.*.mlp.up_proj",
    "blk.*.ffn_down": "model.layers.*.mlp.down_proj",
}
SETTINGS = {
    "hidden_size": "llama.embedding_length",
    "num_hidden_layers": "llama.block_count",
    "num_attention_heads": "llama.attention.head_count",
    "num_key_value_heads": "llama.attention.head_count_kv",
    "head_dim": "llama.attention.key_length",
    "intermediate_size": "llama.feed_forward_length",
    "max_position_embeddings": "llama.context_length",
    "rms_norm_eps": "llama.attention.layer_norm_rms_epsilon",
    "rope_theta": "llama.rope.freq_base",
    "bos_token_id": "tokenizer.ggml.bos_token_id",
    "eos_token_id": "tokenizer.ggml.eos_token_id",
}
SAME = ("llama.rope.dimension_count", "llama.attention.value_length")  # as the key's width
KIND, FACTOR = "llama.rope.scaling.type", "llama.rope.scaling.factor"
KNOWN = {*SETTINGS.values(), *SAME, KIND, FACTOR, "llama.vocab_size"}
FREQUENCIES = "rope_freqs.weight"  # what Llama 3's stretching makes of them


def load_gguf(path: Path, dtype: torch.dtype = torch.float32) -> Model:
    """The Llama model in a GGUF file."""
    file = _open(path)
    fields = {name: field.contents() for name, field in file.fields.items()}
    architecture = fields.get("general.architecture")
    if architecture != "llama":
        raise PellucidError(f"{path} holds a {architecture!r} model; of GGUF only llama is read.")
    try:
        weights = Quantized(file, fields)
        model = build(settings_of(fields, weights), weights, dtype)
    except (LookupError, TypeError, ValueError) as error:
        raise PellucidError(f"{path} is no llama that can be read ({error!r}).") from error
    model.name = path.stem
    try:
        model.tokenizer = tokenizer_of(fields)
    except Exception as error:  # without one it can still be given ids
        model.no_tokenizer = f"{path} has no tokenizer that can be read ({error})."
    return model


def settings_of(fields: dict[str, Any], weights: "Quantized") -> dict[str, Any]:
    """What config.json would say."""
    check_followed(fields, weights)
    settings = {ours: fields[theirs] for ours, theirs in SETTINGS.items() if theirs in fields}
    if fields.get(KIND, "none") != "none":
        settings["rope_scaling"] = {"rope_type": fields[KIND], "factor": fields.get(FACTOR)}
    return {
        **settings,
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "vocab_size": weights.shapes["model.embed_tokens.weight"][0],
        "tie_word_embeddings": "lm_head.weight" not in weights.shapes,
    }


def check_followed(fields: dict[str, Any], weights: "Quantized") -> None:
    """Refuse what the file says and our layers do not follow, instead of ignoring it."""
    width = fields["llama.embedding_length"] // fields["llama.attention.head_count"]
    width = fields.get("llama.attention.key_length", width)
    odd = [name for name in SAME if fields.get(name, width) != width]
    odd += [name for name in fields if name.startswith("llama.") and name not in KNOWN]
    if said := [name for name in odd if fields[name]]:
        raise PellucidError(f"The file says {said[0]} = {fields[said[0]]}, which is not followed.")
    if FREQUENCIES in weights.shapes:
        raise PellucidError(f"The file has {FREQUENCIES}; stretched positions are not read here.")


class Quantized:
    """Tensors of a GGUF file under Hugging Face's names, restored when they are read."""

    def __init__(self, file: Any, fields: dict[str, Any]) -> None:
        self._tensors = {translated(tensor.name): tensor for tensor in file.tensors}
        self.shapes = {
            name: tuple(int(size) for size in reversed(tensor.shape))
            for name, tensor in self._tensors.items()
        }
        heads = fields["llama.attention.head_count"]
        groups = fields.get("llama.attention.head_count_kv", heads)
        self._heads = {"q_proj": heads, "k_proj": groups}

    def read(self, name: str) -> Tensor:
        """One tensor, restored to float32."""
        from gguf.quants import dequantize

        found = self._tensors[name]
        tensor = torch.from_numpy(dequantize(found.data, found.tensor_type).copy())
        heads = next((n for part, n in self._heads.items() if f".{part}." in name), 0)
        return half_split(tensor, heads) if heads else tensor


def half_split(rows: Tensor, heads: int) -> Tensor:
    """Rows whose rotary pairs lie side by side, put half a head apart."""
    return rows.unflatten(0, (heads, -1, 2)).transpose(1, 2).flatten(0, 2)


def translated(name: str) -> str:
    """Hugging Face's name for one of GGUF's."""
    stem, _, kind = name.rpartition(".")
    found = re.search(r"\.(\d+)\.", stem)
    pattern = re.sub(r"\.\d+\.", ".*.", stem)
    known = NAMES.get(pattern, stem)
    return f"{known.replace('*', found[1]) if found else known}.{kind}"


def _open(path: Path) -> Any:
    try:
        from gguf import GGUFReader
    except ImportError as error:
        raise PellucidError(
            "Reading GGUF needs a package: pip install 'pellucid[gguf]'."
        ) from error
    try:
        return GGUFReader(path)
    except Exception as error:  # the package raises whatever its parsing meets
        raise PellucidError(f"{path} is broken or no GGUF file ({error}).") from error
