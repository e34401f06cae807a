"""BERT's objective: words that are masked are to be told, and whether a sentence follows another.

Of the words, 15 % are to be told; of these 80 % become [MASK], 10 % another word, 10 % stay
(Devlin et al. 2018). Special pieces, [UNK] too, are never among them, nor drawn in their place.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Int

from pellucid.errors import PellucidError
from pellucid.text.tokenizer import Tokenizer
from pellucid.train.batches import Answer, Array, Example
from pellucid.train.encoding import ordinary, special
from pellucid.train.objectives import Chance, fingerprint, wide
from pellucid.train.rows import Rows

FOLLOWS, ELSEWHERE = 0, 1  # the label of a second sentence; BERT's head has them in this order
HIDDEN, REPLACED = 0.8, 0.9  # below the first: [MASK]; below the second: another word
AROUND = 3  # [CLS] a [SEP] b [SEP]
TOGETHER = 8  # stretches at most that are held out together, so that most have what follows them


@dataclass(frozen=True, eq=False)
class Masking:
    """Which words are to be told, and what stands in their place. `words` are ids to draw from."""

    share: float
    mask: int
    words: Int[np.ndarray, "W"]

    def apply(self, ids: Array, chance: np.random.Generator) -> tuple[Array, Answer]:
        """The ids as the model is given them, and the words to be told: at least one, if any."""
        places = np.flatnonzero(np.isin(ids, self.words))
        count = min(len(places), max(1, round(self.share * len(places))))
        chosen = chance.choice(places, count, replace=False) if count else places
        kind = chance.random(count)
        given, counted = ids.copy(), np.zeros(len(ids), np.bool_)
        drawn = chance.choice(self.words, count)
        given[chosen] = np.select([kind < HIDDEN, kind < REPLACED], [self.mask, drawn], ids[chosen])
        counted[chosen] = True
        return given, Answer(ids, counted)


@dataclass(frozen=True, eq=False)
class Sentences:
    """Stretches of documents: each with the one that follows it, or one from another document.

    `documents` are the number of each stretch's document. Those that end a document have nothing
    that follows them, so theirs is always from elsewhere. With `numbers` it is about these
    stretches alone: what is held out is not learned as a second one either. Only where all are of
    one document, others come from elsewhere.
    """

    rows: Rows
    documents: Int[np.ndarray, "N"]
    masking: Masking
    frame: tuple[int, int]  # the ids of [CLS] and [SEP]
    numbers: Int[np.ndarray, "M"] | None = None  # in their order; else all

    @cached_property
    def kept(self) -> Int[np.ndarray, "M"]:
        """The numbers of the stretches that it is about."""
        return np.arange(len(self.rows)) if self.numbers is None else self.numbers

    @cached_property
    def followed(self) -> Bool[np.ndarray, "M"]:
        """Whether what follows one in its document is among them."""
        same = np.diff(self.documents[self.kept]) == 0
        return np.append((np.diff(self.kept) == 1) & same, False)

    @cached_property
    def alone(self) -> bool:
        """Whether they are of one document, or none."""
        return len(np.unique(self.documents[self.kept])) < 2

    @cached_property
    def pool(self) -> Int[np.ndarray, "P"]:
        """What comes from elsewhere is one of these."""
        return np.arange(len(self.rows)) if self.alone else self.kept

    @cached_property
    def homes(self) -> Int[np.ndarray, "P"]:
        """The documents of the pool."""
        return self.documents[self.pool]

    def parted(self, share: float) -> tuple["Sentences", "Sentences"]:
        """What is learned, and so large a share held out: runs of stretches, from everywhere."""
        places = np.arange(len(self.rows))
        within = places - np.searchsorted(self.documents, self.documents)
        together = max(1, min(TOGETHER, int(share * len(places)) // 2))  # of few, two runs
        runs = np.cumsum(within % together == 0)  # from 1
        held = (runs * share).astype(int) > ((runs - 1) * share).astype(int)
        return replace(self, numbers=places[~held]), replace(self, numbers=places[held])

    @property
    def lengths(self) -> Int[np.ndarray, "M 1"]:
        """Of the stretch and the one behind it; one from elsewhere is about as long."""
        own = self.rows.lengths
        return (own + np.roll(own, -1) + AROUND)[self.kept][:, None]

    @property
    def mark(self) -> str:
        return f"{self.rows.mark} {fingerprint(self.documents)} {fingerprint(self.kept)}"

    def example(self, number: int, chance: Chance) -> Example:
        """[CLS] a [SEP] b [SEP], some words masked; and whether b follows a."""
        random = chance.of(number)
        other, label = self.second(number, random)
        a, b = wide(self.rows[int(self.kept[number])]), wide(self.rows[other])
        start, end = self.frame
        ids = np.concatenate([[start], a, [end], b, [end]])
        given, words = self.masking.apply(ids, random)
        segments = (np.arange(len(ids)) > len(a) + 1).astype(np.int64)
        follows = Answer(np.array(label), np.array(True))
        inputs = {"ids": given, "segments": segments}
        return Example(inputs, {"words": words, "next sentence": follows})

    def second(self, number: int, random: np.random.Generator) -> tuple[int, int]:
        """The second stretch, and its label."""
        if self.followed[number] and random.random() < 0.5:
            return int(self.kept[number + 1]), FOLLOWS
        home = self.documents[self.kept[number]]
        own, behind = np.searchsorted(self.homes, [home, home + 1])
        drawn = random.integers(len(self.pool) - (behind - own))
        return int(self.pool[drawn if drawn < own else drawn + behind - own]), ELSEWHERE


def sentences(
    tokenizer: Tokenizer, documents: Iterable[Iterable[str]], longest: int, share: float
) -> Sentences:
    """Documents, each a stream of paragraphs, cut into stretches so that two fit side by side."""
    homes: list[int] = []

    def rows() -> Iterator[Sequence[int]]:
        for number, paragraphs in enumerate(documents):
            ids = (tokenizer.inner.encode(p, add_special_tokens=False).ids for p in paragraphs)
            for stretch in stretches(ids, (longest - AROUND) // 2):
                homes.append(number)
                yield stretch

    found = Rows.of(rows())
    if len(set(homes)) < 2:
        raise PellucidError(
            "Whether a sentence follows another is learned from two documents or more; "
            "give several files, or say --unit paragraph."
        )
    masking = Masking(share, special(tokenizer, "mask"), ordinary(tokenizer))
    frame = special(tokenizer, "cls"), special(tokenizer, "sep")
    return Sentences(found, np.array(homes), masking, frame)


def stretches(paragraphs: Iterable[Sequence[int]], most: int) -> Iterator[list[int]]:
    """Whole paragraphs together while they fit; longer ones are cut."""
    held: list[int] = []
    for ids in paragraphs:
        if held and len(held) + len(ids) > most:
            yield held
            held = []
        held = [*held, *ids]
        while len(held) > most:
            yield held[:most]
            held = held[most:]
    if held:
        yield held
