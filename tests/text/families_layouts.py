"""The layouts that are compared with `transformers`, by name."""

from collections.abc import Callable
from functools import partial

from families_folders import (
    ALBERT,
    BYTES,
    LLAMA,
    NO_PREFIX,
    OWN,
    T5,
    Files,
    byte_pairs,
    of,
    pieces,
    words,
)
from tokenizers import Tokenizer, decoders, models, pre_tokenizers


def token(content: str, **how: bool) -> dict[str, object]:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"content": content} | flags | how


def bert(family: str = "bert", **small: Files) -> Files:
    return of(family, {"vocab.txt": words()}, **small)


def byte_level(family: str, **small: Files) -> Files:
    return of(family, byte_pairs(), **small)


def spm(family: str, name: str, options: dict[str, object], **small: Files) -> Files:
    return of(family, {name: pieces(**options)}, **small)


CASED = {"do_lower_case": False, "tokenizer_class": "BertTokenizer"}
ACCENTS = {"strip_accents": False, "tokenize_chinese_chars": False}
NEW = {"seal!": 700, "[NEW]": 701, "  ice ": 702}
LISTED = {
    "0": token("[PAD]", special=True),
    "700": token("river bank", normalized=True),
    "701": token("[NEW]", special=True, lstrip=True, rstrip=True),
    "702": token("sea", single_word=True, normalized=True),
}
MASK = {"mask_token": token("<mask>", lstrip=True), "cls_token": "<s>"}
BOTH_ENDS = {"tokenizer_class": "LlamaTokenizer", "add_bos_token": True, "add_eos_token": True}


def smollm() -> Files:
    """SmolLM2's way: a class that does not know what its tokenizer.json does with digits."""
    files = byte_pairs()
    merges = [tuple(line.split()) for line in files["merges.txt"].splitlines()[1:]]
    inner = Tokenizer(models.BPE(files["vocab.json"], merges))
    digits = pre_tokenizers.Digits(individual_digits=True)
    inner.pre_tokenizer = pre_tokenizers.Sequence([digits, pre_tokenizers.ByteLevel(False)])
    inner.decoder = decoders.ByteLevel()
    inner.add_special_tokens(["<|endoftext|>"])
    settings = {"tokenizer_class": "GPT2Tokenizer"}
    return of("llama", {"tokenizer.json": inner.to_str()}, settings=settings)


BUILT: dict[str, Callable[[], Files]] = {
    "bert": bert,
    "bert cased": partial(bert, settings=CASED),
    "bert accents": partial(bert, settings=ACCENTS),
    "bert strip": partial(bert, settings=CASED | {"strip_accents": True}),
    "bert map": partial(bert, map={"mask_token": token("[MASK]"), "sep_token": "[SEP]"}),
    "bert new": partial(bert, added=NEW, settings={"extra_special_tokens": ["[NEW]"]}),
    "bert older": partial(bert, added=NEW, map={"additional_special_tokens": ["[NEW]", "<x>"]}),
    "bert listed": partial(bert, settings={"added_tokens_decoder": LISTED, "cls_token": "[CLS]"}),
    "distilbert": partial(bert, "distilbert"),
    "distilbert cased": partial(bert, "distilbert", settings={"do_lower_case": False}),
    "roberta": partial(byte_level, "roberta"),
    "roberta prefix": partial(byte_level, "roberta", settings={"add_prefix_space": True}),
    "roberta offsets": partial(byte_level, "roberta", settings={"trim_offsets": False}),
    "roberta mask": partial(byte_level, "roberta", map=MASK),
    "bart": partial(byte_level, "bart"),
    "gpt2": partial(byte_level, "gpt2"),
    "gpt2 prefix": partial(byte_level, "gpt2", settings={"add_prefix_space": True}),
    "gpt2 bos": partial(byte_level, "gpt2", settings={"add_bos_token": True, "pad_token": "<pad>"}),
    "t5": partial(spm, "t5", "spiece.model", T5),
    "t5 sentinels": partial(spm, "t5", "spiece.model", T5, settings={"extra_ids": 7}),
    "albert": partial(spm, "albert", "spiece.model", ALBERT),
    "albert cased": partial(
        spm, "albert", "spiece.model", ALBERT, settings={"do_lower_case": False}
    ),
    "albert accents": partial(
        spm, "albert", "spiece.model", ALBERT, settings={"keep_accents": True}
    ),
    "xlm-roberta": partial(spm, "xlm-roberta", "sentencepiece.bpe.model", {}),
    "llama": partial(
        spm, "llama", "tokenizer.model", LLAMA, settings={"tokenizer_class": "LlamaTokenizer"}
    ),
    "llama ends": partial(spm, "llama", "tokenizer.model", LLAMA, settings=BOTH_ENDS),
    "llama legacy": partial(
        spm, "llama", "tokenizer.model", LLAMA, settings=BOTH_ENDS | {"legacy": True}
    ),
    "llama no prefix": partial(
        spm, "llama", "tokenizer.model", LLAMA, settings=BOTH_ENDS | {"add_prefix_space": False}
    ),
    "llama own": partial(spm, "llama", "tokenizer.model", OWN, settings=BOTH_ENDS),
    "plain": partial(spm, "llama", "tokenizer.model", LLAMA),
    "plain own": partial(spm, "llama", "tokenizer.model", OWN),
    "plain bare": partial(spm, "llama", "tokenizer.model", NO_PREFIX),
    "plain unigram": partial(spm, "llama", "tokenizer.model", BYTES),
    "plain bos": partial(spm, "llama", "tokenizer.model", LLAMA, settings={"add_bos_token": True}),
}

# a tokenizer.json of the first, with the small files of the second beside it
MIXED = {
    "capitals kept": ("bert", "bert cased"),
    "capitals lost": ("bert cased", "distilbert"),
    "accents": ("bert", "bert accents"),
    "new tokens": ("bert", "bert new"),
    "listed tokens": ("bert", "bert listed"),
    "prefix": ("roberta", "roberta prefix"),
    "no prefix": ("gpt2 prefix", "gpt2"),
    "offsets": ("bart", "roberta offsets"),
    "mask": ("roberta", "roberta mask"),
    "bos is not added": ("gpt2", "gpt2 bos"),
    "bos is not removed": ("llama ends", "llama"),
}
