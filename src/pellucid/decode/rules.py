"""Rules: what changes the scores of the next tokens before one is chosen.

A rule gets log-probabilities [N V], a row for each branch, and gives them back changed; −∞ bars a
token. What is left is not made to add up to 1 again, so the model's own log-probability of a
token stays readable beside what a rule made of it. Only where tokens are drawn does a last step
make a distribution of them.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor

Scope = Literal["all", "prompt", "generated"]
Ids = Sequence[int]
BARRED = -math.inf


@dataclass(frozen=True)
class Said:
    """What came before: the prompt's ids, those that each of N branches has generated, and the
    logarithm of the sum of the powers of all logits, which turns log-probabilities into logits.
    """

    prompt: Ids
    generated: Sequence[Ids]
    normaliser: Float[Tensor, "N 1"]

    def of(self, row: int, scope: Scope) -> list[int]:
        """The ids that a rule looks at."""
        prompt = self.prompt if scope != "generated" else ()
        return [*prompt, *(self.generated[row] if scope != "prompt" else ())]

    @property
    def step(self) -> int:
        """How many tokens each branch has."""
        return len(self.generated[0])


@runtime_checkable
class Rule(Protocol):
    """One change of the scores."""

    @property
    def name(self) -> str: ...

    def __call__(self, scores: Float[Tensor, "N V"], said: Said) -> Float[Tensor, "N V"]: ...


@dataclass(frozen=True)
class Repetition:
    """What was said already gets less likely: its logit x becomes x / p, or x · p below zero.

    (Keskar et al. 2019.) `scope` says where it must have been said: in the prompt, in the answer.
    """

    penalty: float
    scope: Scope = "all"
    name: str = "repetition"

    def __call__(self, scores: Tensor, said: Said) -> Tensor:
        scores = scores.clone()
        for row in range(len(scores)):
            ids = torch.tensor(said.of(row, self.scope), dtype=torch.long, device=scores.device)
            logits = scores[row, ids] + said.normaliser[row]
            less = torch.where(logits > 0, logits / self.penalty, logits * self.penalty)
            scores[row, ids] = less - said.normaliser[row]
        return scores


@dataclass(frozen=True)
class NoRepeat:
    """No run of n tokens comes twice."""

    length: int
    scope: Scope = "all"
    name: str = "no repeat"

    def __call__(self, scores: Tensor, said: Said) -> Tensor:
        return _barred(
            scores, [self._after(said.of(row, self.scope)) for row in range(len(scores))]
        )

    def _after(self, ids: list[int]) -> list[int]:
        """What followed the last n − 1 tokens wherever they stood before."""
        n = self.length - 1
        if len(ids) < n:
            return []
        end = ids[len(ids) - n :]
        return [ids[at + n] for at in range(len(ids) - n) if ids[at : at + n] == end]


@dataclass(frozen=True)
class Forbidden:
    """These tokens, or runs of tokens, do not come; from the first step on or in it only."""

    runs: tuple[tuple[int, ...], ...]
    only_first: bool = False
    name: str = "forbidden"

    def __call__(self, scores: Tensor, said: Said) -> Tensor:
        if self.only_first and said.step:
            return scores
        rows = range(len(scores))
        return _barred(scores, [self._completed(said.of(row, "all")) for row in rows])

    def _completed(self, ids: list[int]) -> list[int]:
        """The last tokens of the runs that would be whole with them."""
        return [run[-1] for run in self.runs if ids[len(ids) - len(run) + 1 :] == list(run[:-1])]


@dataclass(frozen=True)
class NotYet:
    """No end before so many tokens."""

    ends: frozenset[int]
    least: int
    name: str = "not yet"

    def __call__(self, scores: Tensor, said: Said) -> Tensor:
        early = said.step < self.least
        return _barred(scores, [sorted(self.ends)] * len(scores)) if early else scores


@dataclass(frozen=True)
class Forced:
    """At these steps nothing but this token."""

    tokens: Mapping[int, int] = field(default_factory=dict)
    name: str = "forced"

    def __call__(self, scores: Tensor, said: Said) -> Tensor:
        if (token := self.tokens.get(said.step)) is None:
            return scores
        forced = torch.full_like(scores, BARRED)
        forced[:, token] = scores[:, token]
        return forced


@dataclass(frozen=True)
class Temperature:
    """Differences between logits are divided by T: below 1 sharper, above 1 flatter."""

    value: float
    name: str = "temperature"

    def __call__(self, scores: Tensor, said: Said) -> Tensor:
        return scores / self.value


@dataclass(frozen=True)
class TopK:
    """Only the k likeliest (Fan et al. 2018)."""

    count: int
    name: str = "top-k"

    def __call__(self, scores: Tensor, said: Said) -> Tensor:
        least = scores.topk(min(self.count, scores.shape[-1]), dim=-1).values[:, -1:]
        return scores.masked_fill(scores < least, BARRED)


@dataclass(frozen=True)
class TopP:
    """The fewest likeliest that have together at least p (Holtzman et al. 2019)."""

    share: float
    name: str = "top-p"

    def __call__(self, scores: Tensor, said: Said) -> Tensor:
        return _nucleus(scores, -scores.softmax(-1), self.share)


@dataclass(frozen=True)
class MinP:
    """Only what has at least p times the likeliest one's probability (Nguyen et al. 2024)."""

    share: float
    name: str = "min-p"

    def __call__(self, scores: Tensor, said: Said) -> Tensor:
        least = scores.amax(-1, keepdim=True) + math.log(self.share)
        return scores.masked_fill(scores < least, BARRED)


