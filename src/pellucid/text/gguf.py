"""The tokenizer that a GGUF file carries."""

from typing import Any

import tokenizers
from tokenizers import decoders, models, pre_tokenizers

from pellucid.errors import PellucidError
from pellucid.text.tokenizer import Tokenizer

CONTROL = 3  # GGUF's mark of a piece that stands for no text

# how a text is cut before its bytes are merged, by the file's own word for it
CUTS: dict[str, list[pre_tokenizers.PreTokenizer]] = {
    "smollm": [pre_tokenizers.Digits(individual_digits=True)],
    "gpt-2": [],
    "default": [],
}


def tokenizer_of(fields: dict[str, Any]) -> Tokenizer:
    """Byte-level merges, as in GPT-2; other kinds are refused by name."""
    kind, cut = fields.get("tokenizer.ggml.model"), fields.get("tokenizer.ggml.pre", "default")
    if kind != "gpt2" or cut not in CUTS:
        known = ", ".join(CUTS)
        raise PellucidError(
            f"The GGUF file's tokenizer is {kind!r} with {cut!r}; read is 'gpt2' with {known}."
        )
    pieces = fields["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ", 1)) for merge in fields["tokenizer.ggml.merges"]]
    numbers = {piece: number for number, piece in enumerate(pieces)}
    inner = tokenizers.Tokenizer(models.BPE(numbers, merges))
    bytes_last = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    inner.pre_tokenizer = pre_tokenizers.Sequence([*CUTS[cut], bytes_last])
    inner.decoder = decoders.ByteLevel()
    types = fields["tokenizer.ggml.token_type"]
    inner.add_special_tokens([p for p, t in zip(pieces, types, strict=True) if t == CONTROL])
    return Tokenizer(inner)
