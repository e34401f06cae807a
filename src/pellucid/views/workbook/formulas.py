"""The formulas of a workbook's cells, as the algebra writes them, over the places of operands."""

from collections.abc import Iterator
from dataclasses import replace

from pellucid.formula import Formula
from pellucid.formula.sheet import LOWEST, Cells, Range
from pellucid.views.workbook.boxes import Box, read
from pellucid.views.workbook.layout import Layout
from pellucid.views.workbook.places import Block


def formulas(layout: Layout, name: str) -> Iterator[tuple[Range, str]]:
    """Pairs of a range and the array formula that fills it; none for what is typed in."""
    plan = layout.plan
    if (formula := plan.formula(name)) is None:
        return
    box = plan.boxes[name]
    shapes = [plan.shape(parent) for parent in formula.parents]
    needed = read(formula, box, shapes)
    operands = [
        layout.cells(plan.own(parent), part)
        for parent, part in zip(formula.parents, needed, strict=True)
    ]
    out = layout.cells(name)
    if (rows := layout.looked_up(name)) is not None:
        operands[1] = rows
    if formula.operation.name == "pick" and isinstance(operands[0], Range):
        operands[0] = _of_heads(operands[0], box)
    yield from _for_these_heads(formula, out, operands[0]).cells(out, *operands)


def _of_heads(table: Range, box: Box) -> Range:
    """The columns of a table that has one a head."""
    return table.columns(box[1].start, box[1].stop)


def _for_these_heads(formula: Formula, out: Cells, x: Cells) -> Formula:
    """The formula for as many heads as the workbook holds."""
    if "heads" not in formula.settings:
        return formula
    cut = out if isinstance(out, list) else x
    return replace(formula, settings={"heads": len(cut) if isinstance(cut, list) else 1})


def lookup(layout: Layout, name: str) -> str:
    """The row of each token in a table that has only some rows: one finds it by its id."""
    plan = layout.plan
    table, ids = plan.trace.node(name).parents
    found = layout.tables[plan.own(table)].ids
    return f"MATCH({layout.cells(plan.own(ids))},{found},0)-1"


def difference(block: Block) -> str:
    """A result less the model's own value."""
    return f"{block.cells}-{block.own}"


def check(block: Block) -> str:
    """The largest difference of a block, over the largest number of the model's own."""
    largest = f"MAX(IF({block.own}>{LOWEST},ABS({block.own}),0))"
    return f"MAX(ABS({block.difference}))/IF({largest}=0,1,{largest})"
