"""The sizes of a rival."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """One rival. `width` is a word's; `hidden` are filters of a size, or a direction's state."""

    kind: str
    vocabulary: int
    classes: int
    width: int = 128
    hidden: int = 128
    dropout: float = 0.5
    windows: tuple[int, ...] = (3, 4, 5)  # of a convolution, in words
    layers: int = 1  # of recurrent cells
    pool: Literal["mean", "max"] = "max"

    @classmethod
    def usual(cls, kind: str, pieces: int, classes: int, width: int) -> "Sizes":
        """So wide everywhere."""
        return cls(kind=kind, vocabulary=pieces, classes=classes, width=width, hidden=width)

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> "Sizes":
        """The inverse of `asdict`, after JSON."""
        return cls(**{**told, "windows": tuple(told["windows"])})
