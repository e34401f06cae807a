"""What the page is given: the graph, the causes of what it shows, and the words to show.

Scores, weights and all else that grows with the square of the text are left out: the page derives
them from queries, keys and values by the same graph (`web/reading.js`, `formula/algebra.js`). A
small trace goes into the page whole, so that a change there can be followed to the answers.
"""

import math
import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import chain
from typing import Any

from torch import Tensor

from pellucid.errors import PellucidError, UsageError
from pellucid.record.answers import Answers
from pellucid.record.node import Node
from pellucid.record.printed import in_words
from pellucid.record.store import SMALL
from pellucid.record.stream import had
from pellucid.record.tokens import Tokens
from pellucid.record.trace import Trace
from pellucid.record.tree import written
from pellucid.views.attentions import Attention, attentions, causes, stacks
from pellucid.views.code import line_of
from pellucid.views.in_short import in_short, nodes
from pellucid.views.labels import label, printable, spaced
from pellucid.views.packing import EXACT, Packed, Stored, pack_numbers, store

FORMAT = 2
WHOLE = 250_000  # numbers; a trace of no more goes into the page with its weights
LARGEST = 80e6  # bytes of a page that a browser opens at once
BEST, LIKELIEST = 5, 40  # answers
COARSE = 7  # bits of what is only looked at, never computed with
LAYER = re.compile(r"\w+\.\d+(?=\.)")

# so many numbers are stored in so many bits each: the longer the text, the smaller its pictures
BITS = ((WHOLE, EXACT), (1_500_000, 15), (4_000_000, 14), (math.inf, 12))

Data = dict[str, Any]


@dataclass(frozen=True)
class Payload:
    """The description of a trace as plain data, and its numbers part by part."""

    about: Data
    parts: dict[str, Packed]


def payload(
    trace: Trace, weights: str = "small", layers: Sequence[int] | None = None, share: float = 1.0
) -> Payload:
    """The trace for the page; with weights="all" weights of any size come along.

    Of all layers only some may be wanted. A page has room for a `share` of what a browser opens.
    """
    shown, needed = _shown(trace, math.inf if weights == "all" else SMALL, layers)
    beside = {
        name
        for name in trace.nodes.keys() - needed
        if _is_beside(trace, name, shown) and not _follows(trace, name, needed)
    }
    whole = weights == "all" or (layers is None and _is_small(trace))
    bits = _precisions(trace, needed, beside, whole=whole)
    _check_size(trace, bits, LARGEST * share)
    values, contents = _stored(trace, bits, shown)
    answers, code = trace.answers(LIKELIEST), dict[str, int]()
    about = {
        "format": FORMAT,
        "about": finite(_about(trace)),
        "texts": {name: [_tokens(text) for text in texts] for name, texts in trace.texts.items()},
        "nodes": [_node(trace, node, code) for node in trace.nodes.values()] + nodes(list(values)),
        "code": list(code),
        "values": values,
        "bits": _coarsest(values, bits),
        "stacks": stacks(trace, shown),
        "answers": finite(_answers(answers)) if answers else None,
        "follows": finite(trace.follows()),
        "vocabulary": _vocabulary(trace, values),
    }
    return Payload(about, {part: pack_numbers(of) for part, of in contents.items()})


def _shown(
    trace: Trace, largest: float, layers: Sequence[int] | None
) -> tuple[list[Attention], set[str]]:
    """The attention sub-layers that are wanted and whose causes were kept, and these causes."""
    found = {
        each: causes(trace, [n for n in each.steps(trace) if not n.endswith(".output")], largest)
        for each in attentions(trace)
        if layers is None or each.layer in layers
    }
    kept = {each: names for each, names in found.items() if names is not None}
    if not kept:
        raise UsageError(
            "The trace holds no attention that a page could show; look again with a wider `keep`."
        )
    return list(kept), set().union(*kept.values())


def _all(trace: Trace) -> set[str]:
    """All that was recorded, and the weights that something follows from."""
    used = {parent for node in trace.nodes.values() for parent in node.parents}
    return trace.held.keys() | {name for name in trace.weights if name in used}


def _is_small(trace: Trace) -> bool:
    return _numbers(trace, _all(trace)) <= WHOLE


def _precisions(trace: Trace, needed: set[str], beside: set[str], *, whole: bool) -> dict[str, int]:
    """What is stored, each by its name, and in how many bits a number."""
    if whole:
        return dict.fromkeys(sorted(_all(trace)), EXACT)
    cut = needed & _cut(trace).keys()
    count = _numbers(trace, cut)
    bits = next(bits for most, bits in BITS if count <= most)
    coarse = COARSE if bits < EXACT else EXACT
    return {
        name: bits if name in cut else coarse if name in beside else EXACT
        for name in sorted(needed | beside)
    }


def _cut(trace: Trace) -> dict[str, int]:
    """What is cut into heads, and into how many."""
    return {
        node.parents[0]: node.formula.settings["heads"]
        for node in trace.nodes.values()
        if node.formula and node.formula.operation.name == "split_heads"
    }


