"""The terminal view of senses: accuracy layer by layer."""

from collections.abc import Iterator
from textwrap import wrap

from rich.text import Text

from pellucid.study.senses import Senses
from pellucid.views.bars import Bar, bars
from pellucid.views.labels import label
from pellucid.views.lines import between, heading, with_margin


def draw(senses: Senses, width: int) -> Iterator[Text]:
    """The view's lines, each of at most `width` cells; of at least forty."""
    return with_margin(lines(senses, between(width)))


def lines(senses: Senses, width: int) -> Iterator[Text]:
    """The senses with their sentences, the accuracy after each layer, and the best."""
    yield heading(f"The senses of {senses.word!r}", f"{sum(senses.counts):,} sentences", width)
    counted = zip(senses.senses, senses.counts, strict=True)
    yield from bars([Bar(label(s), count, f"{count:,}") for s, count in counted], width)
    yield Text()
    yield heading("Right by the nearest mean, after each layer", f"of {senses.tested:,}", width)
    pairs = list(zip(senses.layers, senses.accuracy, strict=True))
    yield from bars([Bar(name, share, f"{share:.1%}") for name, share in pairs], width)
    name, best = pairs[senses.best]
    always = f"always the commonest sense would be {senses.commonest:.1%}"
    for line in wrap(f"Best after {name}: {best:.1%}; {always} ({senses.how}).", width):
        yield Text(line)
