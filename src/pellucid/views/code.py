"""The line of code that makes a value: where a reader finds it, and what it says."""

import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from pellucid.nn import attention, block, embedding, feedforward, head, norm, stack, sublayer
from pellucid.record.node import Node

HOUSE = Path(inspect.getfile(attention)).parents[1]

# what the last part of a place is called, and where its steps are written down
WRITTEN: dict[str, tuple[Any, ...]] = {
    "attention": (attention.attention, attention.Attention, sublayer.Sublayer),
    "cross": (
        attention.attention,
        attention.CrossAttention,
        attention.Attention,
        sublayer.Sublayer,
    ),
    "feedforward": (feedforward.FeedForward, feedforward.GatedFeedForward, sublayer.Sublayer),
    "tokens": (embedding.Tokens,),
    "embed": (embedding.Embedding,),
    "head": (head.LanguageHead, head.MaskedHead),
    "pooler": (head.Pooler,),
    "classes": (head.ClassHead,),
    "next": (head.NextSentenceHead,),
}
ELSEWHERE = (block, stack)  # what belongs to a whole layer


def line_of(node: Node, norms: tuple[str, ...]) -> str:
    """`nn/attention.py:42  "scores": product_transposed("q", "k", axes=SQUARE)`, or nothing."""
    part, step = node.place.rpartition(".")[2], node.name.rpartition(".")[2]
    kinds: tuple[Any, ...] = tuple(norm.NORMS[each] for each in norms)
    for source in kinds if part == "norm" else WRITTEN.get(part, ELSEWHERE):
        if found := _found(source, step):
            return found
    return ""


@cache
def _found(source: Any, step: str) -> str:
    """The first line of a source that gives a step its name."""
    name = re.escape(step)
    gives = re.compile(rf'"{name}"\]?\s*[:=]|step\("{name}"|\b{name}=')
    path = Path(inspect.getfile(inspect.unwrap(source)))
    where = path.relative_to(HOUSE) if path.is_relative_to(HOUSE) else path.name
    return next(
        (f"{where}:{at}  {text.strip()}" for at, text in _lines(source) if gives.search(text)), ""
    )


def _lines(source: Any) -> Iterator[tuple[int, str]]:
    try:
        lines, first = inspect.getsourcelines(source)
    except OSError:  # installed without its sources
        return
    yield from enumerate(lines, max(first, 1))
