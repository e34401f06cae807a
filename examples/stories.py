"""A model that tells stories, from llama2.c's two files to the text it is known for.

    python examples/stories.py FOLDER

FOLDER holds stories260K.bin and tok512.bin (karpathy/tinyllamas): 260,032 parameters, trained on
children's stories. They are put into Hugging Face's layout, so that any tool can read them; then
the likeliest word follows the likeliest word. The author's own C program tells the same story.
"""

import argparse
import json
import struct
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from safetensors.torch import save_file
from tokenizers import processors
from torch import Tensor

import pellucid
from pellucid.models.gguf import half_split
from pellucid.models.model import Model
from pellucid.text.families.plain import followed
from pellucid.text.sentencepiece import SPACE, Piece, SentencePiece
from pellucid.text.tokenizer import Tokenizer

HEADER = ("width", "inner", "layers", "heads", "key_heads", "vocabulary", "longest")
START = 1  # <s>
LENGTH = 256  # tokens, as the C program tells


def convert(weights: Path, pieces: Path, folder: Path) -> Path:
    """Write llama2.c's weights and tokenizer in Hugging Face's layout."""
    sizes, numbers = read(weights)
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(settings(sizes)))
    save_file(dict(tensors(sizes, numbers)), folder / "model.safetensors")
    tokenizer(pieces, sizes["vocabulary"]).save(folder)
    return folder


def read(path: Path) -> tuple[dict[str, int], Tensor]:
    """The sizes that the file begins with, and all its numbers in a row."""
    header = struct.Struct("<7i")
    content = path.read_bytes()
    sizes = dict(zip(HEADER, header.unpack_from(content), strict=True))
    return sizes, torch.from_numpy(np.frombuffer(content, "<f4", offset=header.size).copy())


def settings(sizes: dict[str, int]) -> dict[str, object]:
    """What config.json says."""
    return {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "vocab_size": sizes["vocabulary"],
        "hidden_size": sizes["width"],
        "intermediate_size": sizes["inner"],
        "num_hidden_layers": sizes["layers"],
        "num_attention_heads": sizes["heads"],
        "num_key_value_heads": sizes["key_heads"],
        "max_position_embeddings": sizes["longest"],
        "rms_norm_eps": 1e-5,
        "tie_word_embeddings": True,
    }


def blocks(sizes: dict[str, int]) -> list[tuple[str, tuple[int, ...]]]:
    """What lies in the file, in this order: of each weight, all layers in a row."""
    layers, width, inner = sizes["layers"], sizes["width"], sizes["inner"]
    keys = width // sizes["heads"] * sizes["key_heads"]
    return [
        ("embed_tokens", (1, sizes["vocabulary"], width)),
        ("layers.*.input_layernorm", (layers, width)),
        ("layers.*.self_attn.q_proj", (layers, width, width)),
        ("layers.*.self_attn.k_proj", (layers, keys, width)),
        ("layers.*.self_attn.v_proj", (layers, keys, width)),
        ("layers.*.self_attn.o_proj", (layers, width, width)),
        ("layers.*.post_attention_layernorm", (layers, width)),
        ("layers.*.mlp.gate_proj", (layers, inner, width)),
        ("layers.*.mlp.down_proj", (layers, width, inner)),
        ("layers.*.mlp.up_proj", (layers, inner, width)),
        ("norm", (1, width)),
    ]


def tensors(sizes: dict[str, int], numbers: Tensor) -> Iterator[tuple[str, Tensor]]:
    """The weights by name. Rotary pairs lie side by side there, half a head apart here."""
    heads = {"q_proj": sizes["heads"], "k_proj": sizes["key_heads"]}
    start = 0
    for name, shape in blocks(sizes):
        block = numbers[start : start + int(np.prod(shape))].view(shape)
        start += block.numel()
        for layer, tensor in enumerate(block):
            pairs = heads.get(name.rpartition(".")[-1])
            full = f"model.{name.replace('*', str(layer))}.weight"
            yield full, half_split(tensor, pairs) if pairs else tensor.contiguous()


def tokenizer(path: Path, vocabulary: int) -> Tokenizer:
    """SentencePiece's merges by score, with bytes for what no piece spells; <s> in front."""
    content, at = path.read_bytes(), 4
    found = []
    for number in range(vocabulary):
        score, length = struct.unpack_from("<fi", content, at)
        text = content[at + 8 : at + 8 + length].decode().strip("\n") or "\n"
        kind = "unknown" if number == 0 else "control" if number < 3 else "normal"
        found.append(Piece(text.replace(" ", SPACE), score, kind))
        at += 8 + length
    model = SentencePiece(tuple(found), "bpe", True, b"", prefixed=True, squeezed=False)
    inner = followed(model, [])
    inner.add_special_tokens(["<s>", "</s>"])
    inner.post_processor = processors.TemplateProcessing("<s> $A", special_tokens=[("<s>", START)])
    return Tokenizer(inner)


def tell(model: Model, beginning: str = "", length: int = LENGTH) -> str:
    """A story of so many tokens: after each, the likeliest one, even if it is an end."""
    ids = list(model.tokenizer.encode(beginning).ids) if beginning else [START]
    model.generation = {"eos_token_id": []}
    told = model.generate(ids=[ids], max_new_tokens=length + 1 - len(ids))[0][0]
    return model.tokenizer.decode([*ids, *told.ids])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where stories260K.bin and tok512.bin are")
    parser.add_argument("--begin", default="", help="how the story begins")
    parser.add_argument("--save", type=Path, help="keep the converted model in this folder")
    chosen = parser.parse_args()
    with TemporaryDirectory() as place:
        files = (chosen.folder / "stories260K.bin", chosen.folder / "tok512.bin")
        model = pellucid.load(convert(*files, chosen.save or Path(place) / "stories260K"))
        print(tell(model, chosen.begin))


if __name__ == "__main__":
    main()
