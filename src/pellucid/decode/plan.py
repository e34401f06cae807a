"""From choices to plans: what each text's search is to do, with this model's tokens."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import torch

from pellucid.decode.choices import Choices
from pellucid.decode.rules import (
    Forbidden,
    Forced,
    MinP,
    NoRepeat,
    NotYet,
    Repetition,
    Rule,
    Temperature,
    TopK,
    TopP,
    Typical,
)
from pellucid.decode.said import Said
from pellucid.decode.search import Plan
from pellucid.decode.words import joined, pieces, runs
from pellucid.errors import UsageError
from pellucid.models.model import Model


@dataclass(frozen=True)
class Planner:
    """Plans for a model's texts; all that can be wrong is found before the model runs."""

    model: Model
    choices: Choices
    said: Said
    seed: int

    @classmethod
    def of(cls, model: Model, choices: Choices, said: Said) -> "Planner":
        """Without a seed one is drawn, so that the answers can be had again."""
        seed = int(torch.randint(2**31, ())) if choices.seed is None else choices.seed
        planner = cls(model, choices, said, seed)
        planner.check_tokens()
        return planner

    def plan(self, prompt: Sequence[int]) -> Plan:
        """The plan for one prompt."""
        c, limit = self.choices, self.limit(len(prompt))
        return Plan(
            prompt=prompt,
            limit=limit,
            ends=self.said.ends,
            rules=tuple(self._rules(len(prompt), limit)),
            stopped=partial(self._stopped, prompt) if c.words("stop") else None,
            beams=c.beams,
            groups=c.groups,
            diversity=c.diversity,
            penalty=c.penalty,
            length_penalty=c.length_penalty,
            stopping=c.stopping,
            must=self._must(limit),
            samples=c.samples,
            seed=self.seed,
        )

    def limit(self, prompt: int) -> int:
        """The most tokens to generate: what was chosen, within what the model's positions reach."""
        longest = self.model.config.longest or int(self.model.settings.get("n_positions") or 0)
        room = longest - prompt if longest else 0
        if longest and room < 1:
            raise UsageError(
                f"The prompt has {prompt} tokens; this model's positions reach {longest}, "
                "so there is no room for an answer. Shorten it."
            )
        wanted = self.choices.max_new_tokens or self._left(prompt)
        if not wanted and not room:
            raise UsageError("This model knows no longest text; say max_new_tokens.")
        if self.choices.max_new_tokens > room > 0:
            raise UsageError(
                f"{prompt} tokens and {wanted} new ones are more than this model's positions "
                f"reach, {longest}; at most {room} can be generated."
            )
        return min(filter(None, (wanted, room)))

    def _left(self, prompt: int) -> int:
        """What the checkpoint's max_length leaves beside the prompt; 0 where it says none."""
        longest = self.said.max_length
        if 0 < longest <= prompt:
            raise UsageError(
                f"The prompt has {prompt} tokens; prompt and answer together have at most "
                f"{longest}, says the checkpoint (max_length). Shorten it, or say max_new_tokens."
            )
        return max(0, longest - prompt)

    def check_tokens(self) -> None:
        """Refuse forced tokens that there are not."""
        for step, token in self.choices.forced.items():
            if not 0 <= token < self.model.config.vocabulary or step < 0:
                raise UsageError(
                    f"Forced is token {token} at step {step}; this model's tokens are 0 to "
                    f"{self.model.config.vocabulary - 1}, and steps count from 0."
                )

    def _rules(self, prompt: int, limit: int) -> Iterator[Rule]:
        """In their order: what changes logits, what bars tokens, what cuts off before drawing."""
        c, said = self.choices, self.said
        if c.repetition != 1:
            yield Repetition(c.repetition, c.scope)
        if c.no_repeat:
            yield NoRepeat(c.no_repeat, c.scope)
        if barred := (*said.barred, *self._forbidden()):
            yield Forbidden(barred)
        if said.not_first:
            yield Forbidden(said.not_first, only_first=True, name="not first")
        if least := max(c.min_new_tokens, said.min_length - prompt):
            yield NotYet(said.ends, min(least, limit))
        if forced := self._forced(limit):
            yield Forced(forced)
        yield from self._drawing()

    def _drawing(self) -> Iterator[Rule]:
        c = self.choices
        if c.temperature != 1:
            yield Temperature(c.temperature)
        if c.top_k:
            yield TopK(c.top_k)
        if c.top_p < 1:
            yield TopP(c.top_p)
        if c.min_p:
            yield MinP(c.min_p)
        if c.typical < 1:
            yield Typical(c.typical)

    def _forced(self, limit: int) -> dict[int, int]:
        first = [] if self.said.first is None else [self.said.first]
        begun = [*first, *(pieces(self.model, self.choices.prefix) if self.choices.prefix else [])]
        if len(begun) > limit:
            raise UsageError(f"The prefix has {len(begun)} tokens; at most {limit} are generated.")
        last = {} if self.said.last is None else {limit - 1: self.said.last}
        return {**last, **dict(enumerate(begun)), **self.choices.forced}

    def _forbidden(self) -> list[tuple[int, ...]]:
        return [run for word in self.choices.words("forbid") for run in runs(self.model, word)]

    def _must(self, limit: int) -> dict[str, list[tuple[int, ...]]]:
        must = {word: runs(self.model, word) for word in self.choices.words("must")}
        barred = {run[0] for run in (*self.said.barred, *self._forbidden()) if len(run) == 1}
        for word, ways in must.items():
            if min(map(len, ways)) > limit:
                raise UsageError(f"{word!r} is longer than the {limit} tokens to generate.")
            must[word] = [run for run in ways if not barred.intersection(run)]
            if not must[word]:
                raise UsageError(f"{word!r} must come and is forbidden; choose one.")
        if sum(min(map(len, ways)) for ways in must.values()) > limit:
            raise UsageError(f"{' and '.join(map(repr, must))} do not fit into {limit} tokens.")
        return must

    def _stopped(self, prompt: Sequence[int], ids: list[int]) -> bool:
        said = joined(self.model, ids, prompt)
        return any(stop in said for stop in self.choices.words("stop"))
