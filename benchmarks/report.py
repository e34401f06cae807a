"""Results as Markdown: what was measured, the peer's number, ours, and what was to be reached."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version


@dataclass(frozen=True)
class Row:
    """One line of the results; a peer that was not there is a dash, and so is what was not to be
    reached but stated.
    """

    what: str
    ours: str
    target: str
    reached: bool | None = None
    peer: str = "–"


REACHED = {True: "yes", False: "**no**", None: "–"}


def results(rows: Iterable[Row], peer: str) -> str:
    """The rows as a table."""
    cells = [[row.what, row.peer, row.ours, row.target, REACHED[row.reached]] for row in rows]
    return table(["what", peer, "Pellucid", "to reach", "reached"], cells)


def table(head: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def called(package: str) -> str:
    """A package with its version, or that it is not installed."""
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} (not installed)"
