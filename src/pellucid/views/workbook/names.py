"""Names of ranges that read like the paper: Q, K, W_Q; longer only where they must be."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from pellucid.formula.sheet import Range
from pellucid.formula.written import SYMBOLS, plain

LAYERED = re.compile(r"(?:(encoder|decoder|source|target)\.)?(?:(\d+)\.)?(.*)")
PAPER = {
    "feedforward.output.weight": "W_2",
    "feedforward.output.bias": "b_2",
    "norm.weight": "gain",
    "norm.bias": "bias",
    "positions.weight": "P",
    "segments.weight": "segment_table",
    "table.weight": "bias_table",
    **{known: plain(symbol) for known, symbol in SYMBOLS.items() if "." in known},
}
# the paper's letters, and other words for what spreadsheets take for a function
TAKEN = {"q": "Q", "k": "K", "v": "V", "sum": "embedded", "rows": "table_rows", "row": "one_row"}


@dataclass(frozen=True)
class Named(Range):
    """A range that formulas call by its name; a part of it is an address again."""

    name: str = ""

    @property
    def bare(self) -> Range:
        """The same cells without the name."""
        return Range(self.sheet, self.top, self.left, self.height, self.width)

    def row(self, at: int) -> Range:
        return self if self.height == 1 else self.bare.row(at)

    def columns(self, first: int, last: int) -> Range:
        whole = (first, last) == (0, self.width)
        return self if whole else self.bare.columns(first, last)

    def __str__(self) -> str:
        return self.name


def part_of(cells: Range, rows: range, columns: range) -> Range:
    """Some rows and columns of a range, counted within it; all of it keeps its name."""
    if (len(rows), len(columns)) == (cells.height, cells.width):
        return cells
    bare = cells.bare if isinstance(cells, Named) else cells
    inside = replace(bare, top=bare.top + rows.start, height=len(rows))
    return inside.columns(columns.start, columns.stop)


@dataclass(frozen=True)
class Path:
    """A name of the trace, taken apart."""

    stack: str
    layer: str
    place: str
    local: str


STYLES: list[Callable[[Path], tuple[str, ...]]] = [
    lambda path: (path.local,),
    lambda path: (path.local, path.place),
    lambda path: (path.local, path.layer),
    lambda path: (path.local, path.place, path.layer),
    lambda path: (path.local, path.place, path.stack),
    lambda path: (path.local, path.place, path.stack, path.layer),
]


def short_names(names: Iterable[str]) -> dict[str, str]:
    """For each name of the trace one that a spreadsheet takes, no longer than it must be."""
    alike: dict[str, list[str]] = defaultdict(list)
    paths = {name: taken_apart(name) for name in names}
    for name, path in paths.items():
        alike[path.local.lower()].append(name)
    return {
        name: short
        for group in alike.values()
        for name, short in zip(group, _apart([paths[name] for name in group]), strict=True)
    }


def _apart(paths: list[Path]) -> list[str]:
    for style in STYLES:
        found = ["_".join(filter(None, style(path))).lower() for path in paths]
        if len(set(found)) == len(found):
            break
    return ["_".join(filter(None, style(path))) for path in paths]


def layered(name: str) -> tuple[str, str, str]:
    """The stack and the layer that a name begins with, where it does, and the rest."""
    stack, layer, rest = LAYERED.fullmatch(name).groups(default="")  # type: ignore[union-attr]
    return stack, layer, rest


def taken_apart(name: str) -> Path:
    """`encoder.3.attention.query.weight` is W_Q of attention in layer3 of the encoder."""
    stack, layer, rest = layered(name)
    place, local = _letters(rest)
    return Path(stack, layer and f"layer{layer}", re.sub(r"\W", "_", place), local)


def _letters(rest: str) -> tuple[str, str]:
    """Where it belongs, and its letter in the paper, or its own last word."""
    for known, letter in PAPER.items():
        if rest == known or rest.endswith(f".{known}"):
            kept = "norm" if known.startswith("norm.") else ""  # an attention has a bias too
            return (rest.removesuffix(known) + kept).strip("."), letter
    place, _, local = rest.rpartition(".")
    return place, TAKEN.get(local, local)
