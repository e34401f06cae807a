"""XLM-RoBERTa's: the likeliest pieces, <s> and </s> around, in fairseq's order of the ids."""

from pathlib import Path

from tokenizers import Tokenizer, normalizers

from pellucid.text.families.roberta import SPECIAL
from pellucid.text.families.unigram import FILES, in_words, mark, rewriting
from pellucid.text.folder import Folder
from pellucid.text.recipe import Recipe, Special, frame
from pellucid.text.sentencepiece import Piece, read_sentencepiece

FIRST = ("bos", "pad", "eos", "unk")


def make(folder: Folder, path: Path) -> Tokenizer:
    """From sentencepiece.bpe.model: four special pieces instead of its three, <mask> behind."""
    model = read_sentencepiece(path)
    special = folder.special(SPECIAL)
    first = [_piece(special, role) for role in FIRST]
    pieces = [*first, *model.pieces[3:], _piece(special, "mask")]
    inner = in_words(pieces, prefix=folder.setting("add_prefix_space", True))
    inner.normalizer = normalizers.Sequence(rewriting(model))
    mark(inner, model.pieces[3:], special)
    return inner


def settle(inner: Tokenizer, folder: Folder, special: Special) -> None:
    frame(inner, special, "bos $A eos", "bos $A eos eos $B eos")


def _piece(special: Special, role: str) -> Piece:
    kind = "unknown" if role == "unk" else "control"
    return Piece(special[f"{role}_token"].content, 0.0, kind)


XLM_ROBERTA = Recipe(
    names=("XLMRobertaTokenizer",),
    families=("xlm-roberta",),
    files=FILES,
    special=SPECIAL,
    make=make,
    settle=settle,
)
