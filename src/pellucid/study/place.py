"""Where a word stands in a text: which of its occurrences, and which pieces it was cut into."""

from dataclasses import dataclass

import regex
from torch import Tensor

from pellucid.errors import UsageError
from pellucid.record.streams import stream_of
from pellucid.record.tokens import WHOLE, Tokens
from pellucid.record.trace import Trace

# how a word is looked for, the strictest way first: whole, in any case, within other words
WAYS = (
    (WHOLE, 0),
    (WHOLE, regex.IGNORECASE),
    ("{}", 0),
)


@dataclass(frozen=True)
class Place:
    """A word in one text of a trace: its stream, its characters and the pieces that carry them."""

    trace: Trace
    stream: str
    span: tuple[int, int]
    pieces: tuple[int, ...]
    sentence: int = 0

    @property
    def tokens(self) -> Tokens:
        """The text it stands in."""
        return self.trace.texts[self.stream][self.sentence]

    @property
    def text(self) -> str:
        """The word as it was typed."""
        return self.tokens.text[slice(*self.span)]

    @property
    def labels(self) -> list[str]:
        """The word's pieces as they were typed."""
        return [self.tokens.label(at) for at in self.pieces]

    @property
    def stack(self) -> str:
        """Which of the model's stacks reads this text."""
        shape: str = self.trace.about["config"]["shape"]
        return {"source": "encoder", "target": "decoder"}.get(self.stream, shape)

    def stands_along(self, name: str, axis: str) -> bool:
        """Whether this axis of a value runs along the tokens of this text."""
        return axis in "TS" and stream_of(name, axis, self.trace.texts) == self.stream

    def vector(self, name: str, known: dict[str, Tensor]) -> Tensor:
        """The word's row of a [B T D] value, float64; of several pieces the mean."""
        rows = self.trace.value(name, known)[self.sentence, list(self.pieces)]
        return rows.double().mean(0)


def locate(trace: Trace, word: str, occurrence: int | None = None, sentence: int = 0) -> Place:
    """The word's place in the trace's text (in the source before the target).

    `occurrence` counts from 1; without it the word has to stand there once.
    """
    stream, spans = standing(trace, word, sentence)
    span = _choose(spans, trace.texts[stream][sentence], word, occurrence)
    return at_span(trace, span, stream, sentence)


def standing(trace: Trace, word: str, sentence: int = 0) -> tuple[str, list[tuple[int, int]]]:
    """The stream that has the word, the source before the target, and all its places there."""
    for stream, texts in trace.texts.items():
        if spans := occurrences(texts[sentence].text, word):
            return stream, spans
    typed = "; ".join(repr(texts[sentence].text) for texts in trace.texts.values())
    raise UsageError(f"The word {word!r} is not in {typed}; give a word that is.")


def at_span(trace: Trace, span: tuple[int, int], stream: str, sentence: int = 0) -> Place:
    """The place of these characters of the text."""
    pieces = carriers(trace.texts[stream][sentence], span)
    if not pieces:
        text = trace.texts[stream][sentence].text
        raise UsageError(f"No token carries {text[slice(*span)]!r}; the tokenizer drops it.")
    return Place(trace, stream, span, pieces, sentence)


def carriers(tokens: Tokens, span: tuple[int, int]) -> tuple[int, ...]:
    """The pieces that have characters of this span."""
    return tuple(
        at
        for at, (start, end) in enumerate(tokens.offsets)
        if not tokens.special[at] and start < span[1] and span[0] < end
    )


def occurrences(text: str, word: str) -> list[tuple[int, int]]:
    """The characters of each place where the word stands, in the strictest way it does."""
    for pattern, flags in WAYS:
        found = regex.finditer(pattern.format(regex.escape(word)), text, flags) if word else ()
        if spans := [match.span() for match in found]:
            return spans
    return []


def _choose(
    spans: list[tuple[int, int]], tokens: Tokens, word: str, occurrence: int | None
) -> tuple[int, int]:
    if occurrence is None and len(spans) > 1:
        shown = "; ".join(f"{at} …{_around(tokens.text, s)}…" for at, s in enumerate(spans, 1))
        raise UsageError(
            f"{word!r} stands {len(spans)} times in {tokens.text!r}; say which "
            f"(--occurrence 2, in Python occurrence=2): {shown}."
        )
    number = 1 if occurrence is None else occurrence
    if not 1 <= number <= len(spans):
        times = "once" if len(spans) == 1 else f"{len(spans)} times"
        raise UsageError(
            f"{word!r} stands {times} in {tokens.text!r}; there is no occurrence {number}."
        )
    return spans[number - 1]


def _around(text: str, span: tuple[int, int], letters: int = 12) -> str:
    return text[max(span[0] - letters, 0) : span[1] + letters]
