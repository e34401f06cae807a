"""Attention as figures: all heads at once, some of them, or one with its steps."""

from collections.abc import Sequence
from dataclasses import replace

from matplotlib.figure import Figure

from pellucid.errors import UsageError
from pellucid.record.trace import Trace
from pellucid.record.tree import written
from pellucid.views.attentions import Attention, attentions
from pellucid.views.choice import choose
from pellucid.views.plots.matrices import Matrix
from pellucid.views.plots.sheet import side_by_side
from pellucid.views.plots.style import Style, styled
from pellucid.views.plots.values import matrix
from pellucid.views.plots.words import label

READABLE = 24  # columns of numbers
ROADS = (
    ("q", "k", "v"),
    ("scores", "scaled", "biased", "masked"),
    ("weights", "mixed"),
)


def overview(trace: Trace, *, sentence: int = 0, style: Style | None = None) -> Figure:
    """The weights of every head: a row for each layer, a column for each head."""
    with styled(style) as own:
        found = _all(trace)
        several = len({each.kind for each in found}) > 1
        rows = []
        for each in found:
            stack = f"{'cross' if each.part == 'cross' else each.stack} " if several else ""
            heads = range(trace.shape(f"{each.place}.weights")[1])
            rows.append([_small(trace, each, head, sentence, stack) for head in heads])
        tile = own | {"cell": min(own["cell"], own["tile"])}
        return side_by_side(rows, tile, _text(trace, sentence))


def heads(
    trace: Trace,
    *,
    layer: int | None = None,
    heads: Sequence[int] | None = None,
    part: str = "attention",
    sentence: int = 0,
    style: Style | None = None,
) -> Figure:
    """The weights of several heads of a layer; `part` "cross" looks from target to source."""
    each = _one(trace, layer, part)
    name = f"{each.place}.weights"
    shown = range(trace.shape(name)[1]) if heads is None else heads
    for head in shown:
        choose(trace.about["config"], each.layer, head)
    with styled(style) as own:
        found = [matrix(trace, name, head, sentence, f"head {head}") for head in shown]
        if len(found) == 1 and found[0].numbers.shape[1] <= READABLE:
            found = [with_numbers(found[0])]
        rows = [found[at : at + own["across"]] for at in range(0, len(found), own["across"])]
        return side_by_side(rows, own, f"{each.stack} {each.part}, layer {each.layer}")


def with_numbers(found: Matrix) -> Matrix:
    """One head alone has room for its numbers."""
    texts = [[f"{x:.2f}" for x in row] for row in found.numbers]
    return replace(found, texts=texts)


def head(
    trace: Trace,
    *,
    layer: int | None = None,
    head: int | None = None,
    part: str = "attention",
    sentence: int = 0,
    style: Style | None = None,
) -> Figure:
    """One head with its steps, from queries and keys to what it mixes."""
    each = _one(trace, layer, part)
    chosen = choose(trace.about["config"], each.layer, head).head
    with styled(style) as own:
        rows = [
            [
                matrix(trace, name, chosen, sentence, label_of(trace, name))
                for step in road
                if (name := f"{each.place}.{step}") in trace.nodes
            ]
            for road in ROADS
        ]
        title = f"{each.stack} {each.part}, layer {each.layer}, head {chosen}"
        return side_by_side(rows, own, title)


def cross(trace: Trace, **options: object) -> Figure:
    """Where each target position looks in the source."""
    return heads(trace, part="cross", **options)  # type: ignore[arg-type]


def label_of(trace: Trace, name: str) -> str:
    """`scores = q kᵀ`."""
    return f"{name.rpartition('.')[2]} = {written(trace, name)}".replace("$", r"\$")


def _all(trace: Trace) -> list[Attention]:
    found = [a for a in attentions(trace) if trace.kind(f"{a.place}.weights") != "missing"]
    if not found:
        raise UsageError("The trace holds no attention to draw; look again with a wider `keep`.")
    return found


def _one(trace: Trace, layer: int | None, part: str) -> Attention:
    """The attention of a layer: the decoder's, where both stacks have one."""
    fitting = [each for each in _all(trace) if each.part == part]
    if not fitting:
        raise UsageError(f"This model has no {part}; it has attention within one text only.")
    chosen = max(each.layer for each in fitting) if layer is None else layer
    at = [each for each in fitting if each.layer == chosen]
    if not at:
        layers = ", ".join(str(each.layer) for each in fitting)
        raise UsageError(f"There is no layer {chosen} in the record; it has {layers}.")
    return at[-1]


def _small(trace: Trace, each: Attention, head: int, sentence: int, stack: str) -> Matrix:
    found = matrix(trace, f"{each.place}.weights", head, sentence)
    return Matrix(f"{stack}L{each.layer} H{head}", found.numbers, signed=False)


def _text(trace: Trace, sentence: int) -> str:
    return "  →  ".join(label(texts[sentence].text, 90) for texts in trace.texts.values())
