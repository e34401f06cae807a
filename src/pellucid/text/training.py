"""Training a tokenizer: its pieces are learnt from texts, which are read once, as a stream.

tokenizer = train(texts, kind="bpe", size=8000)
save(tokenizer, Path("tok"))                   # tokenizer.json, which `transformers` reads as well
"""

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tokenizers import AddedToken

from pellucid.errors import PellucidError, UsageError
from pellucid.record.files import REPLACE, Existing, settle
from pellucid.text.folder import ROLES
from pellucid.text.kinds import KINDS, Kind, KindName, too_small
from pellucid.text.lines import half_at
from pellucid.text.recipe import frame
from pellucid.text.tokenizer import Tokenizer

SHOWN = 8  # of the longest pieces
LINE_END = "\n"  # lines come without it, and yet it is a letter of texts


def train(
    texts: Iterable[str],
    *,
    kind: KindName = "bpe",
    size: int = 8000,
    special: Mapping[str, str] | None = None,
) -> Tokenizer:
    """A tokenizer with at most `size` pieces, the special ones among them.

    `special` names special pieces by role ("pad": "<pad>"), in place of the kind's own or beside
    them; theirs are the first ids. Known roles are bos, eos, unk, sep, pad, cls and mask.
    """
    plan = kind_of(kind)
    named = named_special(plan, special or {})
    if size <= len(set(named.values())):
        raise too_small(size, len(set(named.values())) + 1)
    inner = plan.learn(_checked(texts), size, named)
    tokens = {role: AddedToken(text, special=True) for role, text in named.items()}
    inner.add_special_tokens([*tokens.values()])
    if (found := inner.get_vocab_size()) > size:
        raise too_small(size, found)
    if plan.single:
        frame(inner, tokens, plan.single, plan.pair)
    return Tokenizer(inner, named)


def kind_of(name: str) -> Kind:
    """The kind of this name."""
    for known, kind in KINDS.items():
        if known == name:
            return kind
    raise UsageError(f"There is no kind {name!r} of tokenizer; known are {', '.join(KINDS)}.")


def named_special(kind: Kind, further: Mapping[str, str]) -> dict[str, str]:
    """The special pieces by the names of their roles, `pad_token`."""
    named = {**kind.special, **{f"{role}_token": text for role, text in further.items()}}
    for name, text in named.items():
        role = name.removesuffix("_token")
        if name not in ROLES:
            known = ", ".join(each.removesuffix("_token") for each in ROLES)
            raise UsageError(f"No special piece has the role {role!r}; roles are {known}.")
        if not text or text != text.strip():
            raise UsageError(f"The special piece {text!r} is no word; write {role}=<{role}>.")
    return named


def _checked(texts: Iterable[str]) -> Iterator[str]:
    """The texts, a line's end before them; that none has a word is an error."""
    yield LINE_END
    empty = True
    for number, text in enumerate(texts, 1):
        if (half := half_at(text)) is not None:
            raise PellucidError(
                f"Text {number:,} is not valid Unicode at character {half}; mend it."
            )
        empty = empty and not text.strip()
        yield text
    if empty:
        raise PellucidError("There is no text to train on; give at least one word.")


@dataclass(frozen=True)
class Fit:
    """How a tokenizer fits some texts: how long its pieces are, and what it cannot say."""

    texts: int
    characters: int
    pieces: int
    unknown: int
    returned: int  # texts that come back from their ids letter by letter
    longest: tuple[str, ...]  # pieces, as a person reads them

    @property
    def length(self) -> float:
        """Characters that a piece stands for, on average."""
        return self.characters / self.pieces if self.pieces else 0.0


def fit(tokenizer: Tokenizer, texts: Iterable[str]) -> Fit:
    """How the tokenizer fits these texts; special pieces around them do not count."""
    kept = [text for text in texts if text.strip()]
    ids = [each.ids for each in tokenizer.inner.encode_batch(kept, add_special_tokens=False)]
    back = tokenizer.inner.decode_batch(ids, skip_special_tokens=False)
    unknown = tokenizer.inner.token_to_id(tokenizer.special.get("unk_token", ""))
    return Fit(
        texts=len(kept),
        characters=sum(map(len, kept)),
        pieces=sum(map(len, ids)),
        unknown=0 if unknown is None else sum(each.count(unknown) for each in ids),
        returned=sum(map(str.__eq__, back, kept)),
        longest=longest(tokenizer),
    )


def longest(tokenizer: Tokenizer) -> tuple[str, ...]:
    """The longest pieces of a vocabulary, special ones apart."""
    special = set(tokenizer.special.values())
    known = tokenizer.inner.get_vocab()
    pieces = {tokenizer.piece(known[piece]) for piece in known if piece not in special}
    return tuple(sorted(pieces, key=lambda piece: (-len(piece), piece))[:SHOWN])


def save(tokenizer: Tokenizer, folder: Path, existing: Existing = "refuse") -> Path:
    """Write the tokenizer's files into a folder, all or none."""
    check_folder(folder, existing)
    try:
        beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            tokenizer.save(beside)
            folder.mkdir(exist_ok=True)
            for file in beside.iterdir():
                settle(file)
                file.replace(folder / file.name)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    except OSError as error:
        raise PellucidError(f"{folder} could not be written: {error.strerror}.") from error
    return folder


def check_folder(folder: Path, existing: Existing) -> None:
    """Say early why a tokenizer could not be saved there."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; give the name of a folder.")
    if folder.is_dir() and any(folder.iterdir()) and existing == "refuse":
        raise UsageError(f"{folder} exists already; {REPLACE}.")
    if not folder.absolute().parent.is_dir():
        raise UsageError(f"The folder {folder.parent} does not exist; make it first.")
