"""BERT's: WordPiece over words without accents and capitals, if the settings do not object."""

from pathlib import Path

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

from pellucid.text.folder import Folder
from pellucid.text.recipe import Recipe, Special, frame

SPECIAL = {
    "unk_token": "[UNK]",
    "sep_token": "[SEP]",
    "pad_token": "[PAD]",
    "cls_token": "[CLS]",
    "mask_token": "[MASK]",
}


def make(folder: Folder, vocabulary: Path) -> Tokenizer:
    """From vocab.txt: a piece a line."""
    unknown = folder.special(SPECIAL)["unk_token"].content
    inner = Tokenizer(models.WordPiece.from_file(str(vocabulary), unk_token=unknown))
    inner.normalizer = normalizers.BertNormalizer()
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    inner.decoder = decoders.WordPiece()
    return inner


def settle(inner: Tokenizer, folder: Folder, special: Special) -> None:
    """What tokenizer_config.json says of letters counts, also against tokenizer.json."""
    normalizer = inner.normalizer
    if isinstance(normalizer, normalizers.BertNormalizer):
        normalizer.lowercase = folder.setting("do_lower_case", True)
        normalizer.strip_accents = folder.settings.get("strip_accents")
        normalizer.handle_chinese_chars = folder.setting("tokenize_chinese_chars", True)
    frame(inner, special, "cls $A sep", "cls $A sep $B:1 sep:1")


BERT = Recipe(
    names=("BertTokenizer", "DistilBertTokenizer"),
    families=("bert", "distilbert"),
    files=(("vocab.txt",),),
    special=SPECIAL,
    make=make,
    settle=settle,
)
