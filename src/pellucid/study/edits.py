"""Edits: change a value of a run, and see what follows.

A trace is a graph: every value knows what it was made from. So an edit needs no second forward
pass and no hook in any layer. It puts another number in one place of the graph and lets the
formulas carry it on; what does not depend on it is kept as it was, to the bit.

    silenced = edit(trace, silence_heads(trace, 3, [5]))        # head 5 of layer 3 gives nothing
    patched = edit(trace, patch("encoder.2.output", of=other))  # this layer as it was elsewhere
    steered = edit(trace, steer("decoder.4.output", vector))    # pushed in a direction

The edited trace shows what was done: `mixed = mixed_before ⊙ mixed_kept` for what was silenced,
`+ …_added` for what was added, with the value from before beside it. `trace.about["edits"]` says it
in words, `kind` calls such values "edited", and views, `verify` and `explain` work as ever.

What it does not show: that a head matters when silenced does not say what it does; and another may
take its place (McGrath et al. 2023, "The Hydra Effect"). Silencing puts the model where it never
was in training; patching from a real run (Meng et al. 2022, Zhang and Nanda 2023) stays nearer.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count

import torch
from torch import Tensor

from pellucid.errors import UsageError
from pellucid.formula.elements import add, multiply, rescale
from pellucid.record.node import Node
from pellucid.record.streams import stream_of
from pellucid.record.tokens import Tokens
from pellucid.record.trace import Trace

Index = tuple[int | slice | list[int], ...]
Parts = dict[str, Tensor]  # what the new value is made with beside the old: "kept", "added"


@dataclass(frozen=True)
class Edit:
    """One value changed: its name, what is done in words, and from the value the parts of it.

    `change` takes the value and gives "kept" (times which it is taken), "added", or both.
    """

    name: str
    what: str
    change: Callable[[Tensor], Parts]


FORMULAS = {
    ("kept",): multiply,
    ("added",): add,
    ("kept", "added"): rescale,  # before ⊙ kept + added
}


@torch.no_grad()
def edit(trace: Trace, *edits: Edit | Iterable[Edit]) -> Trace:
    """The trace as it would have been with these edits, one after another.

    Values that do not depend on them are shared with the old trace; of the others those that were
    recorded there are computed anew, and the rest is derived when asked for, as ever.
    """
    altered, later = trace, set[str]()
    for one in edits:
        for single in [one] if isinstance(one, Edit) else one:
            altered = _edit(altered, single)
            later |= descendants(altered, single.name)
    return recomputed(altered, [name for name in trace.held if name in later])


def _edit(trace: Trace, one: Edit) -> Trace:
    """The graph with one edit in it; values that follow from it are no longer held."""
    node, value = trace.node(one.name), trace[one.name]
    made = _changed(one, value)
    before, *parts = _names(trace, one.name)
    names = dict(zip(("kept", "added"), parts, strict=True))
    given = {names[part]: made[part] for part in made}
    formula = FORMULAS[tuple(made)](before, *given, axes=node.axes)
    _check(one, formula.compute(value, *given.values()), value)
    nodes = trace.nodes | {one.name: Node(one.name, formula, node.axes)}
    nodes |= {before: Node(before, node.formula, node.axes)}
    nodes |= {name: Node(name, None, node.axes) for name in given}
    later = descendants(trace, one.name)
    held = {name: x for name, x in trace.held.items() if name not in later}
    held |= given | ({before: value} if one.name in trace.held else {})
    return trace.altered(nodes, held, {one.name: one.what})


def _changed(one: Edit, value: Tensor) -> Parts:
    """What the new value is made with; places and vectors that are none of its own are refused."""
    try:
        return one.change(value)
    except (IndexError, RuntimeError) as error:
        raise UsageError(
            f"{one.name} {list(value.shape)} cannot be edited so ({one.what}): {error}."
        ) from error


def _names(trace: Trace, name: str) -> tuple[str, str, str]:
    """Names for the old value and what changes it; numbered where it was edited before."""
    for number in count(1):
        endings = ("before", "kept", "added")
        found = tuple(f"{name}_{end}{number if number > 1 else ''}" for end in endings)
        if found[0] not in trace.nodes:
            return found[0], found[1], found[2]
    raise AssertionError


def _check(one: Edit, after: Tensor, before: Tensor) -> None:
    if after.shape != before.shape or bool((after.isnan() & ~before.isnan()).any()):
        raise UsageError(
            f"{one.name} {list(before.shape)} cannot be edited so ({one.what}): it would become "
            f"{list(after.shape)} or no number; −∞ cannot be replaced, edit what comes before it."
        )


def descendants(trace: Trace, name: str) -> set[str]:
    """The name, and all that is made from it."""
    found = {name}
    for each, node in trace.nodes.items():  # parents stand before what is made from them
        if not found.isdisjoint(node.parents):
            found.add(each)
    return found


def recomputed(trace: Trace, names: Sequence[str]) -> Trace:
    """The trace with these values derived and held, layer by layer."""
    known: dict[str, Tensor] = {}
    wanted, place = set(names), ""
    for name, node in trace.nodes.items():
        if node.place != place:
            known, place = {}, node.place
        if name in wanted:
            trace.held[name] = trace.value(name, known)
    return trace


def silence(name: str, at: Index = (), what: str = "") -> Edit:
    """Make a value nothing, everywhere or at some index of it ([B H T S] or what its axes are)."""

    def change(value: Tensor) -> Parts:
        kept = torch.ones_like(value)
        kept[at if at else ...] = 0
        return {"kept": kept}

    return Edit(name, what or "silenced", change)


def steer(name: str, vector: Tensor, at: Index = (), strength: float = 1.0) -> Edit:
    """Add a vector to a value, everywhere or at some index (Turner et al. 2023)."""

    def change(value: Tensor) -> Parts:
        added = torch.zeros_like(value)
        added[at if at else ...] += strength * vector.to(value)
        return {"added": added}

    return Edit(name, f"steered by {strength:g} · a vector of size {vector.norm():.3g}", change)


def patch(name: str, of: Trace, at: Index = (), source: Index | None = None) -> Edit:
    """Put in what another run had there: everywhere, or at some index, taken from `source` there.

    Where the texts differ in length, say which rows: `at=(0, 4), source=(0, 6)`.
    """

    def change(value: Tensor) -> Parts:
        kept, added = torch.ones_like(value), torch.zeros_like(value)
        place = at if at else ...
        other = of[name][(at if source is None else source) or ...]
        if other.shape != value[place].shape:
            raise UsageError(
                f"{name} is {list(value[place].shape)} here and {list(other.shape)} in the other "
                "run; say which part to take (at=…, source=…)."
            )
        kept[place], added[place] = 0, other
        return {"kept": kept, "added": added}

    text = next(iter(of.texts.values()), [None])[0]
    return Edit(name, f"patched from {text.text!r}" if text else "patched from another run", change)


def silence_heads(
    trace: Trace,
    layer: int,
    heads: Sequence[int],
    *,
    sublayer: str = "attention",
    stack: str = "",
) -> list[Edit]:
    """These heads give nothing (zero ablation, Michel et al. 2019).

    `sublayer` may be "cross" too; of an encoder-decoder the stack is the decoder unless one says.
    """
    stack = stack or ("decoder" if trace.names("decoder.0.*") else "encoder")
    name = f"{stack}.{layer}.{sublayer}.mixed"
    total = trace.shape(name)[1]
    for head in heads:
        if not 0 <= head < total:
            raise UsageError(f"Layer {layer} has heads 0 to {total - 1}; there is no head {head}.")
    shown = ", ".join(map(str, heads))
    return [silence(name, (slice(None), list(heads)), f"head {shown} silenced")]


def silence_tokens(
    trace: Trace, tokens: Sequence[int], sentence: int = 0, *, stream: str = ""
) -> list[Edit]:
    """Nobody sees these tokens, not even they themselves: their columns are never allowed.

    Positions stay what they were. Where the model reads two texts, `stream` says whose tokens:
    "source", also hidden from the decoder that looks at it, or "target".
    """
    stream = _meant(trace, stream)
    text = _only(trace, stream, sentence)
    for token in tokens:
        if not 0 <= token < len(text):
            raise UsageError(f"The text has tokens 0 to {len(text) - 1}; there is no {token}.")
    words = ", ".join(map(text.label, tokens))
    at = (sentence, slice(None), slice(None), list(tokens))
    return [
        silence(name, at, f"{words} hidden")
        for name in trace.names("*.allowed")
        if stream_of(name, "S", trace.texts) == stream
    ]


def _meant(trace: Trace, stream: str) -> str:
    """The stream of this name; the only one needs no name."""
    if not stream and len(trace.texts) == 1:
        return next(iter(trace.texts))
    if stream not in trace.texts:
        names = " or ".join(f"stream={name!r}" for name in trace.texts)
        raise UsageError(f"The stream {stream!r} is none that the model read; give {names}.")
    return stream


def _only(trace: Trace, stream: str, sentence: int) -> Tokens:
    texts = trace.texts[stream]
    if not 0 <= sentence < len(texts):
        raise UsageError(f"There are sentences 0 to {len(texts) - 1}; there is no {sentence}.")
    return texts[sentence]


def silence_layers(trace: Trace, layers: Sequence[int]) -> list[Edit]:
    """The sub-layers of these layers add nothing to the vectors that pass them."""
    return [one for layer in layers for one in _silenced(trace, layer)]


def _silenced(trace: Trace, layer: int) -> list[Edit]:
    """The edits of one layer; where there are none, the layer cannot be silenced so."""
    edits = [
        silence(name, what=f"layer {layer} adds nothing")
        for name in trace.names(f"*coder.{layer}.*.output")
        if f"{trace.node(name).place}.residual" in trace and name.count(".") == 3
    ]
    if not edits:
        raise UsageError(
            f"Nothing in a layer {layer} is added to the vectors that pass it; "
            "trace.tree('*.residual') lists the layers that add."
        )
    return edits
