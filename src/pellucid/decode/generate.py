"""Generating: texts in, answers out.

best, *others = model.generate("The seal", beams=4, best=4, max_new_tokens=20)
best.text, best.score, best.finish
print(best.terms)
print(best.tree)
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from pellucid.decode.answer import Answer, Answers, Terms, cut_at, distinct
from pellucid.decode.choices import Choices
from pellucid.decode.constrained import check_met
from pellucid.decode.fast import ROOM, pays, quick
from pellucid.decode.plan import Planner
from pellucid.decode.prompts import Prompt, prompts, side_by_side
from pellucid.decode.reading import Reading
from pellucid.decode.run import search_for, steps
from pellucid.decode.said import Said
from pellucid.decode.search import Plan, Search
from pellucid.decode.tree import Tree
from pellucid.decode.words import joined, piece
from pellucid.decode.writer import Writer, translator, writer
from pellucid.models.model import Model
from pellucid.nn.cache import STEP
from pellucid.record.batched import batched


def generate(
    model: Model,
    texts: str | Sequence[str] | None = None,
    *,
    ids: Tensor | Sequence[Sequence[int]] | None = None,
    mask: Tensor | None = None,
    **choices: Any,
) -> Any:
    """Answers to a text, the best first, or a list of them for each of several texts.

    A decoder goes on from the text, an encoder-decoder answers to it. In place of texts there may
    be ids, B T, with a mask where some are padding, on any side. See `Choices` for the rest.
    """
    generation = Generation.of(model, choices)
    found = generation.answers(prompts(model, generation.planner.said, texts, ids, mask))
    return next(iter(found)) if isinstance(texts, str) else list(found)


def translate(model: Model, texts: str | Sequence[str] | None = None, **given: Any) -> Any:
    """The same, for models that have a source and a target."""
    return generate(translator(model), texts, **given)


@dataclass(frozen=True)
class Generation:
    """A model and how it is to answer."""

    model: Writer
    planner: Planner

    @classmethod
    def of(cls, model: Model, given: dict[str, Any]) -> "Generation":
        """Checked before anything runs."""
        said = Said.of(writer(model))
        return cls(writer(model), Planner.of(model, Choices.of(given, said.choices), said))

    def answers(self, prompts: Sequence[Prompt]) -> list[Answers]:
        """The answers to each, in this order; those of like length are read side by side."""
        plans = [self.planner.plan(prompt.ids) for prompt in prompts]
        order = sorted(range(len(prompts)), key=lambda at: (len(prompts[at]), len(prompts[at].ids)))
        found: dict[int, Answers] = {}
        for batch in batched(order, self.planner.choices.batch):
            searches = [search_for(plans[at]) for at in batch]
            for _ in steps(self.reading([prompts[at] for at in batch]), searches):
                pass
            found |= zip(batch, map(self.finished, searches), strict=True)
        return [found[at] for at in range(len(prompts))]

    def seeded(self, seed: int) -> "Generation":
        """The same with another seed for what is drawn."""
        return replace(self, planner=replace(self.planner, seed=seed))

    def reading(self, prompts: Sequence[Prompt]) -> Reading:
        """These prompts side by side, to be read by the model as fast as it may be."""
        fast = quick(self.model, self.planner.choices.precision, self.compiled)
        given = side_by_side(prompts, self.model.device)
        return Reading(fast, *given, ROOM if self.compiled else STEP)

    @property
    def compiled(self) -> bool:
        """Whether the steps are compiled: as was chosen, or where it pays."""
        choices = self.planner.choices
        pays_off = choices.compiled == "where it pays" and pays(self.model, choices.max_new_tokens)
        return choices.compiled == "always" or pays_off

    def warm_up(self) -> None:
        """Compile now what is to be compiled, so that somebody can be told meanwhile."""
        branches = torch.zeros(1, self.planner.choices.beams, dtype=torch.long)
        source = () if self.model.config.shape == "decoder" else (0,)
        reading = self.reading([Prompt((self.planner.said.start or 0,), source)])
        reading.begin()
        for _ in range(2):
            reading.go_on(branches, torch.zeros_like(branches))

    def finished(self, search: Search) -> Answers:
        """The best answers of a search that is over."""
        plan, choices = search.plan, self.planner.choices
        check_met(search.ended, plan)
        tree = Tree(search.nodes, lambda token: piece(self.model, token), {"search": named(plan)})
        tree.check()
        nodes = search.answers if plan.samples else list(distinct(search.answers))
        stops = choices.words("stop")
        return Answers(
            Answer(
                text=cut_at(joined(self.model, node.ids, plan.prompt), stops),
                ids=tuple(node.ids),
                score=plan.score(node),
                finish=plan.finish(node) or "length",
                terms=Terms.of(node, plan, tree),
                tree=tree,
                seed=plan.seed if plan.samples else None,
            )
            for node in nodes[: choices.best]
        )


def named(plan: Plan) -> str:
    """What the search is called."""
    if plan.samples:
        return "sampling"
    return f"beam search, {plan.beams} beams" if plan.beams > 1 else "greedy search"
