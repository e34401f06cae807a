"""Words: a text split by a pattern; what becomes of each word; and terms, which vectors count.

Analyzer(steps=("nfc", "lower", "snowball"))("The mice ran.")       # ['the', 'mice', 'ran']
[(word.text, word.start) for word in Analyzer().words("The mice ran.")]
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property, partial, reduce
from typing import Any

import regex
import simplemma
import snowballstemmer

from pellucid.errors import UsageError
from pellucid.text import languages

# Letters with their marks, digits; don't is one word. What joins emoji begins none.
WORD = r"(?![\u200c\u200d\ufe00-\ufe0f])\w+(?:['’]\w+)*"
SWIFT = {WORD: re.compile(r"\w+(?:'\w+)*", re.ASCII)}  # the same in texts of nothing but ASCII
MOST_FORMS = 1 << 20  # distinct words remembered; then remembering starts afresh

Form = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Word:
    """One word as it was typed, `text[start:end]`, and what the steps made of it."""

    text: str
    start: int
    end: int
    form: str


def bare(word: str) -> str:
    """The word without its accents; a mark that stands alone stays."""
    parted = unicodedata.normalize("NFD", word)
    letters = "".join(letter for letter in parted if not unicodedata.combining(letter))
    return unicodedata.normalize("NFC", letters) or word


def porter(language: str) -> Form:
    """Porter's stemmer of 1980."""
    if languages.code(language) != "en":
        raise UsageError(f"Porter's stemmer knows English only, not {language}; take snowball.")
    return _stemmer("porter")


def snowball(language: str) -> Form:
    """The language's stemmer written in Porter's language Snowball."""
    if (name := languages.snowball(language)) is None:
        raise UsageError(f"Snowball has no stemmer for {language}; a lemma may do.")
    return _stemmer(name)


def _stemmer(name: str) -> Form:
    # a stemmer keeps the word inside it while it works: with one a word, threads cannot meet
    return lambda word: snowballstemmer.stemmer(name).stemWord(word)


def lemma(language: str) -> Form:
    """The dictionary's form of a word, as simplemma finds it."""
    if (known := languages.lemmas(language)) is None:
        raise UsageError(f"simplemma has no dictionary of {language}; a stem may do.")
    return partial(simplemma.lemmatize, lang=known)


# what can be done to a word, by name: each makes, for a language, a function of one word
STEPS: dict[str, Callable[[str], Form]] = {
    "nfc": lambda _: partial(unicodedata.normalize, "NFC"),
    "nfkc": lambda _: partial(unicodedata.normalize, "NFKC"),
    "lower": lambda _: str.lower,
    "fold": lambda _: str.casefold,
    "bare": lambda _: bare,
    "porter": porter,
    "snowball": snowball,
    "lemma": lemma,
}
USUAL_STEPS = ("nfc", "lower")


class Forms(dict[str, str]):
    """The form of each distinct word, worked out when it is first met."""

    def __init__(self, steps: tuple[str, ...], language: str = "en") -> None:
        self.steps = [STEPS[step](language) for step in steps]

    def __missing__(self, word: str) -> str:
        if len(self) >= MOST_FORMS:
            self.clear()
        self[word] = form = reduce(lambda form, step: step(form), self.steps, word)
        return form


@dataclass(frozen=True, kw_only=True)
class Analyzer:
    """From a text to its terms; also what scikit-learn takes as an `analyzer`.

    The text is split first and each word then taken through the `steps`, so that a word always
    knows its characters, whatever becomes of it. Terms are the forms of words, and of `ngrams`
    neighbouring words with spaces between, from so many to so many.
    """

    pattern: str = WORD
    steps: tuple[str, ...] = USUAL_STEPS
    language: str = "en"
    ngrams: tuple[int, int] = (1, 1)

    def __post_init__(self) -> None:
        """What is wrong is said now, not at the first text."""
        fewest, most = self.ngrams
        if not 1 <= fewest <= most:
            raise UsageError(f"N-grams of {fewest} to {most} words make no sense; write like 1-2.")
        for step in self.steps:
            if step not in STEPS:
                raise UsageError(f"Nothing called {step!r} is done to words: {', '.join(STEPS)}.")
        compiled(self.pattern)
        Forms(self.steps, self.language)

    def __call__(self, text: str) -> list[str]:
        """The text's terms: words first, then pairs, and so on."""
        find = self._find_ascii if text.isascii() else self._find
        words = list(map(self._form, find(text)))
        if self.ngrams == (1, 1):
            return words
        fewest, most = self.ngrams
        lengths = range(fewest, min(most, len(words)) + 1)
        return [term for n in lengths for term in map(" ".join, neighbours(words, n))]

    def words(self, text: str) -> Iterator[Word]:
        """The text's words in order, each with its characters."""
        for found in self._compiled.finditer(text):
            typed = found.group()
            yield Word(typed, found.start(), found.end(), self._form(typed))

    @cached_property
    def _compiled(self) -> "regex.Pattern[str]":
        return compiled(self.pattern)

    @cached_property
    def _find(self) -> Callable[[str], list[str]]:
        return self._compiled.findall

    @cached_property
    def _find_ascii(self) -> Callable[[str], list[str]]:
        return SWIFT[self.pattern].findall if self.pattern in SWIFT else self._find

    @cached_property
    def _form(self) -> Form:
        return Forms(self.steps, self.language).__getitem__

    def __getstate__(self) -> dict[str, Any]:
        """A copy gets the settings; its forms it works out afresh."""
        return self.to_json()

    def to_json(self) -> dict[str, Any]:
        """The settings as plain data."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Analyzer":
        """The inverse of `to_json`."""
        steps, (fewest, most) = data["steps"], data["ngrams"]
        return cls(**{**data, "steps": tuple(steps), "ngrams": (fewest, most)})


def neighbours(words: list[str], n: int) -> Iterator[tuple[str, ...]]:
    """All runs of `n` words."""
    return zip(*(words[at:] for at in range(n)), strict=False)


def compiled(pattern: str) -> "regex.Pattern[str]":
    """The pattern of a word, if it is one."""
    try:
        found = regex.compile(pattern)
    except regex.error as error:
        raise UsageError(f"The pattern {pattern!r} cannot be read: {error}.") from error
    if found.groups:
        raise UsageError(f"The pattern {pattern!r} has a group; write (?:…) for (…).")
    if "" in found.findall("a, b"):
        raise UsageError(f"The pattern {pattern!r} also fits no letter at all; use + for *.")
    return found


USUAL = Analyzer()  # words in lower case