@dataclass(frozen=True)
class Typical:
    """Those whose surprise is nearest to the expected one, together p (Meister et al. 2022)."""

    share: float
    name: str = "typical"

    def __call__(self, scores: Tensor, said: Said) -> Tensor:
        logs = scores.log_softmax(-1)
        expected = torch.special.entr(logs.exp()).sum(-1, keepdim=True)
        return _nucleus(scores, (-logs - expected).abs(), self.share)


def _nucleus(scores: Tensor, rank: Tensor, share: float) -> Tensor:
    """The first by rank until they have the share; the one that reaches it is in."""
    order = rank.argsort(dim=-1, stable=True)
    reached = scores.softmax(-1).gather(-1, order).cumsum(-1)
    late = (reached - scores.softmax(-1).gather(-1, order)) >= share
    late[:, 0] = False
    return scores.masked_fill(torch.zeros_like(late).scatter(-1, order, late), BARRED)


def _barred(scores: Tensor, tokens: Sequence[Ids]) -> Tensor:
    """Without these tokens of each row."""
    if not any(tokens):
        return scores
    scores = scores.clone()
    for row, ids in enumerate(tokens):
        scores[row, list(ids)] = BARRED
    return scores


@dataclass(frozen=True, eq=False)
class Weighed:
    """The scores of one step [N V]: the model's log-probabilities, and what each rule left."""

    stages: list[tuple[str, Tensor]]

    @classmethod
    def of(cls, scores: Float[Tensor, "N V"], rules: Sequence[Rule], said: Said) -> "Weighed":
        """The rules, one after another."""
        stages = [("model", scores)]
        for rule in rules:
            after = rule(stages[-1][1], said)
            if after is not stages[-1][1]:
                stages.append((rule.name, after))
        return cls(stages)

    @property
    def scores(self) -> Float[Tensor, "N V"]:
        """What the rules left."""
        return self.stages[-1][1]

    def more(self, name: str, scores: Float[Tensor, "N V"]) -> "Weighed":
        """After one more change."""
        return Weighed([*self.stages, (name, scores)])

    def rows(self, start: int, stop: int) -> "Weighed":
        """Some of the branches."""
        return Weighed([(name, scores[start:stop]) for name, scores in self.stages])
