"""How large a record will be, before the run."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from pellucid.errors import PellucidError
from pellucid.nn.config import Config
from pellucid.record.note import listening
from pellucid.record.printed import in_words
from pellucid.record.recorder import Recorder


def forecast(
    ghost: nn.Module, inputs: Mapping[str, Tensor | None], patterns: tuple[str, ...]
) -> int:
    """The bytes a record would hold: a run of a model whose tensors have shapes and no numbers."""
    empty = {
        name: torch.empty_like(tensor, device="meta")
        for name, tensor in inputs.items()
        if tensor is not None and "mask" not in name
    }
    recorder = Recorder(patterns)
    with torch.no_grad(), listening(recorder):
        ghost(**empty)
    return recorder.size


def at_most(config: Config, inputs: Mapping[str, Tensor | None]) -> int:
    """Bytes that no record can exceed: all a layer may note, in float64, for every token."""
    tokens = sum(x.numel() for name, x in inputs.items() if x is not None and "mask" not in name)
    wide = config.width + config.heads * max(config.per_head, config.per_value)
    layers = config.layers + config.decoder_layers + 2
    return 8 * tokens * (12 * wide * layers + config.vocabulary + config.classes)


def check_budget(size: int, budget: float) -> None:
    """Refuse a record that would hold more than the budget."""
    if size > budget:
        raise PellucidError(
            f"Looking at this would hold {in_words(size)}, more than the {in_words(budget)} "
            "allowed; shorten the text, keep less (keep='encoder.0.*'), or raise the budget."
        )
