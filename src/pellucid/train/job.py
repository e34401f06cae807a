"""A job: what to train on which files, as one TOML file from which it can be done again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

from pellucid.errors import PellucidError, UsageError
from pellucid.text.formats import Layout
from pellucid.text.sources import Corpus
from pellucid.train.examples import Examples
from pellucid.train.settings import Settings, TaskName, read_toml, toml, usual
from pellucid.train.translator import Parallel

FILE = "settings.toml"


@dataclass(frozen=True, kw_only=True)
class Job:
    """The settings, the files, and how those are read.

    `pair` is the column of a second text (of a translation, the target); `sign` stands between
    labels where a text may have several.
    """

    settings: Settings
    files: tuple[str, ...]
    valid: tuple[str, ...] = ()
    layout: Layout = field(default_factory=Layout)
    pair: str = ""
    sign: str = ""
    broken: Literal["refuse", "skip"] = "refuse"

    def data(self) -> tuple[Any, Any]:
        """What is learned from, and what it is measured on."""
        read = READERS[self.settings.task]
        return read(self, self.files), read(self, self.valid) if self.valid else None

    def corpus(self, files: Sequence[str], **further: Any) -> Corpus:
        """The documents of files."""
        return Corpus(files, replace(self.layout, **further), self.broken)

    def to_toml(self) -> str:
        """As a file."""
        own = [each for each in fields(self) if each.name not in ("settings", "layout")]
        said = {each.name: getattr(self, each.name) for each in own}
        layout = {n: v for n, v in vars(self.layout).items() if v != getattr(Layout(), n)}
        parts = [self.settings.to_toml(), section("files", said), section("layout", layout)]
        return "\n".join(filter(None, parts))

    @classmethod
    def read(cls, path: Path) -> "Job":
        """Read such a file; settings that it leaves out are as usual."""
        found = read_toml(path)
        files, layout = found.pop("files", {}), found.pop("layout", {})
        try:
            shape = Layout(**tuples(layout))
            return cls(settings=usual(**flat(found)), layout=shape, **tuples(files))
        except TypeError as error:
            raise UsageError(f"{path} cannot be read as settings ({error}).") from error


def read_job(run: Path, task: TaskName, files: Sequence[str], layout: Layout) -> Job:
    """What a run was asked to do, now with other files."""
    known = Job.read(run / FILE) if (run / FILE).is_file() else None
    job = known or Job(settings=usual(task=task), files=())
    return replace(job, files=tuple(files), layout=layout)


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
    return examples.paired([each.text for each in job.corpus(files, text=job.pair)])


def texts(job: Job, files: Sequence[str]) -> Texts:
    """Texts alone."""
    return Texts(job.corpus(files))


def parallel(job: Job, files: Sequence[str]) -> Parallel:
    """Two files, the same line of each a pair; or one with a column for each language."""
    if job.pair:
        both = (job.corpus(files, text=column) for column in (job.layout.text, job.pair))
        return Parallel(*([each.text for each in corpus] for corpus in both))
    if len(files) != 2:
        raise UsageError(
            f"{len(files)} files came; give one of sources and one of targets, "
            "or a table and its two columns (--text, --pair)."
        )
    return side_by_side(job, *files)


def side_by_side(job: Job, source: str, target: str) -> Parallel:
    """The lines of two files; a line that is empty in one of them only is an error."""
    sources, targets = (
        {each.line: each.text for each in job.corpus([file])} for file in (source, target)
    )
    if max(sources) != max(targets):
        raise PellucidError(
            f"{source} has {max(sources):,} lines and {target} {max(targets):,}; "
            "the same line of each must be a pair."
        )
    for line in sorted(sources.keys() ^ targets.keys()):
        empty = target if line in sources else source
        raise PellucidError(f"{empty} line {line:,} is empty; fill it, or leave the pair out.")
    return Parallel([*sources.values()], [*targets.values()])


READERS = {"classify": labelled, "generate": texts, "translate": parallel, "bert": texts}
