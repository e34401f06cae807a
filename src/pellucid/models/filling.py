"""Filling a model with the weights of a checkpoint, so that every tensor is accounted for."""

import warnings
from dataclasses import dataclass

import torch
from torch import Tensor

from pellucid.errors import PellucidError
from pellucid.models.family import Family
from pellucid.models.model import Model
from pellucid.models.naming import Rule, find, to_ours, to_theirs
from pellucid.models.weights import Weights


@dataclass(frozen=True)
class Source:
    """Where one of our tensors comes from: their usual name for it, and the names it has here.

    `part` says which part of their tensor it is, where one of theirs holds several of ours.
    """

    rule: Rule
    part: int
    usual: str
    here: list[str]


class Filling:
    """Which of their tensors goes where; what is missing, left over or misshapen is named.

    The names in messages are those of the file.
    """

    def __init__(self, model: Model, family: Family, weights: Weights) -> None:
        self.model, self.family, self.weights = model, family, weights
        self.theirs = {family.bare(name): name for name in weights.shapes}
        self.table, self.expected = family.table(model.config), model.state()
        self.sources = {name: self._find(name) for name in self.expected}

    def fill(self, dtype: torch.dtype) -> None:
        """Put every tensor in its place, in this precision."""
        if missing := [source.usual for source in self.sources.values() if not source.here]:
            raise PellucidError(f"The weights lack {listed(missing)}.")
        state = {name: self._read(source, dtype) for name, source in self.sources.items()}
        self._check_shapes(state)
        self._check_numbers(state)
        self._check_twins()
        self._check_rest()
        self.model.load_state_dict(state, assign=True, strict=False)
        self.model.share()

    def _find(self, ours: str) -> Source:
        found = find(self.table, ours)
        if found is None:
            raise PellucidError(f"{self.family.name} has no place for {ours}.")
        rule, part, names = found
        bare = map(self.family.bare, names)
        here = [self.theirs[name] for name in bare if name in self.theirs]
        return Source(rule, part, names[0], here)

    def _read(self, source: Source, dtype: torch.dtype) -> Tensor:
        tensor = self.weights.read(source.here[0])
        if not tensor.is_floating_point():
            kind = str(tensor.dtype).removeprefix("torch.")
            raise PellucidError(
                f"{source.here[0]} is {kind}; read are float32, bfloat16 and float16, "
                "and quantized weights only from GGUF."
            )
        return to_ours(source.rule, tensor.to(dtype), source.part)

    def _check_shapes(self, state: dict[str, Tensor]) -> None:
        wrong = [
            self._odd(self.sources[name], tensor)
            for name, tensor in self.expected.items()
            if state[name].shape != tensor.shape
        ]
        if wrong:
            raise PellucidError(f"The weights contradict config.json: {listed(wrong)}.")

    def _odd(self, source: Source, expected: Tensor) -> str:
        name, rule = source.here[0], source.rule
        theirs = to_theirs(rule, [expected] * len(rule.ours))
        return f"{name} is {list(self.weights.shapes[name])}, not {list(theirs.shape)}"

    def _check_numbers(self, state: dict[str, Tensor]) -> None:
        broken = [self.sources[name].here[0] for name, tensor in state.items() if has_nan(tensor)]
        if broken:
            raise PellucidError(f"The weights are not numbers (NaN) in {listed(broken)}.")

    def _check_twins(self) -> None:
        """A tensor that the file holds under several names must be the same under each."""
        firsts = {source.here[0] for source in self.sources.values()}
        for source in self.sources.values():
            first = source.here[0]
            for other in set(source.here) - firsts:
                if not torch.equal(self.weights.read(first), self.weights.read(other)):
                    raise PellucidError(
                        f"{first} and {other} differ, but config.json says that they are tied."
                    )

    def _check_rest(self) -> None:
        """What is left over: more layers than config.json says, or something unknown."""
        used = {name for source in self.sources.values() for name in source.here}
        rest = [
            name
            for name in self.weights.shapes
            if name not in used and not name.endswith(self.family.ignored)
        ]
        if known := [name for name in rest if self.family.knows(self.family.bare(name))]:
            raise PellucidError(f"The weights hold what config.json denies: {listed(known)}.")
        if rest:
            warnings.warn(f"Weights that are not used: {listed(rest)}.", stacklevel=2)


def has_nan(tensor: Tensor) -> bool:
    """Whether a NaN is among the numbers; the sum is looked at first, as it needs no memory."""
    return bool(tensor.sum().isnan() and tensor.isnan().any())


def listed(names: list[str]) -> str:
    """A few of the names, and how many more."""
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return ", ".join(names[:4]) + more
