"""Texts to rows of ids, by the thousand; what is empty or too long is said with its number."""

import warnings
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

import numpy as np
import tokenizers

from pellucid.errors import PellucidError, UsageError
from pellucid.text.tokenizer import Tokenizer
from pellucid.train.examples import Pair
from pellucid.train.rows import Rows

TooLong = Literal["refuse", "cut"]
AT_ONCE = 1000  # texts that are encoded together
LARGE = 1 << 20  # characters of a text that are encoded at once
ADVICE = "cut such texts (--too-long cut), or let the model read more (--longest)"


@dataclass
class Encoding:
    """Encodes texts for a model that reads at most `longest` tokens (0: any number).

    `what` names a text in messages; `cut` counts those that were cut short.
    """

    tokenizer: Tokenizer
    longest: int = 0
    too_long: TooLong = "refuse"
    what: str = "Text"
    cut: int = field(default=0, init=False)

    def rows(self, texts: Iterable[str]) -> tuple[Rows, Sequence[int]]:
        """The ids of each text with the special ones around it, and how many belong to the first
        text of a pair.
        """
        firsts = array("q")

        def ids() -> Iterator[Sequence[int]]:
            for encoding in self._encoded(texts):
                firsts.append(encoding.type_ids.count(0))
                yield encoding.ids

        rows = Rows.of(ids())
        if self.cut:
            number = f"{self.cut:,} {'text was' if self.cut == 1 else 'texts were'}"
            warnings.warn(f"{number} cut to {self.longest} tokens.", stacklevel=2)
        return rows, firsts

    def _encoded(self, texts: Iterable[str]) -> Iterator[tokenizers.Encoding]:
        waiting, number = iter(texts), 0
        while some := list(islice(waiting, AT_ONCE)):
            for text, encoding in zip(some, self._together(some, number), strict=True):
                number += 1
                yield self._checked(encoding, text, number)

    def _together(self, texts: Sequence[str], before: int) -> Sequence[tokenizers.Encoding]:
        for number, text in enumerate(texts, before + 1):
            if not text.strip():
                raise PellucidError(f"{self.what} {number:,} is empty; leave it out, or fill it.")
        given = [(text.first, text.second) if isinstance(text, Pair) else text for text in texts]
        return self.tokenizer.inner.encode_batch(given)

    def _checked(
        self, encoding: tokenizers.Encoding, text: str, number: int
    ) -> tokenizers.Encoding:
        if not encoding.ids:
            raise PellucidError(f"The tokenizer keeps nothing of {self.what.lower()} {number:,}.")
        if not 0 < self.longest < len(encoding.ids):
            return encoding
        if self.too_long == "refuse":
            raise PellucidError(
                f"{self.what} {number:,} has {len(encoding.ids):,} tokens and the model reads at "
                f"most {self.longest:,}; {ADVICE}."
            )
        self.cut += 1
        return self._shortened(text)

    def _shortened(self, text: str) -> tokenizers.Encoding:
        """The special pieces stay; of a pair the longer text is cut first."""
        inner = self.tokenizer.inner
        inner.enable_truncation(self.longest)
        try:
            return inner.encode(*((text.first, text.second) if isinstance(text, Pair) else (text,)))
        finally:
            inner.no_truncation()


def flowing(tokenizer: Tokenizer, texts: Iterable[str]) -> Iterator[Sequence[int]]:
    """Documents for a language model: each begins, and where there is a sign for it, ends."""
    begin, end = ends(tokenizer)
    for text in texts:
        ids = [*begin]
        for piece in pieces(text):
            ids += tokenizer.inner.encode(piece, add_special_tokens=False).ids
        yield [*ids, *end]


def ends(tokenizer: Tokenizer) -> tuple[list[int], list[int]]:
    """The ids before and behind a document; where they are the same sign, it stands before."""
    named = [tokenizer.special.get(role, "") for role in ("bos_token", "eos_token")]
    first, last = (tokenizer.inner.token_to_id(piece) for piece in named)
    if first is None:
        first, last = last, None
    sign = [] if first is None else [first]
    return sign, [] if last in (None, first) else [last]


def pieces(text: str) -> Iterator[str]:
    """A text in pieces that end with a line, so that no piece is too large to hold twice."""
    start = 0
    while start < len(text):
        line = text.find("\n", start + LARGE)
        end = len(text) if line < 0 else line + 1
        yield text[start:end]
        start = end


def special(tokenizer: Tokenizer, role: str) -> int:
    """The id of a special piece."""
    piece = tokenizer.special.get(f"{role}_token", "")
    number = tokenizer.inner.token_to_id(piece)
    if number is None:
        raise UsageError(f"The tokenizer has no {role} token, which this task needs.")
    return int(number)


def ordinary(tokenizer: Tokenizer) -> np.ndarray:
    """The ids of all pieces but the special ones."""
    kept = {tokenizer.inner.token_to_id(piece) for piece in tokenizer.special.values()}
    return np.array(sorted(set(tokenizer.inner.get_vocab().values()) - kept))
