"""Any SentencePiece model, followed to the letter: for checkpoints that name no class."""

import re
from pathlib import Path

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from pellucid.text.families.llama import SPECIAL, spaced
from pellucid.text.families.unigram import FILES, mark, rewriting
from pellucid.text.folder import Folder
from pellucid.text.recipe import Recipe, ends
from pellucid.text.sentencepiece import SPACE, SentencePiece, merges, read_sentencepiece


def make(folder: Folder, path: Path) -> Tokenizer:
    """From tokenizer.model, whatever it was trained for."""
    model = read_sentencepiece(path)
    inner = followed(model, rewriting(model))
    mark(inner, model.of_kind("control"), folder.special(SPECIAL))
    return inner


def followed(model: SentencePiece, rewriting: list[normalizers.Normalizer]) -> Tokenizer:
    """The model's cutting, after its characters were written as they should."""
    inner = Tokenizer(_algorithm(model))
    inner.normalizer = normalizers.Sequence([*rewriting, *_spaces(model)])
    cuts: list[pre_tokenizers.PreTokenizer] = []
    if model.prefixed:
        cuts.append(pre_tokenizers.Metaspace(prepend_scheme="always", split=False))
    if own := sorted((piece.text for piece in model.of_kind("own")), key=len, reverse=True):
        cuts.append(pre_tokenizers.Split(Regex("|".join(map(re.escape, own))), "isolated"))
    if cuts:
        inner.pre_tokenizer = pre_tokenizers.Sequence(cuts)
    inner.decoder = spaced(model.prefixed)
    return inner


def _algorithm(model: SentencePiece) -> models.Model:
    if model.algorithm == "unigram":
        scores = [(piece.text, piece.score) for piece in model.pieces]
        return models.Unigram(scores, model.unknown, byte_fallback=model.spells_bytes)
    return models.BPE(
        {piece.text: number for number, piece in enumerate(model.pieces)},
        merges(model.ranked),
        unk_token=model.pieces[model.unknown].text,
        fuse_unk=True,
        byte_fallback=model.spells_bytes,
        ignore_merges=bool(model.of_kind("own")),
    )


def _spaces(model: SentencePiece) -> list[normalizers.Normalizer]:
    """SentencePiece's order: fewer spaces, each as ▁, one more before a ▁ that was typed."""
    steps: list[normalizers.Normalizer] = []
    if model.squeezed:
        steps.append(normalizers.Replace(Regex(r"\A +| +\z"), ""))
        steps.append(normalizers.Replace(Regex(" {2,}"), " "))
    steps.append(normalizers.Replace(" ", SPACE))
    if model.prefixed:  # Metaspace would take that ▁ for its own
        steps.append(normalizers.Replace(Regex(rf"\A{SPACE}"), SPACE * 2))
    return steps


PLAIN = Recipe(
    names=("PreTrainedTokenizer", "TokenizersBackend"),
    families=(),
    files=FILES,
    special=SPECIAL,
    make=make,
    settle=ends,
)
