"""stories260K, a real Llama of 260,032 weights, from llama2.c's file to Hugging Face's layout."""

import struct
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM

HEADER = "7i"  # width, inner width, layers, heads, key heads, vocabulary, longest


def convert(file: Path, folder: Path) -> Path:
    """Write the checkpoint without a tokenizer."""
    data = file.read_bytes()
    width, inner, layers, heads, groups, vocabulary, longest = struct.unpack_from(HEADER, data)
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=width,
        intermediate_size=inner,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=groups,
        max_position_embeddings=longest,
        rms_norm_eps=1e-5,
        tie_word_embeddings=True,
    )
    numbers = torch.frombuffer(bytearray(data[struct.calcsize(HEADER) :]), dtype=torch.float32)
    model = LlamaForCausalLM(config)
    model.load_state_dict(dict(weights(config, numbers)), strict=False)
    model.save_pretrained(folder)
    return folder


def weights(config: LlamaConfig, numbers: Tensor) -> Iterator[tuple[str, Tensor]]:
    """Their tensors by Hugging Face's names, in the order in which they lie in the file."""
    d, f, keys = config.hidden_size, config.intermediate_size, config.num_key_value_heads
    layer, at = "model.layers.{}.", 0
    for name, shape in (
        ("model.embed_tokens", (config.vocab_size, d)),
        (f"{layer}input_layernorm", (d,)),
        (f"{layer}self_attn.q_proj", (d, d)),
        (f"{layer}self_attn.k_proj", (keys * config.head_dim, d)),
        (f"{layer}self_attn.v_proj", (keys * config.head_dim, d)),
        (f"{layer}self_attn.o_proj", (d, d)),
        (f"{layer}post_attention_layernorm", (d,)),
        (f"{layer}mlp.gate_proj", (f, d)),
        (f"{layer}mlp.down_proj", (d, f)),
        (f"{layer}mlp.up_proj", (f, d)),
        ("model.norm", (d,)),
    ):
        for number in range(config.num_hidden_layers if "{}" in name else 1):
            size = torch.Size(shape).numel()
            weight = numbers[at : at + size].view(shape)
            turned = name.endswith(("q_proj", "k_proj"))
            yield f"{name.format(number)}.weight", (split(weight, config) if turned else weight)
            at += size


def split(weight: Tensor, config: LlamaConfig) -> Tensor:
    """Pairs that rotate together lie side by side there, half a head apart here."""
    pairs = weight.view(-1, config.head_dim // 2, 2, config.hidden_size)
    return pairs.transpose(1, 2).reshape(weight.shape)
