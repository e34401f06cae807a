"""A step as a block: its name, its formula, its matrix; and blocks side by side."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rich.text import Text

from pellucid.record.trace import Trace
from pellucid.record.tree import written
from pellucid.views.choice import Look, per_head
from pellucid.views.labels import cut
from pellucid.views.lines import FAINT
from pellucid.views.matrix import grid
from pellucid.views.numbers import NAME

GAP = 4  # cells between two blocks
UNKNOWN = "not in the record: keep more of it"


@dataclass(frozen=True)
class Block:
    """Some lines that stay together."""

    lines: list[Text]

    @property
    def width(self) -> int:
        return max(line.cell_len for line in self.lines)


def step(look: Look, name: str, width: int) -> Block:
    """One value as a block of at most `width` cells: its title, where it is from, its numbers."""
    if (matrix := look.matrix(name)) is None:
        return Block([_title(look, name, "", width), Text(cut(UNKNOWN, width), FAINT)])
    shape = f"{len(matrix.rows)}×{len(matrix.columns)}"
    title, body = _title(look, name, shape, width), grid(matrix, width).lines(width)
    return Block([title, *_origins(look, name, width), *body])


def _title(look: Look, name: str, shape: str, width: int) -> Text:
    """`masked = scaled where allowed, else −∞  5×5`."""
    title = Text().append(cut(local(name), width), NAME)
    room = max(width - title.cell_len - len(shape) - 3, 1)
    title.append(f" {cut(f'= {written(look.trace, name)}', room)}")
    return title.append(f"  {shape}", FAINT)


def _origins(look: Look, name: str, width: int) -> Iterator[Text]:
    """`allowed = causal(real)`: where the operands are from that have no block of their own."""
    for parent in look.trace.node(name).parents:
        if formula := _made_here(look.trace, parent):
            yield Text(cut(f"{local(parent)} = {formula}", width), FAINT)


def _made_here(trace: Trace, name: str) -> str:
    formula = "" if name not in trace.nodes or per_head(trace, name) else written(trace, name)
    return "" if "." in formula else formula


def local(name: str) -> str:
    """A name within its own layer: `q` of `encoder.0.attention.q`."""
    return name.rpartition(".")[2]


def flow(blocks: Iterable[Block], width: int) -> Iterator[Text]:
    """The blocks from left to right, then below, an empty line under each row of them."""
    row: list[Block] = []
    for block in blocks:
        if row and sum(each.width + GAP for each in row) + block.width > width:
            yield from _side_by_side(row)
            row = []
        row.append(block)
    yield from _side_by_side(row)


def _side_by_side(row: list[Block]) -> Iterator[Text]:
    for at in range(max((len(block.lines) for block in row), default=0)):
        line, start = Text(), 0
        for block in row:
            line.pad_right(start - line.cell_len)
            line.append_text(block.lines[at] if at < len(block.lines) else Text())
            start += block.width + GAP
        yield line
    yield Text()
