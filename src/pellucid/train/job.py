"""A job: what to train on which files, as one TOML file from which it can be done again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from pellucid.errors import PellucidError, UsageError
from pellucid.text.formats import Layout
from pellucid.text.sources import Corpus
from pellucid.train.classifiers import CERTAIN
from pellucid.train.examples import Examples
from pellucid.train.kept import Kept
from pellucid.train.settings import Settings, TaskName, read_toml, toml, usual
from pellucid.train.translator import Parallel

FILE = "settings.toml"


@dataclass(frozen=True, kw_only=True)
class Job:
    """The settings, the files, and how those are read.

    `pair` is the column of a second text (of a translation, the target); `sign` stands between
    labels where a text may have several. `rival` says what learns if it is no Transformer: its
    `kind`, and of TF-IDF how words are made.
    """

    settings: Settings
    files: tuple[str, ...]
    valid: tuple[str, ...] = ()
    layout: Layout = field(default_factory=Layout)
    pair: str = ""
    sign: str = ""
    broken: Literal["refuse", "skip"] = "refuse"
    rival: dict[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The name of the model that learns."""
        return str(self.rival.get("kind", "transformer"))

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
        read = READERS[self.settings.task]
        return read(self, self.files), read(self, self.valid) if self.valid else None

    def corpus(self, files: Sequence[str], **further: Any) -> Corpus:
        """The documents of files."""
        return Corpus(files, replace(self.layout, **further), self.broken)

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
        files, layout = found.pop("files", {}), found.pop("layout", {})
        rival = found.pop("rival", {})
        try:
            shape = Layout(**tuples(layout))
            return cls(settings=usual(**flat(found)), layout=shape, rival=rival, **tuples(files))
        except TypeError as error:
            raise UsageError(f"{path} cannot be read as settings ({error}).") from error


APART = ("settings", "layout", "rival")  # what has a section of its own


def read_job(run: Path, task: TaskName, files: Sequence[str], layout: Layout) -> Job:
    """What a run was asked to do, now with other files."""
    known = Job.read(run / FILE) if (run / FILE).is_file() else None
    job = known or Job(settings=usual(task=task), files=())
    return replace(job, files=tuple(files), valid=(), layout=layout)


def tuples(values: dict[str, Any]) -> dict[str, Any]:
    """TOML has lists where we have tuples."""
    return {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()}


def flat(sections: dict[str, Any]) -> dict[str, Any]:
    """The settings of all sections."""
    alone = {name: value for name, value in sections.items() if not isinstance(value, dict)}
    parts = (value for value in sections.values() if isinstance(value, dict))
    return alone | {name: value for part in parts for name, value in part.items()}


def section(name: str, values: dict[str, Any]) -> str:
    """A section of the file; none where there is nothing in it."""
    lines = [f"{key} = {toml(value)}" for key, value in values.items()]
    return "\n".join([f"[{name}]", *lines]) + "\n" if lines else ""


@dataclass(frozen=True)
class Texts:
    """The texts of a corpus, which can be read again."""

    corpus: Corpus

    def __iter__(self) -> Iterator[str]:
        return (document.text for document in self.corpus)


def labelled(job: Job, files: Sequence[str]) -> Examples:
    """Texts with labels, or pairs of texts."""
    examples = Examples.of(job.corpus(files))
    if not job.pair:
        return examples
    return examples.paired(kept(job.corpus(files, text=job.pair)))


def texts(job: Job, files: Sequence[str]) -> Texts:
    """Texts alone."""
    return Texts(job.corpus(files))


def parallel(job: Job, files: Sequence[str]) -> Parallel:
    """Two files, the same line of each a pair; or one with a column for each language."""
    if job.pair:
        both = (job.corpus(files, text=column) for column in (job.layout.text, job.pair))
        return Parallel(*map(kept, both))
    if len(files) != 2:
        raise UsageError(
            f"{len(files)} files came; give one of sources and one of targets, "
            "or a table and its two columns (--text, --pair)."
        )
    return side_by_side(job, *files)


def side_by_side(job: Job, source: str, target: str) -> Parallel:
    """The lines of two files; a line that is empty in one of them only is an error."""
    sources, targets = (kept(job.corpus([file], gaps="kept")) for file in (source, target))
    if len(sources) != len(targets):
        raise PellucidError(
            f"{source} has {len(sources):,} lines and {target} {len(targets):,}; "
            "the same line of each must be a pair."
        )
    for line in np.flatnonzero(sources.empty ^ targets.empty):
        empty = source if sources.empty[line] else target
        raise PellucidError(f"{empty} line {line + 1:,} is empty; fill it, or leave the pair out.")
    return Parallel(sources, targets).some(np.flatnonzero(~sources.empty))


def kept(corpus: Corpus) -> Kept:
    """The texts of a corpus, not in memory."""
    return Kept.of(document.text for document in corpus)


READERS = {"classify": labelled, "generate": texts, "translate": parallel, "bert": texts}
