"""GPT-2's: the bytes of each word merged, the space before a word being part of it."""

from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from pellucid.text.folder import Folder
from pellucid.text.recipe import Recipe, Special, ends

FILES = (("vocab.json", "merges.txt"),)


def make(folder: Folder, vocabulary: Path, merges: Path) -> Tokenizer:
    """From vocab.json, the pieces with their ids, and merges.txt, the pairs that make them."""
    inner = Tokenizer(models.BPE.from_file(str(vocabulary), str(merges)))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel()
    inner.decoder = decoders.ByteLevel()
    return inner


def settle(inner: Tokenizer, folder: Folder, special: Special) -> None:
    set_prefix(inner, folder)
    ends(inner, folder, special)


def set_prefix(inner: Tokenizer, folder: Folder) -> bool:
    """Whether the text is given a space in front, as every other word has one."""
    prefix = folder.setting("add_prefix_space", False)
    if isinstance(inner.pre_tokenizer, pre_tokenizers.ByteLevel):
        inner.pre_tokenizer.add_prefix_space = prefix
    return prefix


GPT2 = Recipe(
    names=("GPT2Tokenizer",),
    families=("gpt2",),
    files=FILES,
    special=dict.fromkeys(("bos_token", "eos_token", "unk_token"), "<|endoftext|>"),
    make=make,
    settle=settle,
)
