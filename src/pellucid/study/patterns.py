"""What heads look at: plain measures of attention weights, each one line of arithmetic.

Each measure is a mean over the tokens that look. What they do not show: that a head *does*
something. A head that looks at the first token or at punctuation often does nothing there (Clark et
al. 2019, Kovaleva et al. 2019); silencing it says more.
"""

import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from pellucid.record.tokens import Tokens

PUNCTUATION = set(string.punctuation) | set("«»„“”‚‘’–—…¿¡、。「」")


@dataclass(frozen=True)
class Facts:
    """What is known of the tokens of a batch."""

    ids: Int[Tensor, "B T"]
    real: Bool[Tensor, "B T"]
    special: Bool[Tensor, "B T"]
    punctuation: Bool[Tensor, "B T"]

    @classmethod
    def of(cls, texts: Sequence[Tokens]) -> "Facts":
        """Of texts side by side, padded on the right."""
        longest = max(map(len, texts))

        def rows(values: Sequence[Sequence[int]], dtype: torch.dtype) -> Tensor:
            padded = [[*row, *[0] * (longest - len(row))] for row in values]
            return torch.tensor(padded, dtype=dtype)

        marks = [[_is_punctuation(text, at) for at in range(len(text))] for text in texts]
        return cls(
            rows([text.ids for text in texts], torch.long),
            rows([[1] * len(text) for text in texts], torch.bool),
            rows([text.special for text in texts], torch.bool),
            rows(marks, torch.bool),
        )


@dataclass(frozen=True)
class Looking:
    """The tokens that look, and those looked at: the very same, but in cross-attention."""

    by: Facts
    at: Facts

    @property
    def same(self) -> Bool[Tensor, "B T S"]:
        """Which other token is the same word."""
        twins = self.by.ids[:, :, None] == self.at.ids[:, None, :]
        if self.by is self.at:
            twins = twins & ~torch.eye(twins.shape[-1], dtype=torch.bool)
        return twins & self.at.real[:, None, :] & self.by.real[:, :, None]

    @property
    def distance(self) -> Float[Tensor, "T S"]:
        """How many tokens lie between."""
        places = torch.arange(self.by.ids.shape[1])[:, None] - torch.arange(self.at.ids.shape[1])
        return places.abs().double()


Weights = Float[Tensor, "B H T S"]
Measured = tuple[Tensor, Tensor]  # [B H T], and which tokens count [B T]


def shifted(weights: Weights, looking: Looking, by: int) -> Measured:
    """The weight on the token so many places before (or after, where negative)."""
    T, S = weights.shape[-2:]
    places = torch.arange(T) - by
    inside, places = (places >= 0) & (places < S), places.clamp(0, S - 1)
    index = places[None, None, :, None].expand(*weights.shape[:2], -1, 1)
    there = looking.at.real[:, places] & inside
    return weights.gather(-1, index)[..., 0], looking.by.real & there


def on(weights: Weights, looking: Looking, which: Tensor) -> Measured:
    """The weight on certain tokens, [B S] or [B T S]; of all tokens that look."""
    mask = which[:, None, None, :] if which.dim() == 2 else which[:, None]
    return (weights * mask).sum(-1), looking.by.real


def on_same(weights: Weights, looking: Looking) -> Measured:
    """The weight on other tokens that are the same; of tokens which have such."""
    return on(weights, looking, looking.same)[0], looking.same.any(-1)


def first(facts: Facts) -> Tensor:
    """Which tokens are a text's first."""
    return torch.arange(facts.ids.shape[1])[None] == torch.zeros(len(facts.ids), 1)


def entropy(weights: Weights, looking: Looking) -> Measured:
    """How spread the weights are, in nats: ln n for n tokens alike."""
    return torch.special.entr(weights).sum(-1), looking.by.real


def distance(weights: Weights, looking: Looking) -> Measured:
    """How many tokens away it looks, on average."""
    return (weights * looking.distance).sum(-1), looking.by.real


MEASURES: Mapping[str, Callable[[Weights, Looking], Measured]] = {
    "previous": lambda w, x: shifted(w, x, 1),
    "itself": lambda w, x: shifted(w, x, 0),
    "next": lambda w, x: shifted(w, x, -1),
    "same": on_same,
    "first": lambda w, x: on(w, x, first(x.at)),
    "special": lambda w, x: on(w, x, x.at.special),
    "punctuation": lambda w, x: on(w, x, x.at.punctuation),
    "entropy": entropy,
    "distance": distance,
}
ACROSS = {"same", "first", "special", "punctuation", "entropy"}  # say something of two texts, too


def measured(weights: Weights, looking: Looking) -> dict[str, tuple[Float[Tensor, "H"], int]]:
    """Each measure summed over the tokens that count, for each head; and how many they are."""
    found = {}
    for name, measure in MEASURES.items():
        values, counted = measure(weights.double(), looking)
        total = (values * counted[:, None]).sum(dim=(0, 2))
        found[name] = total, int(counted.sum())
    return found


def _is_punctuation(text: Tokens, at: int) -> bool:
    start, end = text.offsets[at]
    typed = text.text[start:end].strip()
    return not text.special[at] and bool(typed) and set(typed) <= PUNCTUATION
