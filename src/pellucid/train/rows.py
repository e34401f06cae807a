"""Rows of token ids, as many as one likes: a file that is mapped into memory, not read."""

import hashlib
import tempfile
from array import array
from collections.abc import Iterable, Sequence

import numpy as np
from jaxtyping import Int, UInt32

from pellucid.errors import PellucidError


class Rows:
    """Row i is `ids[starts[i]:starts[i + 1]]`; `mark` tells these rows from any others."""

    def __init__(self, ids: UInt32[np.ndarray, "I"], starts: Int[np.ndarray, "_"], mark: str):
        self.ids, self.starts, self.mark = ids, starts, mark

    @classmethod
    def of(cls, rows: Iterable[Sequence[int]]) -> "Rows":
        """Rows as they come, written into a file without a name that goes when nobody needs it."""
        starts, digest = array("q", [0]), hashlib.blake2b(digest_size=8)
        with tempfile.TemporaryFile() as file:
            for row in rows:
                written = np.asarray(row, np.uint32).tobytes()
                file.write(written)
                starts.append(starts[-1] + len(row))
                digest.update(len(row).to_bytes(8, "little") + written)
            file.flush()
            if not starts[-1]:
                raise PellucidError("There is no text to learn from; give at least some words.")
            ids = np.memmap(file, np.uint32, mode="r")
        return cls(ids, np.frombuffer(starts, np.int64), digest.hexdigest())

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, number: int) -> UInt32[np.ndarray, "T"]:
        return self.ids[self.starts[number] : self.starts[number + 1]]

    def cut(self, share: float) -> tuple["Rows", "Rows"]:
        """The first part, so large a share of the ids, and what is left; a row may be cut."""
        at = int(share * len(self.ids))
        before, behind = self.starts[self.starts < at], self.starts[self.starts > at]
        first = Rows(self.ids[:at], np.append(before, at), f"{self.mark} to {at}")
        return first, Rows(self.ids[at:], np.append(0, behind - at), f"{self.mark} from {at}")

    @property
    def lengths(self) -> Int[np.ndarray, "N"]:
        """How many ids each row has."""
        return np.diff(self.starts)
