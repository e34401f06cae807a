"""A run on ids: the trace of what was asked for, and no text."""

import torch
from torch import Tensor

from pellucid.models.model import Model
from pellucid.record.note import listening
from pellucid.record.recorder import Recorder
from pellucid.record.trace import Trace


@torch.no_grad()
def looked(model: Model, keep: tuple[str, ...], **inputs: Tensor | None) -> Trace:
    """What `model.see` records of a text, of the inputs of `forward`."""
    recorder = Recorder(keep)
    with listening(recorder):
        model.forward(**inputs)
    about = {"dtype": str(model.dtype).removeprefix("torch."), "config": vars(model.config)}
    return Trace.of(recorder, {}, about)
