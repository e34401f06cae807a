"""Numbers and tables as a person reads them in a terminal."""

from collections.abc import Sequence

from rich.cells import cell_len


def aligned(lines: Sequence[Sequence[str]], least: Sequence[int] = ()) -> str:
    """Lines of cells, each column as wide as its widest, and at least so wide."""
    widths = widest(lines, least)
    return "\n".join("  ".join(map(_filled, line, widths)).rstrip() for line in lines)


def widest(lines: Sequence[Sequence[str]], least: Sequence[int] = ()) -> list[int]:
    """How wide each column is in a terminal, where some signs take two places."""
    found = [max(map(cell_len, column), default=0) for column in zip(*lines, strict=True)]
    return list(map(max, found, least)) if least else found


def _filled(cell: str, width: int) -> str:
    return cell + " " * (width - cell_len(cell))


def counted(count: int | str, what: str) -> str:
    """`1 layer`, `6 layers`."""
    return f"{count} {what}{'' if str(count) == '1' else 's'}"


def in_words(size: int | float) -> str:
    """A number of bytes as a person says it: 49.2 MB."""
    for unit, bytes_of in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if size >= bytes_of:
            return f"{size / bytes_of:.3g} {unit}"
    return f"{size:.0f} bytes"
