"""Finding the first number that is none (NaN or infinite), by its name in the trace."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager

import torch
from torch import Tensor, nn

from pellucid.record.note import Noted, listening
from pellucid.train.batches import Batch
from pellucid.train.loss import Smoothing
from pellucid.train.terms import losses


class Finder:
    """Hears what layers note on the way forward, and what comes back to it as a gradient."""

    def __init__(self) -> None:
        self.found = ""

    def hear(self, layer: Noted, values: Mapping[str, Tensor], *, hold: bool) -> None:
        """The values of a layer."""
        for local, value in values.items():
            if value.is_floating_point():
                name = f"{layer.path}.{local}"
                self._look(name, value)
                if value.requires_grad:
                    value.register_hook(
                        lambda grad, name=name: self._look(f"{name}, its gradient", grad)
                    )

    def _look(self, name: str, value: Tensor) -> None:
        if not self.found and not bool(torch.isfinite(value).all()):
            self.found = name


def first_odd(
    model: nn.Module,
    batches: Sequence[Batch],
    around: Callable[[int], AbstractContextManager[object]],
) -> str:
    """The name of the first number that is none, on the way forward or back."""
    for name, parameter in model.named_parameters():
        if not bool(torch.isfinite(parameter).all()):
            return f"the weight {name}"
    finder = Finder()
    for number, batch in enumerate(batches):
        model.zero_grad(set_to_none=True)
        with around(number), listening(finder):
            sums = losses(model, batch, Smoothing())
        torch.stack([each.total for each in sums.values()]).sum().backward()
        if finder.found:
            return finder.found
    return "the loss itself"
