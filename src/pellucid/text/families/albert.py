"""ALBERT's: the likeliest pieces of words without accents and capitals, [CLS] and [SEP] around."""

from pathlib import Path

from tokenizers import Tokenizer, normalizers

from pellucid.text.families.unigram import FILES, in_words, mark, rewriting
from pellucid.text.folder import Folder
from pellucid.text.recipe import Recipe, Special, frame
from pellucid.text.sentencepiece import read_sentencepiece

SPECIAL = {
    "bos_token": "[CLS]",
    "eos_token": "[SEP]",
    "unk_token": "<unk>",
    "sep_token": "[SEP]",
    "pad_token": "<pad>",
    "cls_token": "[CLS]",
    "mask_token": "[MASK]",
}


def make(folder: Folder, path: Path) -> Tokenizer:
    """From spiece.model."""
    model = read_sentencepiece(path)
    inner = in_words(model.pieces, prefix=folder.setting("add_prefix_space", True))
    inner.normalizer = normalizers.Sequence([*_plainer(folder), *rewriting(model)])
    mark(inner, model.pieces, folder.special(SPECIAL))
    return inner


def settle(inner: Tokenizer, folder: Folder, special: Special) -> None:
    frame(inner, special, "cls $A sep", "cls $A sep $B:1 sep:1")


def _plainer(folder: Folder) -> list[normalizers.Normalizer]:
    """One kind of quotation mark; no accents and no capitals, unless the settings keep them."""
    steps: list[normalizers.Normalizer] = [
        normalizers.Replace("``", '"'),
        normalizers.Replace("''", '"'),
    ]
    if not folder.setting("keep_accents", False):
        steps += [normalizers.NFKD(), normalizers.StripAccents()]
    if folder.setting("do_lower_case", True):
        steps.append(normalizers.Lowercase())
    return steps


ALBERT = Recipe(
    names=("AlbertTokenizer",),
    families=("albert",),
    files=FILES,
    special=SPECIAL,
    make=make,
    settle=settle,
)
