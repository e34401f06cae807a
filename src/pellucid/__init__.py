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
    "load": "pellucid.models.load",
}

__all__ = ["Config", "Model", "Output", "PellucidError", "Trace", "UsageError", "load"]


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"pellucid has no {name!r}; it has {', '.join(HOMES)}.")
    return getattr(import_module(HOMES[name]), name)
