"""Figures as files: which there are, and how the ending says what to write."""

from collections.abc import Callable
from typing import Any

from matplotlib.figure import Figure

from pellucid.errors import UsageError
from pellucid.record.store import Wish
from pellucid.record.trace import Trace
from pellucid.views.plots import answers, attention, branches, placing, statistics
from pellucid.views.plots.saved import saved

Drawn = Callable[[Trace, Wish], Figure]

FIGURES: dict[str, Drawn] = {
    "overview": lambda trace, wish: attention.overview(trace, sentence=wish.sentence),
    "head": lambda trace, wish: attention.head(
        trace, layer=wish.layer, head=wish.head, sentence=wish.sentence
    ),
    "heads": lambda trace, wish: attention.heads(trace, layer=wish.layer, sentence=wish.sentence),
    "cross": lambda trace, wish: attention.heads(
        trace, layer=wish.layer, part="cross", sentence=wish.sentence
    ),
    "norms": lambda trace, wish: statistics.norms(trace, sentence=wish.sentence),
    "logits": lambda trace, wish: answers.logits(trace, sentence=wish.sentence),
    "tree": lambda trace, wish: branches.tree(searched(trace)),
    "positions": lambda trace, wish: placing.positions(
        trace, head=wish.head or 0, sentence=wish.sentence
    ),
}


def searched(trace: Trace) -> dict[str, Any]:
    """The search by which the text was found."""
    if "generation" not in trace.about:
        raise UsageError(
            "The model has not searched, so there is no tree; let it say something first "
            "(--generate 20 --beams 4)."
        )
    tree: dict[str, Any] = trace.about["generation"]["tree"]
    return tree


def draw(trace: Trace, wish: Wish) -> Figure:
    """The figure that was wished for."""
    if wish.figure not in FIGURES:
        raise UsageError(f"There is no figure {wish.figure!r}; it is one of {', '.join(FIGURES)}.")
    return FIGURES[wish.figure](trace, wish)


png, svg, pdf = saved(draw)
