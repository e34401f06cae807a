"""Small checkpoints' tokenizers: trained here, in the files in which each family ships them."""

import io
import json
from functools import cache
from pathlib import Path
from typing import Any

from families_corpus import PROSE
from sentencepiece import SentencePieceTrainer
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

Files = dict[str, Any]  # name to content: bytes, text, or an object for JSON

BERT_TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
ROBERTA_TOKENS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]

# what SentencePiece's trainer is asked for
T5 = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}
ALBERT = {"pad_id": 0, "unk_id": 1, "bos_id": -1, "eos_id": -1}
ALBERT |= {"control_symbols": BERT_TOKENS[2:], "user_defined_symbols": ["(", ")", "–", "€"]}
LLAMA = {"model_type": "bpe", "byte_fallback": True, "normalization_rule_name": "identity"}
LLAMA |= {"remove_extra_whitespaces": False, "split_digits": True, "vocab_size": 700}
OWN = LLAMA | {"user_defined_symbols": ["<|end|>", "the", "ll"]}
BYTES = {"byte_fallback": True, "vocab_size": 700}
NO_PREFIX = LLAMA | {"add_dummy_prefix": False}


def write(folder: Path, files: Files) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        text = json.dumps(content, ensure_ascii=False) if isinstance(content, dict) else content
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


@cache
def words() -> str:
    inner = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=700, special_tokens=BERT_TOKENS)
    inner.train_from_iterator([PROSE, PROSE.lower()], trainer)
    numbers = inner.get_vocab()
    return "".join(f"{piece}\n" for piece in sorted(numbers, key=numbers.__getitem__))


@cache
def byte_pairs() -> Files:
    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    special = [*ROBERTA_TOKENS, "<|endoftext|>"]
    trainer = trainers.BpeTrainer(
        vocab_size=600, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    inner.train_from_iterator(PROSE.splitlines(), trainer)
    model = json.loads(inner.to_str())["model"]
    merges = "".join(f"{left} {right}\n" for left, right in model["merges"])
    return {"vocab.json": model["vocab"], "merges.txt": f"#version: 0.2\n{merges}"}


def pieces(**options: Any) -> bytes:
    return _pieces(json.dumps({"vocab_size": 420, "hard_vocab_limit": False} | options))


@cache
def _pieces(options: str) -> bytes:
    out = io.BytesIO()
    lines = [line for line in PROSE.splitlines() for _ in range(3)]
    SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=out, minloglevel=2, **json.loads(options)
    )
    return out.getvalue()


def of(family: str, vocabulary: Files, **small: Files) -> Files:
    """A folder's files: the vocabulary's, and the small ones (`map` is special_tokens_map)."""
    names = {"settings": "tokenizer_config", "map": "special_tokens_map", "added": "added_tokens"}
    described = {f"{names[name]}.json": content for name, content in small.items()}
    return {"config.json": {"model_type": family}} | vocabulary | described
