"""The attention sub-layers that a page shows, and the causes they follow from."""

import re
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from pellucid.record.store import SMALL
from pellucid.record.trace import Trace

STEPS = "q k scores scaled bias biased masked weights v mixed output".split()
WEIGHTS = re.compile(r"((\w+)\.(\d+)\.(attention|cross))\.weights")


@dataclass(frozen=True)
class Attention:
    """One attention sub-layer: `encoder.3.attention` is of the encoder, layer 3."""

    place: str
    stack: str
    layer: int
    part: str

    @property
    def kind(self) -> tuple[bool, str, str]:
        """What stands together on the page: encoder before decoder, attention before cross."""
        return self.stack == "decoder", self.stack, self.part

    def steps(self, trace: Trace) -> list[str]:
        """The names of the steps that are shown."""
        names = [f"{self.place}.{step}" for step in STEPS]
        return [name for name in names if name in trace.nodes]


def attentions(trace: Trace) -> list[Attention]:
    """All of a trace, in the order of the page."""
    matches = filter(None, map(WEIGHTS.fullmatch, trace.names("*.weights")))
    found = [Attention(m[1], m[2], int(m[3]), m[4]) for m in matches]
    return sorted(found, key=lambda each: (each.kind, each.layer))


def causes(trace: Trace, names: list[str], largest: float = SMALL) -> set[str] | None:
    """What these values follow from; None where some of it was not kept.

    Of weights only those that have at most `largest` numbers.
    """
    found, waiting, seen = set[str](), list(names), set[str]()
    while waiting:
        name = waiting.pop()
        small = name in trace.weights and trace.weights[name].numel() <= largest
        if name in trace.held or small:
            found.add(name)
        elif name in trace.nodes and (parents := trace.nodes[name].parents):
            waiting += [parent for parent in parents if parent not in seen]
            seen.update(parents)
        else:
            return None
    return found


def stacks(trace: Trace, shown: list[Attention]) -> list[dict[str, Any]]:
    """Layers of one kind: what their rows and columns stand for, and how many heads they have."""
    return [_stack(trace, list(same)) for _, same in groupby(shown, lambda each: each.kind)]


def _stack(trace: Trace, same: list[Attention]) -> dict[str, Any]:
    first = same[0]
    return {
        "stack": first.stack,
        "part": first.part,
        "heads": heads(trace, f"{first.place}.q"),
        "rows": _stream(trace, f"{first.place}.weights", "T"),
        "columns": _stream(trace, f"{first.place}.weights", "S"),
        "layers": [
            {"layer": each.layer, "place": each.place, "steps": each.steps(trace)} for each in same
        ],
    }


def heads(trace: Trace, name: str) -> int:
    """How many heads a value has been cut into."""
    formula = trace.nodes[name].formula
    if formula is None:
        return trace.held[name].shape[1]
    return int(formula.settings.get("heads") or heads(trace, formula.parents[0]))


def _stream(trace: Trace, name: str, axis: str) -> str | None:
    """The stream of text whose tokens an axis stands for."""
    tokens = trace.tokens(name, axis) if trace.texts else None
    return next((stream for stream, texts in trace.texts.items() if texts[0] is tokens), None)
