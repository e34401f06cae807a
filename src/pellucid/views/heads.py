"""The terminal view of heads over a corpus: the strongest of each kind."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from pellucid.study.heads import Heads
from pellucid.views.bars import Bar, bars
from pellucid.views.lines import FAINT, between, heading, with_margin

BEST = 5
TITLES = {
    "previous": "At the token before",
    "itself": "At the token itself",
    "next": "At the token after",
    "same": "At the same word elsewhere",
    "first": "At the first token",
    "special": "At special tokens",
    "punctuation": "At punctuation",
    "entropy": "Most spread (entropy in nats)",
    "distance": "Furthest (tokens away)",
    "importance": "Most is lost without it",
}
CALLED = {
    "encoder.attention": "encoder {}",
    "decoder.attention": "decoder {}",
    "decoder.cross": "cross {}",
}


def draw(heads: Heads, width: int) -> Iterator[Text]:
    """The view's lines, each of at most `width` cells; of at least forty."""
    return with_margin(lines(heads, between(width)))


def lines(heads: Heads, width: int) -> Iterator[Text]:
    """For each measure the heads that have most of it."""
    left_out = f", {heads.left_out:,} left out" if heads.left_out else ""
    yield heading(heads.model, f"{heads.texts:,} texts{left_out}", width)
    yield Text("Means over tokens; where a head looks is not yet what it does.", FAINT)
    yield Text()
    names = called(heads.places)
    for measure in heads.means:
        yield heading(TITLES[measure], "", width)
        best = heads.best(measure, BEST)
        rows = [Bar(f"{names[at]} head {head}", x, f"{x:.4f}") for at, head, x in best]
        yield from bars(rows, width) if rows else [Text("No token of these texts says it.", FAINT)]
        yield Text()


def called(places: Sequence[str]) -> list[str]:
    """What each row is called: its layer, and where there are two stacks, whose."""
    parts = [place.split(".") for place in places]
    if len({(stack, sublayer) for stack, _, sublayer in parts}) == 1:
        return [f"layer {layer}" for _, layer, _ in parts]
    return [CALLED[f"{stack}.{sublayer}"].format(layer) for stack, layer, sublayer in parts]
