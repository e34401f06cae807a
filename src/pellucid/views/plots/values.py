"""Values of a trace as matrices to draw: one sentence, one head, no padding."""

import numpy as np

from pellucid.errors import UsageError
from pellucid.record.trace import Trace
from pellucid.views.choice import Look
from pellucid.views.plots.matrices import Matrix
from pellucid.views.plots.words import label, tokens

SHARES = ("weights", "probabilities")  # these are never below zero


def matrix(
    trace: Trace, name: str, head: int = 0, sentence: int = 0, title: str | None = None
) -> Matrix:
    """The value with its tokens; columns that have only numbers go without words."""
    found = Look(trace, head, sentence).matrix(name)
    if found is None:
        raise UsageError(f"{name} is not in the record; look again with a wider `keep`.")
    axes = trace.node(name).axes.split()[-2:]
    rows, columns = (tokens(trace, name, axis, sentence) for axis in axes)
    words = columns or [label(word) for word in found.columns]
    counted = [str(at) for at in range(len(words))]
    return Matrix(
        title=name if title is None else title,
        numbers=np.array(found.numbers, dtype=np.float64),
        rows=rows or [label(word) for word in found.rows],
        columns=None if words == counted and len(words) > 1 else words,
        signed=not name.endswith(SHARES),
    )
