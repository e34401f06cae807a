"""Boxes: the part of a tensor that somebody reads, a range of indices along each axis."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from torch import Size, Tensor

from pellucid.formula import Formula
from pellucid.formula.operation import Index, Place

Box = tuple[range, ...]
Shape = tuple[int, ...]


def whole(shape: Shape) -> Box:
    """All of a tensor."""
    return tuple(map(range, shape))


def union(a: Box | None, b: Box) -> Box:
    """The smallest box around both."""
    if a is None:
        return b
    return tuple(range(min(x[0], y[0]), max(x[-1], y[-1]) + 1) for x, y in zip(a, b, strict=True))


def read(formula: Formula, box: Box, shapes: Sequence[Shape]) -> list[Box | None]:
    """What a formula reads of each operand to make this box of its result; None: nothing.

    Every operation reads further along as its result goes further along, so the edges tell.
    """
    found: list[Box | None] = [None] * len(shapes)
    sizes = [*map(Size, shapes)]
    for index in _edges(box):
        for which, place in formula.reads(index, *sizes):
            found[which] = union(found[which], _spanned(place, shapes[which]))
    return found


def _edges(box: Box) -> Iterator[Index]:
    """The cells along each axis from the first corner on, and the last corner."""
    first = tuple(each[0] for each in box)
    for axis, along in enumerate(box):
        yield from ((*first[:axis], at, *first[axis + 1 :]) for at in along)
    yield tuple(each[-1] for each in box)


def _spanned(place: Place, shape: Shape) -> Box:
    indices = (
        range(size)[at] if isinstance(at, slice) else range(at, at + 1)
        for at, size in zip(place, shape, strict=True)
    )
    return tuple(range(each[0], each[-1] + 1) for each in indices)


@dataclass(frozen=True)
class Form:
    """Which axes of a tensor are its heads, its rows and its columns; None: it has just one."""

    head: int | None
    row: int | None
    column: int | None

    def counts(self, box: Box) -> tuple[int, int, int]:
        """Heads, rows and columns of a box."""
        heads, rows, columns = (self.along(box, at) for at in (self.head, self.row, self.column))
        return len(heads), len(rows), len(columns)

    @staticmethod
    def along(box: Box, axis: int | None) -> range:
        """The indices along one of these axes."""
        return range(1) if axis is None else box[axis]

    def matrices(self, tensor: Tensor, box: Box) -> list[Tensor]:
        """The numbers in the box, a matrix a head."""
        inside = tensor[tuple(slice(each.start, each.stop) for each in box)]
        return list(inside.reshape(self.counts(box)))


def form(axes: str, shape: Shape) -> Form:
    """The form of a value with these axes; of a weight, which has none, by its shape."""
    letters = axes.split() if axes else ["-"] * len(shape)
    numbered: Mapping[str, int] = {letter: at for at, letter in enumerate(letters)}
    head = numbered.get("H", numbered.get("G"))
    last = len(letters) - 1
    if letters in (["B", "T"], ["B", "S"]) or letters[-1] == "P":
        return Form(head, last, None)
    before = last - 1 if last > 0 and letters[last - 1] != "B" else None
    return Form(head, before, last)
