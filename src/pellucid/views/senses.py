"""The terminal view of senses: accuracy layer by layer; without labels, how far groups part."""

from collections.abc import Iterator
from textwrap import wrap

from rich.text import Text

from pellucid.study.groups import Groups
from pellucid.study.senses import Senses
from pellucid.views.bars import Bar, bars
from pellucid.views.labels import label, printable
from pellucid.views.lines import between, heading, with_margin


def draw(found: Senses | Groups, width: int) -> Iterator[Text]:
    """The view's lines, each of at most `width` cells; of at least forty."""
    room = between(width)
    if isinstance(found, Senses):
        return with_margin(labelled(found, room))
    return with_margin(unlabelled(found, room))


def labelled(senses: Senses, width: int) -> Iterator[Text]:
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


def unlabelled(groups: Groups, width: int) -> Iterator[Text]:
    """How far the groups are apart after each layer, and the typical sentences of each."""
    aside = f"{len(groups.groups):,} sentences without labels"
    yield heading(f"How far {groups.word!r} falls into groups (silhouette)", aside, width)
    pairs = zip(groups.layers, groups.apart, strict=True)
    yield from bars([Bar(name, score, f"{score:.3f}") for name, score in pairs], width)
    yield Text()
    for number, (name, typical) in enumerate(zip(groups.names, groups.typical, strict=True)):
        count = f"{groups.groups.count(number):,} sentences"
        yield heading(f"{name.capitalize()}, after {groups.layers[groups.best]}", count, width)
        for text in typical:
            yield from (Text(line) for line in wrap(printable(text), width))
        yield Text()
