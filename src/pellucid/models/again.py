"""Reading again: a classifier's decoder is given the source once more, one place to the right.

Its last token then stands where the source ends, and has seen all of it (Lewis et al. 2019).
"""

from collections.abc import Mapping
from typing import Any

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from pellucid.errors import UsageError
from pellucid.formula.places import last

START, END = "decoder_start_token_id", "eos_token_id"  # in config.json


def again(
    ids: Int[Tensor, "B S"], real: Bool[Tensor, "B S"], settings: Mapping[str, Any]
) -> Int[Tensor, "B S"]:
    """The target that follows from a source: a start, then all of the source but its end.

    Each source must end with the end token. The start comes where the first real token was, so
    padding on any side changes nothing.
    """
    start, end = special(settings, START), special(settings, END)
    if not bool((last.compute(ids[..., None], real) == end).all()):
        raise UsageError(f"A text to classify must end with the end token, here {end} ({END}).")
    places = torch.arange(ids.shape[-1], device=ids.device)
    before = torch.where(real, places, 0).cummax(dim=-1).values.roll(1, dims=-1)
    return ids.gather(-1, before).masked_fill(real.cumsum(dim=-1) == 1, start)


def special(settings: Mapping[str, Any], name: str) -> int:
    """The id of a special token by its name in config.json."""
    number = settings.get(name)
    if not isinstance(number, int):
        raise UsageError(f"To classify, config.json must say {name}, one number; it is {number!r}.")
    return number
