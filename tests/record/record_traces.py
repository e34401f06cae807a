"""Traces of every kind, by name."""

import pytest
import zoo

import pellucid
from pellucid import Trace

MICE = ["mouse", "mouse-weights", "mouse-wide", "mouse-two-heads", "mouse-three-heads"]
LEARNING = ["batch", "decoder", "t5"]
TRACES = [
    "encoded", "decoded", *MICE, "mouse-causal", *zoo.ZOO, *(f"{name} train" for name in LEARNING),
]  # fmt: skip


def traced(source: str, request: pytest.FixtureRequest) -> Trace:
    """A pretrained model's trace, a mouse's, or that of an animal in the zoo."""
    if source in ("encoded", "decoded"):
        return request.getfixturevalue(source)
    if source.startswith("mouse"):
        return pellucid.load(source).see("cat mouse keyboard friends")
    name, _, mode = source.rpartition(" ")
    if mode != "train":
        model = zoo.build(source)
    else:
        model = zoo.build(name, dropout=0.1, attention_dropout=0.1).train()
    return model.see(*zoo.texts(model))
