"""The trace as JSON that any program can read: every value with its numbers, no algebra needed."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from pellucid.errors import UsageError
from pellucid.record.store import SMALL, Wish, about
from pellucid.record.trace import Trace
from pellucid.record.tree import written
from pellucid.views.choice import head_of, in_layer, per_head
from pellucid.views.payload import finite

NOT_IN_JSON = {b"inf": b'"Infinity"', b"-inf": b'"-Infinity"', b"nan": b'"NaN"'}
FORMAT = {
    "name": "pellucid trace",
    "version": 1,
    "values": "in the order of the road: each stands after its parents; data has this shape, "
    "its axes named by letters: B sentences, T target and S source positions, H heads, D width",
    "numbers": 'in the fewest digits that give the same number again; "-Infinity" is a string, '
    "since JSON has no such number",
}


def fill(trace: Trace, path: Path, wish: Wish) -> None:
    """Write the whole trace as JSON; with weights="all" also the matrices it was made with."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(lines(trace, weights=wish.weights))


def as_json(trace: Trace, layer: int | None = None, head: int | None = None) -> dict[str, Any]:
    """The whole trace, or the part of one layer, or the steps of one head, as plain data."""
    return json.loads("".join(lines(trace, layer, head)))


def lines(
    trace: Trace, layer: int | None = None, head: int | None = None, *, weights: str = "none"
) -> Iterator[str]:
    """The same as text, a line a value: only one layer's numbers are in memory at a time."""
    texts = {stream: [t.to_json() for t in tokens] for stream, tokens in trace.texts.items()}
    parts = {"format": FORMAT, "about": finite(about(trace)), "texts": texts}
    yield "{\n"
    yield from (f"{_text(name)}: {_text(part)},\n" for name, part in parts.items())
    yield from _object("weights", _weights(trace, weights))
    yield ",\n"
    yield from _object("values", _values(trace, layer, head))
    yield "\n}\n"


def _object(name: str, entries: Iterator[tuple[str, str]]) -> Iterator[str]:
    yield f"{_text(name)}: {{"
    for at, (key, entry) in enumerate(entries):
        yield f"{',' if at else ''}\n{_text(key)}: {entry}"
    yield "\n}"


def _text(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, allow_nan=False)


def _with_numbers(entry: dict[str, Any], tensor: Tensor) -> str:
    described = _text(entry | {"shape": list(tensor.shape)})
    return f'{described[:-1]}, "data": {numbers(tensor)}}}'


def _weights(trace: Trace, which: str) -> Iterator[tuple[str, str]]:
    for name, weight in trace.weights.items():
        if which == "all" or (which == "small" and weight.numel() <= SMALL):
            yield name, _with_numbers({}, weight)


def _values(trace: Trace, layer: int | None, head: int | None) -> Iterator[tuple[str, str]]:
    """Names and entries; what was derived on the way is forgotten when the next layer begins."""
    known, place = dict[str, Tensor](), ""
    for name in trace if layer is None else in_layer(trace, layer):
        if head is not None and not per_head(trace, name):
            continue
        if trace.node(name).place != place:
            known, place = {}, trace.node(name).place
        yield name, _entry(trace, name, head, known)


def _entry(trace: Trace, name: str, head: int | None, known: dict[str, Tensor]) -> str:
    node = trace.node(name)
    entry: dict[str, Any] = {"kind": trace.kind(name)}
    entry |= {"axes": node.axes, "formula": written(trace, name), "parents": list(node.parents)}
    try:
        value = trace.value(name, known)
    except UsageError as error:
        return _text(entry | {"kind": "missing", "missing": str(error)})
    if head is not None:
        value = value[:, head_of(trace, head, value.shape[1])]
        entry |= {"head": head, "axes": node.axes.replace(" H", "").replace(" G", "")}
    return _with_numbers(entry, value)


def numbers(tensor: Tensor) -> str:
    """Nested lists; a float32 is 0.1, where its exact value would be 0.10000000149011612."""
    exact = tensor.dtype in (torch.float32, torch.float64) or not tensor.is_floating_point()
    array = (tensor if exact else tensor.float()).detach().cpu().numpy()
    if array.dtype == bool:
        words = np.where(array, b"true", b"false")
    else:  # the longest are -1.1754944e-38 and -2.2250738585072014e-308
        words = array.astype("S16" if array.itemsize < 8 else "S24")
    for name, text in NOT_IN_JSON.items():
        words[words == name] = text
    return _nested(words).decode()


def _nested(words: Any) -> bytes:
    inside = words.tolist() if words.ndim < 2 else map(_nested, words)
    return b"[" + b",".join(inside) + b"]"
