"""RoBERTa's and BART's: GPT-2's way of cutting, between <s> and </s>."""

from tokenizers import Tokenizer, processors

from pellucid.text.families.gpt2 import FILES, make, set_prefix
from pellucid.text.folder import Folder
from pellucid.text.recipe import Recipe, Special, numbered

SPECIAL = {
    "bos_token": "<s>",
    "eos_token": "</s>",
    "unk_token": "<unk>",
    "sep_token": "</s>",
    "pad_token": "<pad>",
    "cls_token": "<s>",
    "mask_token": "<mask>",
}


def settle(inner: Tokenizer, folder: Folder, special: Special) -> None:
    """The piece of a word then begins with its first letter, not with the space before it."""
    prefix = set_prefix(inner, folder)
    if isinstance(inner.post_processor, processors.RobertaProcessing | None):
        inner.post_processor = processors.RobertaProcessing(
            numbered(inner, special, "sep"),
            numbered(inner, special, "cls"),
            trim_offsets=folder.setting("trim_offsets", True),
            add_prefix_space=prefix,
        )


ROBERTA = Recipe(
    names=("RobertaTokenizer", "BartTokenizer"),
    families=("roberta", "bart"),
    files=FILES,
    special=SPECIAL,
    make=make,
    settle=settle,
)
