"""Running searches: a batch of texts is read on until each has its answers."""

from collections.abc import Iterator, Sequence

import torch

from pellucid.decode.beam import Beam, Diverse
from pellucid.decode.constrained import Constrained
from pellucid.decode.reading import Reading
from pellucid.decode.search import Plan, Search
from pellucid.decode.tree import Node
from pellucid.decode.walk import Walk


def search_for(plan: Plan) -> Search:
    """The search that a plan asks for."""
    if plan.must:
        return Constrained(plan)
    if plan.groups > 1:
        return Diverse(plan)
    return Beam(plan) if plan.beams > 1 else Walk(plan)


def steps(reading: Reading, searches: Sequence[Search]) -> Iterator[None]:
    """Grow all searches together, step by step; texts that have their answers drop out."""
    logits, waiting = reading.begin(), list(searches)
    while True:
        before = [list(search.live) for search in waiting]
        for rows, search in zip(logits, waiting, strict=True):
            search.grow(rows)
        yield
        on = [at for at, search in enumerate(waiting) if search.live]
        if not on:
            return
        if len(on) < len(waiting):
            reading.keep(on)
        waiting = [waiting[at] for at in on]
        logits = reading.go_on(*_next(waiting, [before[at] for at in on], reading))


def _next(
    searches: Sequence[Search], before: Sequence[list[Node]], reading: Reading
) -> tuple[torch.Tensor, torch.Tensor]:
    """Each branch's token, and which of the former branches it goes on from, B N.

    A text with fewer branches than others has its first one more than once.
    """
    most = max(len(search.live) for search in searches)
    tokens, parents = [], []
    for search, former in zip(searches, before, strict=True):
        places = {id(node): at for at, node in reversed(list(enumerate(former)))}
        rows = search.live + search.live[:1] * (most - len(search.live))
        tokens.append([node.token for node in rows])
        parents.append([places[id(node.parent)] for node in rows])
    device = reading.model.device
    return torch.tensor(tokens, device=device), torch.tensor(parents, device=device)
