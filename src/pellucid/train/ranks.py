"""Processes that learn together: each has a part of every step, and all have the same weights.

    torchrun --nproc-per-node 2 -m pellucid train …

Counts and gradients are added up over processes, never averaged: what divides them is the count.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import distributed, nn


@dataclass(frozen=True)
class Ranks:
    """This process and how many there are."""

    number: int = 0
    count: int = 1

    @classmethod
    def here(cls) -> "Ranks":
        """As torchrun has started us; else alone."""
        if "WORLD_SIZE" in os.environ and not distributed.is_initialized():
            distributed.init_process_group("gloo")
        if not distributed.is_initialized():
            return cls()
        return cls(distributed.get_rank(), distributed.get_world_size())

    @property
    def first(self) -> bool:
        """Whether this is the one that writes and talks."""
        return self.number == 0

    def wait(self) -> None:
        """Until all have come so far."""
        if self.count > 1:
            distributed.barrier()

    def added(self, numbers: Mapping[str, float]) -> dict[str, float]:
        """The numbers of all processes, name by name. All must have the same names."""
        if self.count == 1:
            return dict(numbers)
        names = self.names(numbers)
        whole = torch.tensor([float(numbers.get(name, 0)) for name in names], dtype=torch.float64)
        distributed.all_reduce(whole)
        return dict(zip(names, whole.tolist(), strict=True))

    def names(self, numbers: Mapping[str, float]) -> list[str]:
        """All names that some process has: one without examples has none."""
        gathered: list[list[str]] = [[] for _ in range(self.count)]
        distributed.all_gather_object(gathered, list(numbers))
        return sorted({name for names in gathered for name in names})

    def add_gradients(self, model: nn.Module) -> None:
        """The gradients of all processes, in one message."""
        if self.count == 1:
            return
        learned = [p for p in model.parameters() if p.requires_grad]
        parts = [p.grad if p.grad is not None else torch.zeros_like(p) for p in learned]
        whole = torch.cat([part.flatten() for part in parts])
        distributed.all_reduce(whole)
        cut = whole.split([p.numel() for p in learned])
        for parameter, part in zip(learned, cut, strict=True):
            parameter.grad = part.view_as(parameter)
