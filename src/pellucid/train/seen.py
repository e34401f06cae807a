"""A teacher without the pieces that its texts never show: of a large table little is left.

Words of other texts are cut into smaller pieces, down to single letters, which stay.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import tokenizers
import torch

from pellucid.errors import UsageError
from pellucid.models.checkpoint import hollow
from pellucid.models.model import Model
from pellucid.record.batched import batched
from pellucid.text.tokenizer import Tokenizer
from pellucid.train.making import dressed

AT_ONCE = 1000
INSIDE = "##"  # what stands before a piece that begins no word
WORDS = "entrance.embed.words.weight"


@torch.no_grad()
def cut(teacher: Model, texts: Iterable[str]) -> Model:
    """The same model, which knows only the pieces that are seen in the texts."""
    inner = teacher.tokenizer.inner
    if json.loads(inner.to_str())["model"]["type"] != "WordPiece":
        raise UsageError(f"{teacher.name} does not read WordPiece; say pieces=teacher.")
    kept = seen(inner, texts)
    known = {name: tensor.detach() for name, tensor in teacher.state().items()}
    known[WORDS] = known[WORDS][kept].clone()
    made = hollow(replace(teacher.config, vocabulary=len(kept)))
    made.load_state_dict(known, assign=True, strict=False)
    numbers = {old: new for new, old in enumerate(kept)}
    dressed(made, teacher)
    made.generation = dict(teacher.generation)
    made.tokenizer = Tokenizer(renumbered(inner, numbers), teacher.tokenizer.special)
    return made.eval()


def seen(inner: tokenizers.Tokenizer, texts: Iterable[str]) -> list[int]:
    """The ids of pieces in the texts, of single letters, and of special pieces, in order."""
    found = {
        number
        for piece, number in inner.get_vocab().items()
        if len(piece.removeprefix(INSIDE)) == 1 and piece.isascii()
    }
    found |= set(inner.get_added_tokens_decoder())
    for some in batched(texts, AT_ONCE):
        for encoding in inner.encode_batch(some):
            found.update(encoding.ids)
    return sorted(found)


def renumbered(inner: tokenizers.Tokenizer, numbers: Mapping[int, int]) -> tokenizers.Tokenizer:
    """A tokenizer with these pieces alone, under new numbers."""
    told: dict[str, Any] = json.loads(inner.to_str())
    vocabulary = told["model"]["vocab"].items()
    told["model"]["vocab"] = {piece: numbers[n] for piece, n in vocabulary if n in numbers}
    for token in told["added_tokens"]:
        token["id"] = numbers[token["id"]]
    told["post_processor"] = framed(told["post_processor"], numbers)
    return tokenizers.Tokenizer.from_str(json.dumps(told))


def framed(told: Any, numbers: Mapping[int, int]) -> Any:
    """The pieces around a text: a template names them with their ids, BERT's own with one each."""
    if isinstance(told, dict) and "special_tokens" in told:
        named = told["special_tokens"].items()
        special = {n: {**t, "ids": [numbers[i] for i in t["ids"]]} for n, t in named}
        return {**told, "special_tokens": special}
    if isinstance(told, dict) and "sep" in told:
        ends = {end: [told[end][0], numbers[told[end][1]]] for end in ("sep", "cls")}
        return {**told, **ends}
    return told
