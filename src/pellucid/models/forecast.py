"""How large a record will be, before the run."""

from collections.abc import Mapping
from itertools import chain

import torch
from torch import Tensor, nn

from pellucid.errors import PellucidError
from pellucid.record.note import listening
from pellucid.record.recorder import Recorder, in_words


def forecast(
    model: nn.Module, inputs: Mapping[str, Tensor | None], patterns: tuple[str, ...]
) -> int:
    """The bytes a record would hold: a run on tensors that have shapes and no numbers."""
    tensors = chain(model.named_parameters(), model.named_buffers())
    ghosts = {name: torch.empty_like(tensor, device="meta") for name, tensor in tensors}
    empty = {
        name: torch.empty_like(tensor, device="meta")
        for name, tensor in inputs.items()
        if tensor is not None and "mask" not in name
    }
    recorder = Recorder(patterns)
    with torch.no_grad(), listening(recorder):
        torch.func.functional_call(model, ghosts, kwargs=empty)
    return recorder.size


def check_budget(size: int, budget: float) -> None:
    """Refuse a record that would hold more than the budget."""
    if size > budget:
        raise PellucidError(
            f"Looking at this would hold {in_words(size)}, more than the {in_words(budget)} "
            "allowed; shorten the text, keep less (keep='encoder.0.*'), or raise the budget."
        )
