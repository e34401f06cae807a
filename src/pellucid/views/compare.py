"""The terminal view of a comparison: one word at two places, and what parted its vectors."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import wrap

from rich.console import Console
from rich.style import Style
from rich.text import Text

from pellucid.study.compare import Comparison
from pellucid.study.place import Place
from pellucid.views.bars import Bar, bars, largest, percent, placed
from pellucid.views.labels import label, printable
from pellucid.views.lines import FAINT, between, heading, with_margin

SHOWN, PLACES = 12, 30  # names and heads; places of the model; of tokens all
WORD = Style(bold=True, reverse=True)
CONSOLE = Console()  # it only knows how lines are cut


def draw(comparison: Comparison, width: int) -> Iterator[Text]:
    """The view's lines, each of at most `width` cells; of at least forty."""
    return with_margin(Page(comparison, between(width)).lines())


@dataclass(frozen=True)
class Page:
    """The parts of the view, from top to bottom."""

    comparison: Comparison
    width: int

    def lines(self) -> Iterator[Text]:
        """All parts."""
        yield from self._texts()
        yield from self._layers()
        yield from self._names()
        yield from self._account()
        yield from self._unlike()

    def _texts(self) -> Iterator[Text]:
        yield heading(f"{self.comparison.a.text!r} at two places", "", self.width)
        for number, place in enumerate((self.comparison.a, self.comparison.b), 1):
            yield from marked(f"{number} ", place, self.width)
            if len(place.pieces) > 1:
                pieces = " ".join(map(label, place.labels))
                yield Text(f"  in {len(place.pieces)} pieces ({pieces}): their mean", FAINT)
        yield Text()

    def _layers(self) -> Iterator[Text]:
        yield heading("How far apart after each layer", "angle, distance", self.width)
        yield from bars(
            [
                Bar(step.name, step.angle, f"{step.angle:.1f}°", f"{step.distance:.4g}")
                for step in self.comparison.layers
            ],
            self.width,
        )
        yield Text()

    def _names(self) -> Iterator[Text]:
        all_names, differing = self.comparison.names, self.comparison.differing
        counted = f"{len(differing)} of {len(all_names)} numbers differ"
        yield heading("Where they first differ", counted, self.width)
        yield from bars(
            [
                Bar(
                    each.name,
                    each.difference,
                    f"{each.difference:.3f}",
                    "" if each.head is None else f"most in head {each.head}",
                )
                for each in differing[:SHOWN]
            ],
            self.width,
        )
        yield Text()

    def _account(self) -> Iterator[Text]:
        comparison = self.comparison
        if comparison.account is None:
            yield from self._prose(f"What parted them cannot be said: {comparison.no_account}.")
            return
        if not comparison.account.shares.any():
            yield from self._prose("Nothing parted them: their last vectors are the same.")
            return
        total = f"of the difference of {comparison.account.name}"
        yield heading("What parted them, by place", total, self.width)
        kinds = {placed(*at): share for at, share in comparison.kinds.items()}
        yield from self._bars(largest(kinds, PLACES))
        yield heading("By head", f"the {SHOWN} largest", self.width)
        heads = {f"{place} head {head}": s for (place, head), s in comparison.heads.items()}
        yield from self._bars(largest(heads, SHOWN))
        for text, place in enumerate((comparison.a, comparison.b)):
            yield heading(f"By neighbour, text {text + 1}", "taken by all heads", self.width)
            yield from self._bars(
                {
                    f"{token:2} {label(place.tokens.label(token))}": share
                    for (of, token), share in comparison.neighbours.items()
                    if of == text
                }
            )

    def _bars(self, shares: dict[str, float]) -> Iterator[Text]:
        rows = [Bar(name, share, percent(share)) for name, share in shares.items()]
        yield from bars(rows, self.width)
        yield Text()

    def _unlike(self) -> Iterator[Text]:
        reasons = Counter(each.reason for each in self.comparison.unlike)
        for reason, count in reasons.most_common(SHOWN):
            example = next(each.name for each in self.comparison.unlike if each.reason == reason)
            more = f" and {count - 1} more" if count > 1 else ""
            yield from self._prose(f"Not compared: {example}{more} ({reason}).")

    def _prose(self, text: str) -> Iterator[Text]:
        yield from (Text(line) for line in wrap(text, self.width))


def marked(number: str, place: Place, width: int) -> Iterator[Text]:
    """The text with the word marked, in as many lines as it needs."""
    start, end = place.span
    typed = place.tokens.text
    line = Text(number).append(printable(typed[:start]))
    line.append(printable(typed[start:end]), WORD).append(printable(typed[end:]))
    yield from line.wrap(CONSOLE, width)
