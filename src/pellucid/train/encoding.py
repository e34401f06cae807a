"""Texts to rows of ids, by the thousand; what is empty or too long is said with its number."""

import warnings
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
import tokenizers
from jaxtyping import Int

from pellucid.errors import PellucidError, UsageError
from pellucid.record.batched import batched
from pellucid.text.lines import half_at
from pellucid.text.tokenizer import Tokenizer
from pellucid.train.examples import Pair
from pellucid.train.kept import number_of
from pellucid.train.rows import Rows

TooLong = Literal["refuse", "cut"]
AT_ONCE = 1000  # texts that are encoded together
LARGE = 1 << 20  # characters of a text that are encoded at once
CUT = "cut such texts (--too-long cut)"
LONGER = f"{CUT}, or let the model read more (--longest)"  # while it is made


class Encoded(NamedTuple):
    """A text's ids, and how many of them belong to the first text of a pair."""

    ids: Sequence[int]
    first: int

    @classmethod
    def of(cls, encoding: tokenizers.Encoding) -> "Encoded":
        """From the library's own."""
        return cls(encoding.ids, encoding.type_ids.count(0))


@dataclass
class Encoding:
    """Encodes texts for a model that reads at most `longest` tokens (0: any number).

    `what` names a text in messages, `advice` says what may help a long one; `cut` counts those
    that were cut short.
    """

    tokenizer: Tokenizer
    longest: int = 0
    too_long: TooLong = "refuse"
    what: str = "Text"
    advice: str = CUT
    cut: int = field(default=0, init=False)

    def rows(self, texts: Iterable[str]) -> tuple[Rows, Sequence[int]]:
        """The ids of each text with the special ones around it, and how many belong to the first
        text of a pair.
        """
        firsts = array("q")

        def ids() -> Iterator[Sequence[int]]:
            for encoded in self._encoded(texts):
                firsts.append(encoded.first)
                yield encoded.ids

        rows = Rows.of(ids())
        if self.cut:
            number = f"{self.cut:,} {'text was' if self.cut == 1 else 'texts were'}"
            warnings.warn(f"{number} cut to {self.longest} tokens.", stacklevel=2)
        return rows, firsts

    def _encoded(self, texts: Iterable[str]) -> Iterator[Encoded]:
        at = 0
        for some in batched(worded(texts, self.what), AT_ONCE):
            for text, encoded in zip(some, self._together(some), strict=True):
                yield self._checked(encoded, text, number_of(texts, at))
                at += 1

    def _together(self, texts: Sequence[str]) -> Iterator[Encoded]:
        if type(self.tokenizer) is not Tokenizer:  # one that does more than the library
            return (Encoded(self.tokenizer.encode(text).ids, 0) for text in texts)
        return map(Encoded.of, self.tokenizer.inner.encode_batch([*map(parts, texts)]))

    def _checked(self, encoded: Encoded, text: str, number: int) -> Encoded:
        length = len(encoded.ids)
        if not length:
            raise PellucidError(f"The tokenizer keeps nothing of {self.what.lower()} {number:,}.")
        if not 0 < self.longest < length:
            return encoded
        if self.too_long == "refuse":
            raise PellucidError(
                f"{self.what} {number:,} has {length:,} tokens and the model reads at "
                f"most {self.longest:,}; {self.advice}."
            )
        self.cut += 1
        return self._shortened(text)

    def _shortened(self, text: str) -> Encoded:
        """The special pieces stay; of a pair the longer text is cut first."""
        if type(self.tokenizer) is not Tokenizer:
            *ids, end = self.tokenizer.encode(text).ids
            return Encoded([*ids[: self.longest - 1], end], 0)
        inner = self.tokenizer.inner
        inner.enable_truncation(self.longest)
        try:
            return Encoded.of(*inner.encode_batch([parts(text)]))
        finally:
            inner.no_truncation()


def parts(text: str) -> str | tuple[str, str]:
    """A text as the library wants it, and a pair."""
    return (text.first, text.second) if isinstance(text, Pair) else text


def readable(texts: Iterable[str], what: str = "Text") -> Iterator[str]:
    """The texts; half a character in one, as JSON may hold it, is an error."""
    for at, text in enumerate(texts):
        if (half := half_at(text)) is not None:
            number = number_of(texts, at)
            raise PellucidError(
                f"{what} {number:,} is not valid Unicode at character {half}; mend it."
            )
        yield text


def worded(texts: Iterable[str], what: str = "Text") -> Iterator[str]:
    """The same; one without a letter is an error too."""
    for at, text in enumerate(readable(texts, what)):
        if not text.strip():
            number = number_of(texts, at)
            raise PellucidError(f"{what} {number:,} is empty; leave it out, or fill it.")
        yield text


def flowing(tokenizer: Tokenizer, texts: Iterable[str]) -> Iterator[Sequence[int]]:
    """Documents for a language model: each begins, and where there is a sign for it, ends."""
    begin, end = ends(tokenizer)
    for text in readable(texts):
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


def specials(tokenizer: Tokenizer) -> Int[np.ndarray, "S"]:
    """The ids of the special pieces."""
    found = map(tokenizer.inner.token_to_id, tokenizer.special.values())
    return np.array(sorted({number for number in found if number is not None}))


def ordinary(tokenizer: Tokenizer) -> Int[np.ndarray, "W"]:
    """The ids of all other pieces."""
    every = np.array(sorted(set(tokenizer.inner.get_vocab().values())))
    return np.setdiff1d(every, specials(tokenizer))


def hider(tokenizer: Tokenizer) -> int:
    """The id that can stand for a hidden word: that of a mask, of the unknown, or padding."""
    for role in ("mask_token", "unk_token", "pad_token"):
        if (number := tokenizer.inner.token_to_id(tokenizer.special.get(role, ""))) is not None:
            return int(number)
    raise UsageError("The tokenizer has no mask, unknown or padding token to hide words with.")
