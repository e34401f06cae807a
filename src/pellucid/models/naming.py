"""Names of weights: a reversible table between a checkpoint's names and ours.

A rule is a pair of name patterns, usually without the last word (weight or bias): `*` stands for
the number of a layer, `**` for anything. One of their tensors may hold several of ours one after
another (GPT-2's query, key and value), and may lie transposed or as a single row.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import torch
from torch import Tensor

from pellucid.nn.config import Config

Layout = Literal["same", "transposed", "row"]


@dataclass(frozen=True)
class Rule:
    """Ours (one name, or several that theirs holds in this order) and theirs.

    `aliases` are further names under which a checkpoint may hold the same tensor. `kinds` are
    the last words that are left out of the names; none where the names are whole. `when` are
    choices of the configuration without which the rule does not hold.
    """

    ours: tuple[str, ...]
    theirs: str
    layout: Layout = "same"
    aliases: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ("weight", "bias")
    when: Mapping[str, object] = field(default_factory=dict)

    @cached_property
    def patterns(self) -> list[re.Pattern[str]]:
        """Our names as patterns; the groups are the layer's number and weight or bias."""
        return [self._pattern(name) for name in self.ours]

    def names(self, ours: str) -> tuple[int, list[str]] | None:
        """Which of the rule's parts our name is, and what they may call it."""
        for part, pattern in enumerate(self.patterns):
            if found := pattern.fullmatch(ours):
                return part, [self._fill(name, found) for name in (self.theirs, *self.aliases)]
        return None

    def holds(self, config: Config) -> bool:
        """Whether the rule is for models of this configuration."""
        return all(getattr(config, name) == choice for name, choice in self.when.items())

    def covers(self, theirs: str) -> bool:
        """Whether the rule would know this name of theirs in some layer."""
        names = (self.theirs, *self.aliases)
        return any(self._pattern(name).fullmatch(theirs) for name in names)

    def _pattern(self, name: str) -> re.Pattern[str]:
        body = re.escape(name).replace(r"\*\*", "(.+)").replace(r"\*", r"(\d+)")
        return re.compile(body + (rf"\.({'|'.join(self.kinds)})" if self.kinds else ""))

    def _fill(self, name: str, found: re.Match[str]) -> str:
        """The name with the found layer number, and weight or bias."""
        numbers = list(found.groups())
        kind = f".{numbers.pop()}" if self.kinds else ""
        for number in numbers:
            name = re.sub(r"\*+", number, name, count=1)
        return name + kind


def same(ours: str, theirs: str, *aliases: str, **when: object) -> Rule:
    """The weight is the same; only its name differs."""
    return Rule((ours,), theirs, aliases=aliases, when=when)


def to_ours(rule: Rule, tensor: Tensor, part: int) -> Tensor:
    """Our tensor out of theirs."""
    whole = torch.atleast_1d(_turned(tensor, rule.layout, back=False))
    return whole.tensor_split(len(rule.ours))[part].contiguous()


def to_theirs(rule: Rule, parts: list[Tensor]) -> Tensor:
    """Their tensor out of ours, in the rule's order."""
    whole = torch.cat(parts) if len(parts) > 1 else parts[0]
    return _turned(whole, rule.layout, back=True).contiguous()


TURNS: dict[str, Callable[[Tensor, bool], Tensor]] = {
    "same": lambda tensor, back: tensor,
    "transposed": lambda tensor, back: tensor.t() if tensor.dim() == 2 else tensor,
    "row": lambda tensor, back: tensor[None] if back else tensor.flatten(),
}


def _turned(tensor: Tensor, layout: Layout, *, back: bool) -> Tensor:
    return TURNS[layout](tensor, back)


def find(rules: tuple[Rule, ...], ours: str) -> tuple[Rule, int, list[str]] | None:
    """The rule for one of our names, which part of it, and what they may call it."""
    for rule in rules:
        if found := rule.names(ours):
            return rule, *found
    return None


def export(rules: tuple[Rule, ...], ours: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """All our tensors under their names; LookupError where the table has no rule for one."""
    gathered: dict[str, tuple[Rule, dict[int, Tensor]]] = {}
    for name, tensor in ours.items():
        found = find(rules, name)
        if found is None:
            raise LookupError(f"it has no place for {name}")
        rule, part, names = found
        gathered.setdefault(names[0], (rule, {}))[1][part] = tensor
    return {
        name: to_theirs(rule, [parts[at] for at in sorted(parts)])
        for name, (rule, parts) in gathered.items()
    }
