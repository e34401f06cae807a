"""The road through a layer: its values in order, each with its formula."""

from collections.abc import Iterator
from itertools import groupby

from rich.cells import cell_len
from rich.text import Text

from pellucid.record.tree import written
from pellucid.views.blocks import local
from pellucid.views.choice import Look, in_layer, per_head
from pellucid.views.labels import cut, left
from pellucid.views.lines import FAINT, WORD
from pellucid.views.numbers import NAME

LEGEND = "● recorded  ○ derived  ▸ shown below"
ROOMY = 60  # cells from which on there is room for shapes


def road(look: Look, layer: int, width: int) -> Iterator[Text]:
    """The layer's values, sub-layer by sub-layer, in so many cells."""
    names = in_layer(look.trace, layer)
    shapes = {name: shape(look, name) for name in names}
    columns = (
        min(max(cell_len(local(name)) for name in names), width // 3),
        max(map(cell_len, shapes.values())) + 2 if width >= ROOMY else 0,
    )
    for place, inside in groupby(names, key=lambda name: look.trace.node(name).place):
        yield Text(cut(place, width), WORD)
        for name in inside:
            line = station(look, name, shapes[name], columns)
            formula = written(look.trace, name)
            yield line.append(cut(f"= {formula}" if formula else "", width - line.cell_len))
    yield Text(cut(LEGEND, width), FAINT)


def station(look: Look, name: str, shape: str, columns: tuple[int, int]) -> Text:
    """A value's name and shape, and whether it was recorded or derived or is missing."""
    shown = per_head(look.trace, name)
    kind = "●" if name in look.trace.held else "○" if shape else "✗"
    line = Text().append("▸ " if shown else "  ", NAME).append(f"{kind} ", FAINT)
    line.append(f"{left(local(name), columns[0])}  ", NAME if shown else "")
    return line.append(left(shape, columns[1]), FAINT)


def shape(look: Look, name: str) -> str:
    """The shape, without the axis of sentences; empty where the value is missing."""
    batched = look.trace.node(name).axes.split()[:1] == ["B"]
    value = look.value(name)
    return "" if value is None else "×".join(map(str, value.shape[batched:]))
