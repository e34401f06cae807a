"""A small trace of its own: what sine and cosine are to each other.

The slope of (sine, cosine) is the same pair turned by a quarter, so each is the other's
derivative, up to a sign; and to move on by some positions is to turn the pair by an angle.
"""

import math
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from pellucid.formula import Formula
from pellucid.formula.elements import add, multiply, scale, shift
from pellucid.formula.positions import rotate, sinusoid
from pellucid.record.node import Node
from pellucid.record.trace import Trace

WAVES, PLACE = "waves", "waves."
POSITIONS, STEP, SHIFT = 32, 1e-3, 3.0
ONE, COLUMN, PAIR = "R", "1 1 P", "1 1 P W"
WAVE: dict[str, Any] = {"width": 2, "base": 1.0, "layout": "interleaved", "axes": PAIR}
TURN: dict[str, Any] = {"layout": "interleaved", "axes": PAIR}

STEPS = {
    "angle": multiply("place", "frequency", axes=COLUMN),
    "wave": sinusoid("angle", **WAVE),
    "ahead": shift("angle", by=STEP, axes=COLUMN),
    "behind": shift("angle", by=-STEP, axes=COLUMN),
    "wave_ahead": sinusoid("ahead", **WAVE),
    "wave_behind": sinusoid("behind", **WAVE),
    "minus_behind": scale("wave_behind", by=-1, axes=PAIR),
    "rise": add("wave_ahead", "minus_behind", axes=PAIR),
    "slope": scale("rise", by=1 / (2 * STEP), axes=PAIR),
    "quarter_turn": rotate("wave", "minus_quarter", "one", **TURN),
    "forward": scale("back", by=-1, axes="1 P"),
    "moved_place": add("place", "forward", axes=COLUMN),
    "moved_angle": multiply("moved_place", "frequency", axes=COLUMN),
    "moved_wave": sinusoid("moved_angle", **WAVE),
    "turned_wave": rotate("wave", "back", "frequency", **TURN),
}


def with_waves(trace: Trace) -> Trace:
    """The trace; where its positions are sinusoids, with waves to look at."""
    wave = next((f for node in trace.nodes.values() if (f := _wave(node))), None)
    if wave is None:
        return trace
    given = _given(wave.settings["base"] ** (-2 / wave.settings["width"]))
    values = {name: value for name, (value, _) in given.items()}
    for name, formula in STEPS.items():
        values[name] = formula.compute(*(values[parent] for parent in formula.parents))
    held = {f"{PLACE}{name}": value for name, value in values.items()}
    nodes = {f"{PLACE}{n}": Node(f"{PLACE}{n}", None, axes) for n, (_, axes) in given.items()}
    nodes |= {f"{PLACE}{name}": _node(name, formula) for name, formula in STEPS.items()}
    both = Trace(trace.nodes | nodes, trace.held | held, trace.weights, trace.texts, trace.about)
    both.piece = trace.piece
    return both


def _wave(node: Node) -> Formula | None:
    formula = node.formula
    return formula if formula and formula.operation.name == "sinusoid" else None


def _node(name: str, formula: Formula) -> Node:
    parents = tuple(f"{PLACE}{parent}" for parent in formula.parents)
    return Node(f"{PLACE}{name}", replace(formula, parents=parents), formula.axes)


def _given(frequency: float) -> dict[str, tuple[Tensor, str]]:
    """Positions from 0 on, the frequency of the model's second pair, and angles to turn by."""
    places = torch.arange(POSITIONS, dtype=torch.float64)
    ones = torch.ones(1, POSITIONS, dtype=torch.float64)
    return {
        "place": (places[None, None], COLUMN),
        "frequency": (torch.tensor([frequency], dtype=torch.float64), ONE),
        "one": (ones[0, :1], ONE),
        "minus_quarter": (-math.pi / 2 * ones, "1 P"),
        "back": (-SHIFT * ones, "1 P"),
    }
