"""The four ways to cut a word into pieces, done again so that every step can be seen.

The library that cuts shows its result only. Each way here takes one word as the library's model
is given it and yields the same pieces, with the steps that led there.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

UNKNOWN_PENALTY = 10.0  # SentencePiece's: so much less likely than the least likely piece
Piece = tuple[str, int]  # as the vocabulary writes it, and its id
Placed = tuple[str, int, int]  # a piece, and where it begins and ends


@dataclass(frozen=True, slots=True)
class Merge:
    """Two neighbours become one; `at` says which of the row they were, `rank` when it was learnt.

    Of all pairs in the row it is the one with the lowest rank, and of several such the leftmost.
    """

    rank: int
    at: int
    left: str
    right: str
    merged: str


@dataclass(frozen=True, slots=True)
class Match:
    """The longest piece that begins at `start`, and how many longer ones there were not.

    `piece` is None where there is none at all, or the word is too long: then it is unknown.
    """

    start: int
    end: int
    piece: str | None
    tried: int


@dataclass(frozen=True, slots=True)
class Edge:
    """A piece that could stand at `word[start:end]`: one edge of the lattice.

    `score` is the logarithm of its probability, `total` the best sum from the word's beginning
    through this edge. The chosen ones are the best path.
    """

    start: int
    end: int
    piece: str
    score: float
    total: float
    chosen: bool = False


Step = Merge | Match | Edge


@dataclass(frozen=True)
class Cut:
    """One word's pieces, the row it began with, and the steps between."""

    pieces: tuple[Piece, ...]
    row: tuple[str, ...]
    steps: tuple[Step, ...] = ()

    def rows(self) -> Iterator[list[Placed]]:
        """The row before the first merge and after each, each piece with its place in the first."""
        row = [(piece, at, at + 1) for at, piece in enumerate(self.row)]
        yield list(row)
        for step in self.steps:
            if isinstance(step, Merge):
                (_, start, _), (_, _, end) = row[step.at : step.at + 2]
                row[step.at : step.at + 2] = [(step.merged, start, end)]
                yield list(row)


class Way:
    """One way of cutting, with a model's vocabulary: as tokenizer.json describes it."""

    name: ClassVar[str]

    def __init__(self, model: Mapping[str, Any]) -> None:
        self.model = model
        self.ids: Mapping[str, int] = model["vocab"]
        self.unknown: str | None = model.get("unk_token")

    def __call__(self, word: str) -> Cut:
        """The word, cut."""
        raise NotImplementedError

    def _numbered(self, pieces: list[str]) -> tuple[Piece, ...]:
        return tuple((piece, self.ids[piece]) for piece in pieces)


class Pairs(Way):
    """Byte-pair encoding: from single letters, the pair that was learnt first is merged first."""

    name = "BPE"

    def __init__(self, model: Mapping[str, Any]) -> None:
        super().__init__(model)
        self.within = model.get("continuing_subword_prefix") or ""
        self.behind = model.get("end_of_word_suffix") or ""
        self.ranks = {(left, right): rank for rank, (left, right) in enumerate(model["merges"])}

    def __call__(self, word: str) -> Cut:
        if self.model.get("ignore_merges") and word in self.ids:
            return Cut(self._numbered([word]), (word,))
        row = list(self._letters(word))
        first, steps = tuple(row), []
        while (step := self._next(row)) is not None:
            row[step.at : step.at + 2] = [step.merged]
            steps.append(step)
        return Cut(self._numbered(row), first, tuple(steps))

    def _next(self, row: list[str]) -> Merge | None:
        never = len(self.model["merges"])
        found = [(self.ranks.get(pair, never), at) for at, pair in enumerate(pairwise(row))]
        rank, at = min(found, default=(never, 0))
        if rank == never:
            return None
        left, right = row[at : at + 2]
        return Merge(rank, at, left, right, left + right[len(self.within) :])

    def _letters(self, word: str) -> Iterator[str]:
        """The row to begin with; a letter that is unknown is spelled in bytes, or is unknown."""
        pending = False  # unknown letters in a row may count as one
        for at, letter in enumerate(word):
            whole = (self.within if at else "") + letter
            whole += self.behind if at == len(word) - 1 else ""
            if whole in self.ids:
                if pending:
                    yield self.unknown or ""
                pending = False
                yield whole
            elif spelled := self._bytes(whole):
                yield from spelled
            elif self.unknown is not None:
                if pending and not self.model.get("fuse_unk"):
                    yield self.unknown
                pending = True
        if pending:
            yield self.unknown or ""

    def _bytes(self, letter: str) -> list[str]:
        spelled = in_bytes(letter)
        whole = self.model.get("byte_fallback") and all(byte in self.ids for byte in spelled)
        return spelled if whole else []


