"""Marian's: one SentencePiece model cuts the source, one the target; vocab.json has the ids."""

import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from pellucid.errors import PellucidError, UsageError
from pellucid.record.tokens import Tokens
from pellucid.text.charsmap import Charsmap
from pellucid.text.families.plain import followed
from pellucid.text.folder import Folder, read_object
from pellucid.text.sentencepiece import SPACE, read_sentencepiece
from pellucid.text.tokenizer import Given, Tokenizer, check_text

NAMES, FAMILY = ("MarianTokenizer",), "marian"
FILES = ("source.spm", "target.spm", "vocab.json")
TARGET = "target_vocab.json"  # where source and target do not share their ids
SETTINGS = "tokenizer_config.json"
SPECIAL = {"unk_token": "<unk>", "eos_token": "</s>", "pad_token": "<pad>"}

Cut = tuple[str, int, int]  # a piece, and its range of characters

LANGUAGE = re.compile(">>.*?<<", re.DOTALL)  # which language to translate into, in front


class Marian(Tokenizer):
    """One side of a translation model: its SentencePiece model, and the ids of the pieces."""

    def __init__(self, path: Path, ids: Mapping[str, int], special: Mapping[str, str]) -> None:
        model = read_sentencepiece(path)
        spelling = tuple(piece for piece in model.pieces if piece.kind != "control")
        super().__init__(followed(replace(model, pieces=spelling), []), special)
        self.folder = path.parent
        self.rewrite = Charsmap(model.charsmap)
        self.ids, self.pieces = ids, {number: piece for piece, number in ids.items()}
        longest = sorted(special.values(), key=len, reverse=True)
        self.find_special = re.compile(f"({'|'.join(map(re.escape, longest))})")

    def encode(self, text: str, pair: str | None = None) -> Tokens:
        """The text's pieces, and </s> behind them."""
        if pair is not None:
            raise UsageError("This tokenizer takes one text at a time; two came.")
        cuts = [*self._cut(check_text(text)), (self.special["eos_token"], 0, 0)]
        unknown = self.ids[self.special["unk_token"]]
        pieces, starts, stops = zip(*cuts, strict=True)
        return Tokens(
            text=text,
            ids=tuple(self.ids.get(piece, unknown) for piece in pieces),
            pieces=pieces,
            offsets=tuple(zip(starts, stops, strict=True)),
            special=(*[False] * (len(cuts) - 1), True),
        )

    def given(self, text: str) -> Iterator[Given]:
        """What stands between special pieces."""
        at = 0
        for part in self.find_special.split(text):
            if part and part not in self.special.values():
                yield self._written(part, at)
            at += len(part)

    def decode(self, ids: list[int]) -> str:
        """Ids as text, special pieces left out."""
        pieces = (self.pieces.get(number, "") for number in ids)
        text = "".join(piece for piece in pieces if piece not in self.special.values())
        return text.replace(SPACE, " ").strip()

    def piece(self, number: int) -> str:
        """One piece of the vocabulary, as a person reads it."""
        return self.decode([number]) or self.pieces.get(number, f"<{number}>")

    def save(self, folder: Path) -> None:
        """Copy the files that it was read from."""
        further = [name for name in (TARGET, SETTINGS) if (self.folder / name).is_file()]
        for name in (*FILES, *further):
            shutil.copy(self.folder / name, folder / name)

    def _cut(self, text: str) -> Iterator[Cut]:
        at = 0
        for part in self.find_special.split(text):
            if part in self.special.values():
                yield part, at, at + len(part)
            elif part:
                yield from self._between(part, at)
            at += len(part)

    def _between(self, text: str, at: int) -> Iterator[Cut]:
        """The pieces of what stands between special ones; a language's code is one piece."""
        if code := LANGUAGE.match(text):
            yield code.group(), at, at + code.end()
        written, spans = self._written(text, at)
        encoding = self.inner.encode(written, add_special_tokens=False)
        for piece, (start, end) in zip(encoding.tokens, encoding.offsets, strict=True):
            yield piece, spans[start][0], spans[max(start, end - 1)][1]

    def _written(self, text: str, at: int) -> Given:
        """What the library is given: without the language's code, its characters rewritten."""
        code = LANGUAGE.match(text)
        start = code.end() if code else 0
        written, spans = self.rewrite(text[start:])
        return written, [(at + start + first, at + start + last) for first, last in spans]


def read_marian(folder: Folder) -> Marian:
    """The tokenizer of the source; its `target` is the one of the target."""
    special = {role: token.content for role, token in folder.special(SPECIAL).items()}
    ids = {"source": _ids(folder.path / FILES[2], special)}
    if folder.setting("separate_vocabs", False):
        ids["target"] = _ids(folder.path / TARGET, special)
    source = Marian(folder.path / FILES[0], ids["source"], special)
    source.target = Marian(folder.path / FILES[1], ids.get("target", ids["source"]), special)
    return source


def _ids(path: Path, special: Mapping[str, str]) -> dict[str, int]:
    """The ids in vocab.json; special pieces that it lacks come behind."""
    ids = read_object(path)
    if special["unk_token"] not in ids or not all(isinstance(at, int) for at in ids.values()):
        raise PellucidError(f"{path} numbers no pieces; expected a vocabulary with <unk>.")
    for piece in special.values():
        ids.setdefault(piece, len(ids))
    return ids
