"""T5's: the likeliest pieces, </s> behind, and a hundred sentinels <extra_id_…>."""

from pathlib import Path

from tokenizers import Tokenizer, normalizers

from pellucid.text.families.unigram import FILES, in_words, mark, rewriting
from pellucid.text.folder import Folder
from pellucid.text.recipe import Recipe, Special, frame
from pellucid.text.sentencepiece import Piece, read_sentencepiece

SPECIAL = {"eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}


def make(folder: Folder, path: Path) -> Tokenizer:
    """From spiece.model; the sentinels come behind its pieces, the last one first."""
    model = read_sentencepiece(path)
    count = int(folder.settings.get("extra_ids", 100))
    sentinels = [Piece(f"<extra_id_{at}>", 0.0, "control") for at in reversed(range(count))]
    inner = in_words([*model.pieces, *sentinels])
    inner.normalizer = normalizers.Sequence(rewriting(model))
    mark(inner, [*model.pieces, *sentinels], folder.special(SPECIAL))
    return inner


def settle(inner: Tokenizer, folder: Folder, special: Special) -> None:
    frame(inner, special, "$A eos", "$A eos $B eos")


T5 = Recipe(
    names=("T5Tokenizer",),
    families=("t5",),
    files=FILES,
    special=SPECIAL,
    make=make,
    settle=settle,
)
