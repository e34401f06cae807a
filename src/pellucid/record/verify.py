"""Verifying: every value recomputed in float64 from its parents."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from pellucid.errors import UsageError
from pellucid.record.tree import written

if TYPE_CHECKING:
    from pellucid.record.trace import Trace


@dataclass(frozen=True)
class Check:
    """How far one value is from its formula.

    `difference` is relative: the largest |value − float64| over the largest |float64| of the
    whole tensor, infinities having to agree in place.
    """

    name: str
    formula: str
    difference: float


class Verification(list[Check]):
    """All checks of a trace; prints the largest differences first.

    `left_out` are the values that could not be checked, for want of their parents.
    """

    left_out: tuple[str, ...] = ()

    @property
    def worst(self) -> Check:
        """The value furthest from its formula."""
        return max(self, key=lambda check: check.difference)

    def __str__(self) -> str:
        worst_first = sorted(self, key=lambda check: -check.difference)[:20]
        lines = [f"{c.difference:9.1e}  {c.name} = {c.formula}" for c in worst_first]
        left = f" ({len(self.left_out)} left out, for want of parents)" if self.left_out else ""
        return "\n".join([f"{len(self)} values recomputed in float64{left}; the furthest:", *lines])


@torch.no_grad()
def verify(trace: Trace, pattern: str) -> Verification:
    """Compare each value that has a formula with the formula in float64.

    The parents are taken as they are in the trace, in the model's precision; what is derived on
    the way is forgotten when the next layer begins, so memory stays small.
    """
    checks, known, place = Verification(), dict[str, Tensor](), ""
    for name in trace.names(pattern):
        node = trace.nodes[name]
        if node.formula is None:
            continue
        if any(trace.kind(needed) == "missing" for needed in (name, *node.parents)):
            checks.left_out += (name,)
            continue
        if node.place != place:
            known, place = {}, node.place
        operands = [exact(trace.value(parent, known)) for parent in node.parents]
        difference = apart(trace.value(name, known), node.formula.compute(*operands))
        checks.append(Check(name, written(trace, name), difference))
    if not checks:
        raise UsageError(f"Nothing in {pattern!r} can be verified; trace.tree() lists all names.")
    return checks


def exact(x: Tensor) -> Tensor:
    return x.double() if x.is_floating_point() else x


def apart(value: Tensor, truth: Tensor) -> float:
    """The relative difference; infinite where an infinity or a NaN stands alone."""
    value, truth = value.double(), truth.double()
    finite = truth.isfinite()
    if not torch.equal(value.where(~finite, 0), truth.where(~finite, 0)):
        return math.inf
    if not finite.any():
        return 0.0
    largest = truth.where(finite, 0).abs().max().item()
    difference = (value - truth).where(finite, 0).abs().max().item()
    return math.inf if math.isnan(difference) else difference / (largest or 1.0)
