"""Sums over the tokens of some texts: what each head looked at, and what is lost without it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor

from pellucid.decode.said import Said
from pellucid.decode.written import begun
from pellucid.errors import UsageError
from pellucid.models.model import Model
from pellucid.record.tokens import Tokens
from pellucid.study.looked import looked
from pellucid.study.patterns import ACROSS, MEASURES, Facts, Looking, measured
from pellucid.study.silencing import importance

TOKENS = {"no": 4096, "each": 512}  # in one batch, padding among them
Silencing = Literal["no", "each"]
Text = str | tuple[str, str]  # or a source and a target
Read = dict[str, Tokens]  # by stream
LOOKERS = {  # whose attention it is: who looks, and at whom
    "encoder.attention": ("source", "source"),
    "decoder.attention": ("target", "target"),
    "decoder.cross": ("target", "source"),
}


@dataclass
class Tally:
    """Sums over tokens for each head, [L H] a measure; and over how many tokens, [L] a measure.

    Each of the `places` is a sub-layer of heads. A measure that has no meaning there has no tokens.
    """

    places: tuple[str, ...] = ()
    sums: dict[str, Float[Tensor, "L H"]] = field(default_factory=dict)
    counts: dict[str, Int[Tensor, "L"]] = field(default_factory=dict)
    texts: int = 0
    left_out: int = 0

    def add(self, name: str, total: Float[Tensor, "L H"], count: Int[Tensor, "L"]) -> None:
        """More tokens of one measure."""
        self.sums[name] = self.sums[name] + total if name in self.sums else total
        self.counts[name] = self.counts[name] + count if name in self.counts else count

    def join(self, other: "Tally") -> None:
        """The tally of other texts."""
        self.places = self.places or other.places
        for name, total in other.sums.items():
            self.add(name, total, other.counts[name])
        self.texts += other.texts
        self.left_out += other.left_out


@torch.no_grad()
def tallied(model: Model, texts: Sequence[Text], silencing: Silencing) -> Tally:
    """The tally of texts, those of about a length side by side."""
    readable = [streams for text in texts if (streams := _read(model, text)) is not None]
    tally = Tally(texts=len(readable), left_out=len(texts) - len(readable))
    for batch in batches(readable, TOKENS[silencing]):
        read = {stream: [streams[stream] for streams in batch] for stream in batch[0]}
        inputs = model._inputs(read)
        _measure(model, read, inputs, tally)
        if silencing == "each":
            lost, count = importance(model, **inputs)
            rows = torch.stack([lost[place] for place in tally.places])
            tally.add("importance", rows, torch.full((len(rows),), count))
    return tally


def _measure(
    model: Model, read: dict[str, list[Tokens]], inputs: dict[str, Tensor | None], tally: Tally
) -> None:
    trace = looked(model, ("*.query", "*.key", "*.bias"), **inputs)
    names = trace.names("*coder.*.weights")
    tally.places = tuple(name.removesuffix(".weights") for name in names)
    facts = {stream: Facts.of(texts) for stream, texts in read.items()}
    found = [_of(trace[name], name, facts, model) for name in names]
    for measure in MEASURES:
        totals, counts = zip(*(each[measure] for each in found), strict=True)
        tally.add(measure, torch.stack(totals), torch.tensor(counts))


def _of(
    weights: Tensor, name: str, facts: dict[str, Facts], model: Model
) -> dict[str, tuple[Float[Tensor, "H"], int]]:
    """The measures of one sub-layer; those without a meaning between two texts have no tokens."""
    stack, _, sublayer, _ = name.split(".")
    who, whom = LOOKERS[f"{stack}.{sublayer}"] if len(facts) > 1 else ("tokens", "tokens")
    found = measured(weights, Looking(facts[who], facts[whom]))
    if who == whom:
        return found
    known = ACROSS if model.config.source_words == "shared" else ACROSS - {"same"}
    nothing = torch.zeros(weights.shape[1], dtype=torch.float64), 0
    return {measure: found[measure] if measure in known else nothing for measure in found}


def batches(texts: Sequence[Read], tokens: int) -> Iterator[list[Read]]:
    """The texts by length, as many side by side as have so many tokens together."""
    batch: list[Read] = []
    for text in sorted(texts, key=size):
        if batch and size(text) * (len(batch) + 1) > tokens:
            yield batch
            batch = []
        batch.append(text)
    if batch:
        yield batch


def size(read: Read) -> int:
    """How many tokens a text has, or a source and its target together."""
    return sum(map(len, read.values()))


def _read(model: Model, text: Text) -> Read | None:
    given = (text,) if isinstance(text, str) else text
    if len(given) != len(model.streams):
        raise UsageError(
            f"{model.name} reads {' and '.join(model.streams)}: give "
            f"{'a text each' if len(model.streams) == 1 else 'pairs of a source and a target'}."
        )
    try:
        read = {stream: tokens for stream, (tokens,) in model.read(*given).items()}
        if len(given) > 1:  # its end stays: how well it is foretold is measured too
            read["target"] = begun(model, read["target"], Said.of(model))
        return read
    except UsageError:
        return None
