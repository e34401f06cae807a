"""Llama's: pieces merged over the whole text, what no piece spells spelled in bytes."""

from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from pellucid.text.families.unigram import FILES, mark
from pellucid.text.folder import Folder
from pellucid.text.recipe import Recipe, ends
from pellucid.text.sentencepiece import SPACE, merges, read_sentencepiece

SPECIAL = {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"}


def make(folder: Folder, path: Path) -> Tokenizer:
    """From tokenizer.model. `legacy` puts a space also before what follows a special token."""
    model = read_sentencepiece(path)
    words = [piece.text for piece in model.pieces]
    numbers = {word: number for number, word in enumerate(words)}
    inner = Tokenizer(models.BPE(numbers, merges(words), fuse_unk=True, byte_fallback=True))
    prefix = folder.setting("add_prefix_space", True)
    scheme = ("always" if folder.setting("legacy", False) else "first") if prefix else "never"
    inner.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme, split=False)
    inner.decoder = spaced(prefix)
    mark(inner, model.pieces, folder.special(SPECIAL))
    return inner


def spaced(prefix: bool) -> decoders.Decoder:
    """Pieces and bytes to text, without the space in front that the text was given."""
    steps = [decoders.Replace(SPACE, " "), decoders.ByteFallback(), decoders.Fuse()]
    return decoders.Sequence(steps + [decoders.Strip(" ", left=1)] * prefix)


LLAMA = Recipe(
    names=("LlamaTokenizer",),
    families=(),  # without the class, `transformers` follows the file itself, and so do we
    files=FILES,
    special=SPECIAL,
    make=make,
    settle=ends,
)
