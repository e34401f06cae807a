"""Pellucid: a Transformer you can see through, and use.

import pellucid
model = pellucid.load("minilm")
trace = model.see("The bank of the river was muddy.")
trace["encoder.3.attention.weights"]
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pellucid.errors import PellucidError, UsageError
    from pellucid.models.heads import Output
    from pellucid.models.load import load
    from pellucid.models.model import Model
    from pellucid.nn.config import Config
    from pellucid.record.trace import Trace
    from pellucid.study.compare import compare
    from pellucid.study.edits import edit
    from pellucid.study.heads import heads
    from pellucid.study.induction import induction
    from pellucid.study.lens import lens
    from pellucid.study.pairs import same_sense
    from pellucid.study.senses import senses
    from pellucid.study.why import why
    from pellucid.train import train
    from pellucid.train.comparing import compare_models
    from pellucid.train.distilling import distill

__version__ = version("pellucid")

# a name and where it lives; each is imported when first asked for, so that
# `pellucid --help` need not wait for torch
HOMES = {
    "Config": "pellucid.nn.config",
    "Model": "pellucid.models.model",
    "Output": "pellucid.models.heads",
    "PellucidError": "pellucid.errors",
    "Trace": "pellucid.record.trace",
    "UsageError": "pellucid.errors",
    "compare": "pellucid.study.compare",
    "compare_models": "pellucid.train.comparing",
    "distill": "pellucid.train.distilling",
    "edit": "pellucid.study.edits",
    "heads": "pellucid.study.heads",
    "induction": "pellucid.study.induction",
    "lens": "pellucid.study.lens",
    "load": "pellucid.models.load",
    "same_sense": "pellucid.study.pairs",
    "senses": "pellucid.study.senses",
    "train": "pellucid.train",
    "why": "pellucid.study.why",
}

__all__ = [
    "Config",
    "Model",
    "Output",
    "PellucidError",
    "Trace",
    "UsageError",
    "compare",
    "compare_models",
    "distill",
    "edit",
    "heads",
    "induction",
    "lens",
    "load",
    "same_sense",
    "senses",
    "train",
    "why",
]


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"pellucid has no {name!r}; it has {', '.join(HOMES)}.")
    return getattr(import_module(HOMES[name]), name)
