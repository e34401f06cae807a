"""Previous-token and induction heads, found by their scores on words that mean nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from pellucid.errors import UsageError
from pellucid.models.model import Model
from pellucid.study.edits import edit, silence_heads
from pellucid.study.looked import looked
from pellucid.study.silencing import surprises

KEPT = ("embed.*", "*coder.*")
PARTS = ("previous", "induction", "duplicate")


@dataclass(frozen=True)
class Induction:
    """How much each head looks where such a head would, [L H] each, between 0 and 1.

    `previous`: at the token before. `induction`: at the token after the last time this one stood
    there. `duplicate`: at the last time itself. `repeated` and `new` are the model's surprise (nats
    a token) where the words come again and where they come first.
    """

    previous: Float[Tensor, "L H"]
    induction: Float[Tensor, "L H"]
    duplicate: Float[Tensor, "L H"]
    new: float
    repeated: float

    def best(self, kind: str, count: int = 5) -> list[tuple[int, int, float]]:
        """The heads with the highest scores: layer, head, score."""
        scores: Tensor = getattr(self, kind)
        values, places = scores.flatten().topk(min(count, scores.numel()))
        heads = scores.shape[1]
        pairs = zip(places.tolist(), values.tolist(), strict=True)
        return [(at // heads, at % heads, value) for at, value in pairs]

    def to_json(self) -> dict[str, Any]:
        """All scores as plain data."""
        scores = {name: getattr(self, name).tolist() for name in PARTS}
        return scores | {"new": self.new, "repeated": self.repeated}


def repeated_words(
    model: Model, length: int = 50, count: int = 4, seed: int = 0
) -> Int[Tensor, "B T"]:
    """Ids: a first token, so many random ones, and the same again. Special pieces are left out."""
    if model.config.shape != "decoder" or model.config.head != "language":
        raise UsageError("Only a decoder that foretells words can be asked to say them again.")
    if length < 2 or count < 1:
        raise UsageError(
            f"{length} words in {count} texts are too few to be said again; "
            "give two words and a text at least."
        )
    model.check_length(2 * length + 1)
    generator = torch.Generator().manual_seed(seed)
    special = set(_special(model))
    words = torch.tensor([i for i in range(model.config.vocabulary) if i not in special])
    chosen = words[torch.randint(len(words), (count, length), generator=generator)]
    start = torch.full((count, 1), next(iter(special), 0))
    return torch.cat([start, chosen, chosen], dim=1)


@torch.no_grad()
def induction(model: Model, length: int = 50, count: int = 4, seed: int = 0) -> Induction:
    """The scores of every head on random words said twice (Olsson et al. 2022).

    What it does not show: that these heads do the copying. Silence them and see whether the second
    time surprises the model as the first did (`without`).
    """
    ids = repeated_words(model, length, count, seed)
    trace = looked(model, KEPT, ids=ids)
    names = trace.names("*coder.*.attention.weights")
    rows = torch.arange(length + 1, 2 * length + 1)
    ahead = {"previous": 1, "induction": length - 1, "duplicate": length}
    scores: dict[str, list[Tensor]] = {part: [] for part in PARTS}
    for name in names:
        weights = trace[name].double()
        for part, back in ahead.items():
            scores[part].append(weights[:, :, rows, rows - back].mean(dim=(0, 2)))
    new, again = halves(model, ids, trace[f"{model.config.shape}.output"], length)
    stacked = {part: torch.stack(scores[part]) for part in PARTS}
    return Induction(**stacked, new=new, repeated=again)


@torch.no_grad()
def without(
    model: Model,
    heads: Sequence[tuple[int, int]],
    length: int = 50,
    count: int = 4,
    seed: int = 0,
) -> tuple[float, float]:
    """The surprise of new and of repeated words with these heads (layer, head) silenced."""
    ids = repeated_words(model, length, count, seed)
    trace = looked(model, KEPT, ids=ids)
    for layer, head in heads:
        trace = edit(trace, silence_heads(trace, layer, [head]))
    return halves(model, ids, trace[f"{model.config.shape}.output"], length)


def halves(model: Model, ids: Tensor, hidden: Tensor, length: int) -> tuple[float, float]:
    """The surprise (nats a token) of the words' first time, and of their second.

    The second time's first word cannot be foreseen and is not counted.
    """
    real = torch.ones_like(ids, dtype=torch.bool)
    first, second = slice(0, length + 1), slice(length + 1, 2 * length + 1)
    counts = len(ids) * length, len(ids) * (length - 1)
    totals = [
        surprises(model, ids[:, s], real[:, s], hidden[:, s], hidden[None, :, s])
        for s in (first, second)
    ]
    return totals[0].item() / counts[0], totals[1].item() / counts[1]


def _special(model: Model) -> list[int]:
    """Ids of special pieces, that of the text's beginning first."""
    if not model.has_tokenizer:
        return []
    added = model.tokenizer.inner.get_added_tokens_decoder()
    special = {piece.content: number for number, piece in added.items() if piece.special}
    named = model.tokenizer.special
    first = [special[named[r]] for r in ("bos_token", "cls_token") if named.get(r) in special]
    return list(dict.fromkeys([*first, *special.values()]))
