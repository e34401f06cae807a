"""Names of weights: a reversible table between a checkpoint's names and ours.

A rule is a pair of name patterns; `*` stands for the number of a layer. One of their tensors may
hold several of ours one after another (GPT-2's query, key and value), and may lie transposed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Rule:
    """Ours (one name, or several that theirs holds in this order) and theirs."""

    ours: tuple[str, ...]
    theirs: str
    layout: str = "same"  # or "transposed": theirs lies (in, out)


def same(ours: str, theirs: str) -> Rule:
    """The weight is the same; only its name differs."""
    return Rule((ours,), theirs)


def numbered(rule: Rule, layers: int) -> Iterator[Rule]:
    """The rule for each layer, or the rule itself where it names no layer."""
    for at in range(layers) if "*" in rule.theirs else [0]:
        number = str(at)
        names = tuple(name.replace("*", number) for name in rule.ours)
        yield Rule(names, rule.theirs.replace("*", number), rule.layout)


def to_ours(rule: Rule, tensor: Tensor) -> dict[str, Tensor]:
    """Our tensors out of one of theirs."""
    tensor = tensor.t() if rule.layout == "transposed" and tensor.dim() == 2 else tensor
    parts = tensor.chunk(len(rule.ours), dim=0)
    return {name: part.contiguous() for name, part in zip(rule.ours, parts, strict=True)}


def to_theirs(rule: Rule, ours: Mapping[str, Tensor]) -> Tensor:
    """One of their tensors out of ours."""
    tensor = torch.cat([ours[name] for name in rule.ours], dim=0)
    return tensor.t().contiguous() if rule.layout == "transposed" and tensor.dim() == 2 else tensor
