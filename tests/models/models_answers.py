"""The same ids through a model of ours and a model of theirs."""

import json
from pathlib import Path
from typing import Any

import torch
import transformers
from torch import Tensor

from pellucid.checks.theirs import quiet
from pellucid.models.heads import Output
from pellucid.models.model import Model

IDS = torch.tensor([[5, 17, 3, 40, 8, 8, 21], [30, 4, 44, 9, 12, 6, 33]])
TARGETS = torch.tensor([[7, 19, 25, 3], [11, 45, 6, 6]])


def called(folder: Path) -> str:
    """The class that config.json names."""
    name: str = json.loads((folder / "config.json").read_text())["architectures"][0]
    return name


def theirs(folder: Path, kind: str = "") -> transformers.PreTrainedModel:
    """Their model, when it had nothing to complain of."""
    architecture = getattr(transformers, kind or called(folder))
    with quiet(transformers):
        model, info = architecture.from_pretrained(folder, output_loading_info=True)
    assert not any(info.values()), info
    return model.eval()


@torch.no_grad()
def their_answer(model: transformers.PreTrainedModel) -> Tensor:
    """The logits, or the last hidden vectors where there are none."""
    ids, target = IDS, {"decoder_input_ids": TARGETS} if model.config.is_encoder_decoder else {}
    if target and type(model).__name__.endswith("ForSequenceClassification"):
        ids, target = ended(model.config.eos_token_id), {}  # it makes its target of the source
    answer: Any = model(input_ids=ids, **target)
    found: Tensor = answer[0]
    return found


def ended(end: int) -> Tensor:
    """The same ids with an end."""
    return torch.nn.functional.pad(IDS, (0, 1), value=end)


@torch.no_grad()
def answer(model: Model) -> Tensor:
    given = (IDS, TARGETS)[: len(model.streams)]
    if model.streams == ("source",):
        given = (ended(model.settings["eos_token_id"]),)
    return first(model(*(ids % model.config.vocabulary for ids in given)))


def first(output: Output) -> Tensor:
    named = (output.classes, output.logits, output.hidden)
    return next(tensor for tensor in named if tensor is not None)


def apart(one: Tensor, other: Tensor) -> float:
    """The largest difference, relative to the largest number."""
    assert one.shape == other.shape
    return float((one - other).abs().max() / other.abs().max())
