"""A job: what to train on which files, as one TOML file from which it can be done again."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import numpy as np

from pellucid.errors import PellucidError, UsageError
from pellucid.record.printed import counted
from pellucid.text.formats import Layout
from pellucid.text.sources import Corpus, check_once
from pellucid.train.classifiers import CERTAIN, CLASSIFIERS
from pellucid.train.examples import Examples
from pellucid.train.kept import Kept
from pellucid.train.settings import Settings, TaskName, check, read_toml, toml, usual
from pellucid.train.translator import Parallel

FILE = "settings.toml"
OURS = "transformer"  # what learns where no rival is said


@dataclass(frozen=True, kw_only=True)
class Job:
    """The settings, the files, and how those are read.

    `pair` is the column of a second text (of a translation, the target); `sign` stands between
    labels where a text may have several. `rival` says what learns if it is no Transformer: its
    `kind`, and of TF-IDF how words are made.
    """

    settings: Settings
    files: tuple[str, ...] = ()
    valid: tuple[str, ...] = ()
    layout: Layout = field(default_factory=Layout)
    pair: str = ""
    sign: str = ""
    broken: Literal["refuse", "skip"] = "refuse"
    rival: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.rival and self.settings.task != "classify":
            raise UsageError(f"{self.kind} tells classes alone, so task is classify; leave it so.")

    @property
    def kind(self) -> str:
        """The name of the model that learns."""
        return str(self.rival.get("kind", OURS))

    def differences(self, other: "Job") -> list[str]:
        """What is not the same, but for the settings: "pair was '', is 'b'"."""
        was, now = self._said(), other._said()
        names = [name for name in {**was, **now} if was.get(name) != now.get(name)]
        told = [(name, toml(was.get(name)), toml(now.get(name))) for name in names]
        return [f"{name} was {before}, is {after}" for name, before, after in told]

    def _said(self) -> dict[str, Any]:
        return {**self._files(), **vars(self.layout), **self.rival}

    def _files(self) -> dict[str, Any]:
        own = [each.name for each in fields(self) if each.name not in APART]
        return {name: getattr(self, name) for name in own}

    def data(self) -> tuple[Any, Any]:
        """What is learned from, and what it is measured on."""
        if not self.files:
            raise UsageError("There are no files to learn from; name some.")
        check_once((*self.files, *self.valid))
        read = READERS[self.settings.task]
        return read(self, self.files), read(self, self.valid) if self.valid else None

    def corpus(self, files: Sequence[str], **further: Any) -> Corpus:
        """The documents of files."""
        layout = replace(self.layout, second=self.pair or None, **further)
        return Corpus(files, layout, self.broken)

    def to_toml(self) -> str:
        """As a file."""
        layout = {n: v for n, v in vars(self.layout).items() if v != getattr(Layout(), n)}
        parts = {"files": self._files(), "layout": layout, "rival": self.rival}
        sections = [section(name, values) for name, values in parts.items()]
        learns = self.kind not in CERTAIN
        first = self.settings.to_toml() if learns else f"task = {toml(self.settings.task)}\n"
        return "\n".join(filter(None, [first, *sections]))

    @classmethod
    def read(cls, path: Path) -> "Job":
        """Read such a file; settings that it leaves out are as usual."""
        found = read_toml(path)
        files, layout, rival = (found.pop(name, {}) for name in ("files", "layout", "rival"))
        try:
            shape, own = Layout(**held(Layout, "layout", layout)), held(cls, "files", files)
            return cls(settings=usual(**flat(found)), layout=shape, rival=known(rival), **own)
        except UsageError as error:
            raise UsageError(f"{path}: {error}") from error


APART = ("settings", "layout", "rival")  # what has a section of its own


def read_job(run: Path, task: TaskName, files: Sequence[str], layout: Layout) -> Job:
    """What a run was asked to do, now with other files."""
    known = Job.read(run / FILE) if (run / FILE).is_file() else None
    job = known or Job(settings=usual(task=task), files=())
    return replace(job, files=tuple(files), valid=(), layout=layout)


def held(kind: type, name: str, values: Any) -> dict[str, Any]:
    """What a section says, if the fields of a dataclass can hold it."""
    kinds = {each.name: each.type for each in fields(kind) if each.name not in APART}
    if unknown := [each for each in section_of(name, values) if each not in kinds]:
        raise UsageError(f"[{name}] has no {unknown[0]!r}; it has {', '.join(kinds)}.")
    return {each: fitting(each, value, kinds[each]) for each, value in values.items()}


def section_of(name: str, values: Any) -> dict[str, Any]:
    """A section, if it is one."""
    if not isinstance(values, dict):
        raise UsageError(f"{name} is {values!r}; expected is a section, [{name}].")
    return values


def fitting(name: str, value: Any, kind: Any) -> Any:
    """A value as a field wants it: TOML has lists where we have tuples, and no None."""
    kind = get_args(kind)[0] if NoneType in get_args(kind) else kind
    if get_origin(kind) is not tuple:
        return check(name, value, kind)
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise UsageError(f"{name} is {value!r}; expected is a list of names.")
    return tuple(value)


def known(rival: Any) -> dict[str, Any]:
    """What is said of a rival, if there is one of its kind."""
    told, kinds = section_of("rival", rival), [kind for kind in CLASSIFIERS if kind != OURS]
    if told and told.get("kind") not in kinds:
        raise UsageError(f"kind is {told.get('kind')!r}; the choices are {', '.join(kinds)}.")
    return told


def flat(sections: dict[str, Any]) -> dict[str, Any]:
    """The settings of all sections."""
    alone = {name: value for name, value in sections.items() if not isinstance(value, dict)}
    parts = (value for value in sections.values() if isinstance(value, dict))
    return alone | {name: value for part in parts for name, value in part.items()}


def section(name: str, values: dict[str, Any]) -> str:
    """A section of the file; none where there is nothing in it."""
    lines = [f"{key} = {toml(value)}" for key, value in values.items()]
    return "\n".join([f"[{name}]", *lines]) + "\n" if lines else ""


def labelled(job: Job, files: Sequence[str]) -> Examples:
    """Texts with labels, or pairs of texts."""
    return Examples.of(job.corpus(files))


def texts(job: Job, files: Sequence[str]) -> Kept:
    """Texts alone; they are read more than once, which standard input cannot be."""
    return kept(job.corpus(files))


def parallel(job: Job, files: Sequence[str]) -> Parallel:
    """Two files, the same line of each a pair; or one with a column for each language."""
    if job.pair:
        return Parallel(*kept(job.corpus(files)).halves())
    if len(files) != 2:
        raise UsageError(
            f"{len(files)} files came; give one of sources and one of targets, "
            "or a table and its two columns (--text, --pair)."
        )
    return side_by_side(job, *files)


def side_by_side(job: Job, source: str, target: str) -> Parallel:
    """The lines of two files; of a pair that lacks one half, neither is learned."""
    sources, targets = (kept(job.corpus([file], gaps="kept")) for file in (source, target))
    if len(sources) != len(targets):
        raise PellucidError(
            f"{source} has {len(sources):,} lines and {target} {len(targets):,}; "
            "the same line of each must be a pair."
        )
    if (halves := np.flatnonzero(sources.empty ^ targets.empty)).size:
        line = halves[0]
        lacking = f"{source if sources.empty[line] else target} line {line + 1:,}"
        if job.broken == "refuse":
            raise PellucidError(f"{lacking} is empty; fill it, or leave the pair out.")
        pairs = counted(f"{len(halves):,}", "half pair")
        warnings.warn(f"{pairs} left out, first: {lacking} is broken or empty.", stacklevel=2)
    return Parallel(sources, targets).some(np.flatnonzero(~(sources.empty | targets.empty)))


def kept(corpus: Corpus) -> Kept:
    """The texts of a corpus, not in memory; of pairs, both."""
    return Kept.of(text for document in corpus for text in document.texts)


READERS = {"classify": labelled, "generate": texts, "translate": parallel, "bert": texts}
