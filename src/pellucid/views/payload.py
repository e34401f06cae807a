"""What the page is given: the graph, the causes of what it shows, and the words to show.

Scores, weights and all else that grows with the square of the text are left out: the page derives
them from queries, keys and values by the same graph (`web/trace.js`, `formula/algebra.js`).
"""

import base64
import math
import re
from dataclasses import dataclass
from itertools import chain, groupby
from typing import Any

import torch
from torch import Tensor

from pellucid.errors import UsageError
from pellucid.record.answers import Answers
from pellucid.record.store import SMALL
from pellucid.record.tokens import Tokens
from pellucid.record.trace import Trace
from pellucid.record.tree import written
from pellucid.views.labels import label, spaced

FORMAT = 1
STEPS = "q k scores scaled biased masked weights v mixed".split()
WEIGHTS = re.compile(r"((\w+)\.(\d+)\.(attention|cross))\.weights")

# how a tensor's numbers are written; those of any other kind as float32, which holds bf16 exactly
KINDS = {
    torch.bool: ("uint8", torch.uint8),
    torch.int64: ("int32", torch.int32),
    torch.float64: ("float64", torch.float64),
}

Data = dict[str, Any]


@dataclass(frozen=True)
class Attention:
    """One attention sub-layer: `encoder.3.attention` is of the encoder, layer 3."""

    place: str
    stack: str
    layer: int
    part: str

    @property
    def kind(self) -> tuple[bool, str, str]:
        """What stands together on the page: encoder before decoder, attention before cross."""
        return self.stack == "decoder", self.stack, self.part

    def steps(self, trace: Trace) -> list[str]:
        """The names of the steps that are shown."""
        names = [f"{self.place}.{step}" for step in STEPS]
        return [name for name in names if name in trace.nodes]


def payload(trace: Trace, weights: str) -> Data:
    """The trace as plain data; with weights="all" weights of any size may come along."""
    largest = math.inf if weights == "all" else SMALL
    causes = {each: _causes(trace, each, largest) for each in _attentions(trace)}
    shown = {each: names for each, names in causes.items() if names is not None}
    if not shown:
        raise UsageError(
            "The trace holds no attention that a page could show; look again with a wider `keep`."
        )
    answers = trace.answers()
    return {
        "format": FORMAT,
        "about": finite({key: of for key, of in trace.about.items() if key != "answers"}),
        "texts": {name: [_tokens(text) for text in texts] for name, texts in trace.texts.items()},
        "nodes": [n.to_json() | {"written": written(trace, n.name)} for n in trace.nodes.values()],
        "values": {name: _numbers(trace, name) for name in sorted(set().union(*shown.values()))},
        "stacks": [_stack(trace, list(of)) for _, of in groupby(shown, lambda each: each.kind)],
        "answers": finite(_answers(answers)) if answers else None,
    }


def _attentions(trace: Trace) -> list[Attention]:
    matches = filter(None, map(WEIGHTS.fullmatch, trace.names("*.weights")))
    found = [Attention(m[1], m[2], int(m[3]), m[4]) for m in matches]
    return sorted(found, key=lambda each: (each.kind, each.layer))


def _causes(trace: Trace, attention: Attention, largest: int | float) -> set[str] | None:
    """What all steps of an attention follow from; None where some of it was not kept."""
    causes, waiting, seen = set[str](), attention.steps(trace), set[str]()
    while waiting:
        name = waiting.pop()
        small = name in trace.weights and trace.weights[name].numel() <= largest
        if name in trace.held or small:
            causes.add(name)
        elif name in trace.nodes and (parents := trace.nodes[name].parents):
            waiting += [parent for parent in parents if parent not in seen]
            seen.update(parents)
        else:
            return None
    return causes


def _stack(trace: Trace, same: list[Attention]) -> Data:
    """Layers of one kind: what their rows and columns stand for, and how many heads they have."""
    first = same[0]
    return {
        "stack": first.stack,
        "part": first.part,
        "heads": _heads(trace, f"{first.place}.q"),
        "rows": _stream(trace, f"{first.place}.weights", "T"),
        "columns": _stream(trace, f"{first.place}.weights", "S"),
        "layers": [
            {"layer": each.layer, "place": each.place, "steps": each.steps(trace)} for each in same
        ],
    }


def _heads(trace: Trace, name: str) -> int:
    """How many heads a value has been cut into."""
    formula = trace.nodes[name].formula
    if formula is None:
        return trace.held[name].shape[1]
    return int(formula.settings.get("heads") or _heads(trace, formula.parents[0]))


def _stream(trace: Trace, name: str, axis: str) -> str | None:
    """The stream of text whose tokens an axis stands for."""
    tokens = trace.tokens(name, axis) if trace.texts else None
    return next((stream for stream, texts in trace.texts.items() if texts[0] is tokens), None)


def _tokens(text: Tokens) -> Data:
    return text.to_json() | {"labels": [label(one) for one in text.labels()]}


def _answers(answers: Answers) -> Data:
    data = answers.to_json()
    for word in chain.from_iterable(chain.from_iterable(data["words"])):
        word["piece"] = spaced(word["piece"])
    return data


def _numbers(trace: Trace, name: str) -> Data:
    """A tensor, sentence by sentence: little-endian numbers in base64."""
    tensor = trace[name].detach().cpu()
    batched = name in trace.nodes and trace.nodes[name].axes.startswith("B")
    sentences = tensor if batched else tensor[None]
    kind, exact = KINDS.get(tensor.dtype, ("float32", torch.float32))
    return {
        "kind": kind,
        "shape": list(sentences.shape[1:]),
        "data": [_base64(sentence.to(exact)) for sentence in sentences],
    }


def _base64(tensor: Tensor) -> str:
    numbers = tensor.numpy()
    little_endian = numbers.astype(numbers.dtype.newbyteorder("<"))
    return base64.b64encode(little_endian.tobytes()).decode("ascii")


def finite(data: Any) -> Any:
    """The data without NaN and infinities, which JSON cannot hold."""
    if isinstance(data, dict):
        return {key: finite(each) for key, each in data.items()}
    if isinstance(data, list | tuple):
        return [finite(each) for each in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data
