"""The terminal view: a trace from its tokens to its words, in lines that fit the width."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from textwrap import wrap

from rich.text import Text

from pellucid.record.answers import Answers
from pellucid.record.printed import counted
from pellucid.record.tokens import Tokens
from pellucid.record.trace import Trace
from pellucid.views.bars import Bar, bars
from pellucid.views.blocks import flow, step
from pellucid.views.choice import Choice, Look, depths, in_layer, per_head
from pellucid.views.labels import cut, printable
from pellucid.views.lines import between, heading, printed, with_margin
from pellucid.views.road import road
from pellucid.views.tokens import typed
from pellucid.views.words import answered

NAMES = {"tokens": "Tokens", "source": "Source", "target": "Target"}
MEANINGS = {
    "next": "Likeliest next words, with their probability",
    "filling": "Likeliest words at each place, with their probability",
    "cosine": "Words whose vectors are nearest to the output, by cosine",
}


def show(trace: Trace, choice: Choice) -> None:
    """Print the view: as wide as the terminal, in colour where it has colours."""
    printed(lambda width: draw(trace, choice, width))


def draw(trace: Trace, choice: Choice, width: int) -> Iterator[Text]:
    """The view's lines, each of at most `width` cells; of at least forty."""
    return with_margin(Page(trace, choice, between(width)).lines())


@dataclass(frozen=True)
class Page:
    """The parts of the view, from top to bottom."""

    trace: Trace
    choice: Choice
    width: int

    def lines(self) -> Iterator[Text]:
        """All parts; of several sentences each in turn."""
        for sentence in range(self._sentences):
            look = Look(self.trace, self.choice.head, sentence)
            yield from self._tokens(sentence)
            if sentence == 0:
                yield from self._model()
                yield from self._road(look)
            yield from self._head(look)
            yield from self._outputs(look)
            yield from self._answers(sentence)
            yield from self._follows(sentence)

    @property
    def _sentences(self) -> int:
        return min(map(len, self.trace.texts.values()))

    def _tokens(self, sentence: int) -> Iterator[Text]:
        which = f", sentence {sentence + 1} of {self._sentences}" if self._sentences > 1 else ""
        for stream, texts in self.trace.texts.items():
            tokens = texts[sentence]
            yield self._heading(f"{NAMES[stream]}{which}", str(len(tokens)))
            yield from typed(tokens, self.width)
            yield Text()

    def _model(self) -> Iterator[Text]:
        config = self.trace.about["config"]
        layers = " + ".join(map(str, dict.fromkeys(depths(config))))
        yield from self._prose(
            f"{cut(printable(self.trace.about['model']), 30)}: {config['shape']}, "
            f"{counted(layers, 'layer')} × {counted(config['heads'], 'head')}, "
            f"width {config['width']}, {self.trace.about['dtype']}"
        )
        yield from self._prose(
            self._others({"layer": max(depths(config)), "head": config["heads"]})
        )
        for name, what in self.trace.about.get("edits", {}).items():
            yield from self._prose(f"Edited: {name} ({printable(what)})")
        yield Text()

    def _others(self, counts: dict[str, int]) -> str:
        """What is shown, and how to see what is not."""
        takes = [f"--{name} takes 0 to {n - 1}" for name, n in counts.items() if n > 1]
        shown = f"Below are layer {self.choice.layer} and head {self.choice.head}"
        return "; ".join([shown, ", ".join(takes)]) if takes else ""

    def _road(self, look: Look) -> Iterator[Text]:
        yield self._heading(f"The road through layer {self.choice.layer}")
        yield from road(look, self.choice.layer, self.width)
        yield Text()

    def _head(self, look: Look) -> Iterator[Text]:
        names = [n for n in in_layer(self.trace, self.choice.layer) if per_head(self.trace, n)]
        for place in dict.fromkeys(self.trace.node(name).place for name in names):
            yield self._heading(place, f"head {self.choice.head}")
            inside = (name for name in names if self.trace.node(name).place == place)
            yield from flow((step(look, name, self.width) for name in inside), self.width)

    def _outputs(self, look: Look) -> Iterator[Text]:
        for name in self.trace.names(f"*coder.{self.choice.layer}.output"):
            yield self._heading(name)
            yield from flow([step(look, name, self.width)], self.width)

    def _answers(self, sentence: int) -> Iterator[Text]:
        if self._best is None:
            return
        yield self._heading(MEANINGS[self._best.meaning])
        yield from answered(self._best.words[sentence], self._answering(sentence), self.width)
        yield Text()

    def _follows(self, sentence: int) -> Iterator[Text]:
        if chances := self.trace.follows():
            yield self._heading("Does the second text follow the first?", "probability")
            chance = chances[sentence]
            rows = {"it does": chance, "it does not": 1 - chance}
            yield from bars([Bar(name, x, f"{x:.3f}") for name, x in rows.items()], self.width)
            yield Text()

    @cached_property
    def _best(self) -> Answers | None:
        return self.trace.answers()

    def _answering(self, sentence: int) -> Tokens:
        texts = self.trace.texts
        return texts["target" if "target" in texts else "tokens"][sentence]

    def _heading(self, text: str, aside: str = "") -> Text:
        return heading(text, aside, self.width)

    def _prose(self, text: str) -> Iterator[Text]:
        yield from (Text(line) for line in wrap(text, self.width))