def _is_beside(trace: Trace, name: str, shown: list[Attention]) -> bool:
    """Whether it is looked at though nothing is computed from it.

    That is a sub-layer's own output, and what the vectors of the tokens are added up from.
    """
    place, _, step = name.rpartition(".")
    if step == "output":
        return name in trace.held and any(place == each.place for each in shown)
    own = name.endswith(("embed.words", "embed.positions", "embed.segments"))
    return own and had(trace, name, {}) is not None


def _follows(trace: Trace, name: str, needed: Set[str]) -> bool:
    """Whether a value follows from what the page has anyway."""
    found = causes(trace, [name])
    return found is not None and found <= needed


def _numbers(trace: Trace, names: set[str]) -> int:
    return sum(_given(trace, name).numel() for name in names)


def _given(trace: Trace, name: str) -> Tensor:
    """A value or a weight, whatever has become of the weight since."""
    return trace.weights[name] if name in trace.weights else trace[name]


def _check_size(trace: Trace, bits: dict[str, int], most: float) -> None:
    size = sum(_given(trace, name).numel() * of for name, of in bits.items()) / 8 * 5 / 4
    if size > most:
        raise PellucidError(
            f"The page would have about {in_words(size)}{' a text' if most < LARGEST else ''}, "
            f"more than a browser opens gladly ({in_words(most)}); shorten the text, or give it "
            "fewer layers (--layers 0-3; in Python see(…, keep='encoder.3.*'), or layers=[3] "
            "where a comparison is saved)."
        )


def _stored(
    trace: Trace, bits: dict[str, int], shown: list[Attention]
) -> tuple[Data, dict[str, bytes]]:
    """Where each value lies, and the bytes of each part: a layer, or what is of no layer."""
    values, contents, heads = dict[str, Any](), dict[str, bytearray](), _cut(trace)
    whole = {name: _store(trace, name, of, heads.get(name, 1)) for name, of in bits.items()}
    short = {
        name: store(of, EXACT, 1)
        for name, of in in_short(trace, shown).items()
        if not _follows(trace, name, bits.keys())
    }
    for name, stored in {**short, **whole}.items():
        part = found[0] if (found := LAYER.match(name)) else "all"
        content = contents.setdefault(part, bytearray())
        values[name] = stored.about | {"part": part, "at": len(content)}
        content += stored.planes
    return values, {part: bytes(content) for part, content in contents.items()}


def _store(trace: Trace, name: str, bits: int, heads: int) -> Stored:
    """Each head's numbers in a row share a scale."""
    tensor = trace[name]
    batched = name in trace.nodes and trace.nodes[name].axes.startswith("B")
    return store(tensor if batched else tensor[None], bits, tensor.shape[-1] // heads)


def _coarsest(values: Data, bits: dict[str, int]) -> int:
    """In how many bits a number is stored that others are computed from."""
    scaled = {bits[name] for name, stored in values.items() if stored["kind"] == "scaled"}
    return min(scaled - {COARSE}, default=EXACT)


def _node(trace: Trace, node: Node, code: dict[str, int]) -> Data:
    """A value's formula, and where the code is that makes it: a number among all such lines."""
    data = node.to_json() | {"written": written(trace, node.name)}
    norm = trace.about.get("config", {}).get("norm")
    line = line_of(node, (norm,) if norm else ())
    return data | ({"line": code.setdefault(line, len(code))} if line else {})


def _about(trace: Trace) -> Data:
    """What is known about the run; its answers have a place of their own."""
    about = {key: of for key, of in trace.about.items() if key != "answers"}
    if "generation" in about:
        found, tree = about["generation"]["answers"], about["generation"]["tree"]
        rows = [row | {"piece": spaced(row["piece"])} for row in tree["candidates"]]
        about["generation"] = {
            "answers": [{"text": printable(a["text"]), "score": a["score"]} for a in found],
            "tree": tree | {"candidates": rows},
        }
    return about


def _tokens(text: Tokens) -> Data:
    return text.to_json() | {"labels": [label(one) for one in text.labels()]}


def _vocabulary(trace: Trace, values: Data) -> list[str]:
    """All words, where the page has their vectors and can so answer anew under a change."""
    size = len(trace.weights["embed.words.weight"]) if "embed.words.weight" in values else 0
    return [spaced(trace.piece(at)) for at in range(size)] if trace.piece else []


def _answers(answers: Answers) -> Data:
    """The best few everywhere, and more where the text may go on, to draw lots from."""
    data = answers.to_json()
    for sentence in data["words"]:
        sentence[:-1] = [position[:BEST] for position in sentence[:-1]]
    for word in chain.from_iterable(chain.from_iterable(data["words"])):
        word["piece"] = spaced(word["piece"])
    return data


def finite(data: Any) -> Any:
    """The data without NaN and infinities, which JSON cannot hold."""
    if isinstance(data, dict):
        return {key: finite(each) for key, each in data.items()}
    if isinstance(data, list | tuple):
        return [finite(each) for each in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data