class Longest(Way):
    """WordPiece: from the left, always the longest piece there is; if none fits, nothing does."""

    name = "WordPiece"

    def __call__(self, word: str) -> Cut:
        steps = list(self._matches(word))
        if any(step.piece is None for step in steps):
            return Cut(self._numbered([self.unknown or ""]), tuple(word), tuple(steps))
        pieces = [step.piece for step in steps if step.piece]
        return Cut(self._numbered(pieces), tuple(word), tuple(steps))

    def _matches(self, word: str) -> Iterator[Match]:
        """Matches from the left, up to one that is none; a word that is too long has none."""
        at = 0
        if len(word) > self.model["max_input_chars_per_word"]:
            yield Match(0, len(word), None, 0)
            return
        while at < len(word):
            yield (step := self._match(word, at))
            at = step.end

    def _match(self, word: str, start: int) -> Match:
        within = self.model["continuing_subword_prefix"] if start else ""
        for end in range(len(word), start, -1):
            if (piece := within + word[start:end]) in self.ids:
                return Match(start, end, piece, len(word) - end)
        return Match(start, len(word), None, len(word) - start)


class Likeliest(Way):
    """Unigram: of all ways through the lattice, the one with the highest sum of scores."""

    name = "Unigram"

    def __init__(self, model: Mapping[str, Any]) -> None:
        self.scores = dict(model["vocab"])
        numbers = {piece: number for number, (piece, _) in enumerate(model["vocab"])}
        super().__init__({**model, "vocab": numbers})
        self.number: int | None = model.get("unk_id")
        self.fallback = min(self.scores.values(), default=0.0) - UNKNOWN_PENALTY
        self.longest = max(map(len, self.scores), default=0)

    def __call__(self, word: str) -> Cut:
        edges, best = self._lattice(word)
        path = list(_back(best, len(word)))[::-1]
        chosen = tuple(replace(edge, chosen=edge in path) for edge in edges)
        pieces = [piece for text in self._fused(path) for piece in self._piece(text)]
        return Cut(tuple(pieces), tuple(word), chosen)

    def _lattice(self, word: str) -> tuple[list[Edge], list[Edge | None]]:
        """All edges, and the best one that ends at each place."""
        edges: list[Edge] = []
        best: list[Edge | None] = [None] * (len(word) + 1)
        for start in range(len(word)):
            before = best[start]
            so_far = before.total if before else 0.0
            for piece, score in self._begin(word, start):
                end = start + len(piece)
                edges.append(edge := Edge(start, end, piece, score, score + so_far))
                rival = best[end]
                if rival is None or edge.total > rival.total:
                    best[end] = edge
        return edges, best

    def _begin(self, word: str, start: int) -> Iterator[tuple[str, float]]:
        """The pieces that begin here, shortest first; a letter that is none is unlikely."""
        letter = word[start]
        if letter not in self.scores:
            yield letter, self.fallback
        for end in range(start + 1, min(start + self.longest, len(word)) + 1):
            if (score := self.scores.get(word[start:end])) is not None:
                yield word[start:end], score

    def _fused(self, path: list[Edge]) -> Iterator[str]:
        """The path's pieces; unknown letters in a row are one."""
        unknown = ""
        for edge in path:
            if self.ids.get(edge.piece, self.number) == self.number:
                unknown += edge.piece
                continue
            if unknown:
                yield unknown
            unknown = ""
            yield edge.piece
        if unknown:
            yield unknown

    def _piece(self, text: str) -> list[Piece]:
        spelled = in_bytes(text) if self.model.get("byte_fallback") else []
        if text in self.ids:
            return [(text, self.ids[text])]
        if spelled and all(byte in self.ids for byte in spelled):
            return [(byte, self.ids[byte]) for byte in spelled]
        return [(text, self.number if self.number is not None else -1)]


class Whole(Way):
    """Words or characters: each is looked up whole."""

    name = "WordLevel"

    def __call__(self, word: str) -> Cut:
        piece = word if word in self.ids else self.unknown
        return Cut(self._numbered([piece] if piece is not None else []), (word,))


WAYS: dict[str, Callable[[Mapping[str, Any]], Way]] = {
    way.name: way for way in (Pairs, Longest, Likeliest, Whole)
}


def in_bytes(text: str) -> list[str]:
    """The bytes of a text as SentencePiece writes them."""
    return [f"<0x{byte:02X}>" for byte in text.encode()]


def _back(best: list[Edge | None], end: int) -> Iterator[Edge]:
    """The best path, from its end."""
    while edge := best[end]:
        yield edge
        end = edge.start
