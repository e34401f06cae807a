"""Streaming: an answer's text piece by piece, as it comes.

for piece in model.stream("Once upon a time"):
    print(piece, end="", flush=True)
"""

from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from pellucid.decode.answer import Answers, cut_at
from pellucid.decode.generate import Generation
from pellucid.decode.prompts import Ids, prompts
from pellucid.decode.run import search_for, steps
from pellucid.decode.search import Search
from pellucid.decode.words import joined
from pellucid.errors import UsageError
from pellucid.models.model import Model

UNFINISHED = "\ufffd"  # what a tokenizer puts for bytes that are no whole character yet


class Stream:
    """The pieces of an answer; `answers` are there when it is over.

    No character is cut, and what has been given is never taken back: with beams, that is what all
    of them share. What may be the beginning of a stop string is held back.
    """

    def __init__(self, generation: Generation, search: Search, run: Iterator[None]) -> None:
        self.generation, self.search, self._run = generation, search, run
        self.answers: Answers | None = None
        self._given = ""

    def __iter__(self) -> Iterator[str]:
        for _ in self._run:
            yield from self._new(self._settled(shared(self.search)))
        self.answers = self.generation.finished(self.search)
        yield from filter(None, [self.answers[0].text[len(self._given) :]])

    def _new(self, text: str) -> Iterator[str]:
        """What of the text has not been given."""
        if text.startswith(self._given) and len(text) > len(self._given):
            yield text[len(self._given) :]
            self._given = text

    def _settled(self, ids: list[int]) -> str:
        """The part of the text that no later token can change."""
        stops = self.generation.planner.choices.words("stop")
        said = joined(self.generation.model, ids, self.search.plan.prompt)
        text = cut_at(said, stops).rstrip(UNFINISHED)
        held = max((begun(stop, text) for stop in stops), default=0)
        return text[: len(text) - held]


def begun(stop: str, text: str) -> int:
    """How much of a stop string the text ends with."""
    return next((n for n in range(len(stop) - 1, 0, -1) if text.endswith(stop[:n])), 0)


def shared(search: Search) -> list[int]:
    """The tokens that all branches and answers begin with."""
    paths = [node.ids for node in (*search.live, *search.ended)]
    first, last = min(paths), max(paths)
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    return [token for token, _ in pairs]


def stream(model: Model, text: str, **choices: Any) -> Stream:
    """The answer to one text as it comes; see `pellucid.decode.choices` for the choices."""
    return streamed(Generation.of(model, choices), text)


def streamed(generation: Generation, text: str | None, ids: Ids | None = None) -> Stream:
    """The same for a generation that was chosen before; in place of the text there may be ids."""
    planner = generation.planner
    if planner.choices.samples > 1:
        raise UsageError("Several drawn answers cannot be streamed together; ask for one.")
    given = prompts(generation.model, planner.said, text, ids, None)
    search = search_for(planner.plan(given[0].ids))
    return Stream(generation, search, steps(generation.reading(given), [search]))
