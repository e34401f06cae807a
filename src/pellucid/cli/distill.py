"""`pellucid distill`: a small model learns what a large one believes."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from pellucid.cli.options import Labelled
from pellucid.cli.problems import notes, say
from pellucid.cli.see import waiting
from pellucid.cli.train import PAIR, VALID, Written
from pellucid.cli.training import finished, flags, following, given, said
from pellucid.errors import UsageError
from pellucid.record.files import check_writable

if TYPE_CHECKING:
    from pellucid.models.model import Model
    from pellucid.text.formats import Layout
    from pellucid.train.job import Job

STUDENT: Any = flags("classify", without=("teacher", "start"), shown=False)


@dataclass(frozen=True, kw_only=True)
class OfTeacher:
    """What comes first on the command line."""

    teacher: Annotated[
        str,
        typer.Argument(
            metavar="TEACHER", help="A trained model's name or folder.", show_default=False
        ),
    ]


@dataclass(frozen=True, kw_only=True)
class Distill(Labelled, Written, STUDENT, OfTeacher):  # the last base has the first argument
    """Train a small model on what a large one believes, beside what is right.

    What the teacher does is what the student learns: classes, masked words, the next word, or a
    translation. Of the same width it begins as every n-th of the teacher's layers. The report
    says what was kept; disagreements.tsv has the texts of which they think most unlike.

    [dim]Examples:[/]
    [cyan]pellucid distill teacher train.tsv --layers 2 --width 128 --out run[/]
    [cyan]pellucid distill teacher train.en train.de --level both --layers 2 --out run[/]
    [cyan]pellucid distill teacher a.en a.de --valid b.en --valid b.de --layers 2 --out run[/]
    [cyan]pellucid compare --model teacher --other run --word card "I lost my card"[/]
    """

    valid: Annotated[list[str] | None, VALID] = None
    pair: Annotated[str | None, PAIR] = None
    several: Annotated[str | None, typer.Option(metavar="SIGN", hidden=True)] = None
    level: Annotated[
        Literal["words", "sequences", "both"],
        typer.Option(
            help="Of translators: its belief word by word, its own translations, or both."
        ),
    ] = "words"
    beams: Annotated[
        int, typer.Option(metavar="N", min=1, help="The search for those translations.")
    ] = 4

    def run(self) -> None:
        """Everything that can be wrong is found before the teacher is asked."""
        from pellucid.train.run import check_place
        from pellucid.train.training import carry_out, check_needs

        if self.resume is not None or self.out is None:
            raise UsageError("Go on with: pellucid train --resume RUN.")
        check_place(self.out, self.existing)
        with notes(), waiting(f"Loading {self.teacher}"):
            teacher, job = self._job()
        check_needs(job, self.out)
        with notes(), following(self) as tell:
            if self.level != "words":
                job = self._spoken(teacher, job, self.out)
            run = carry_out(job, *job.data(), self.out, existing=self.existing, tell=tell)
        finished(run, self.out)

    def _job(self) -> "tuple[Model, Job]":
        from pellucid.models.load import load
        from pellucid.train.distilling import fitting
        from pellucid.train.job import Job
        from pellucid.train.training import LAYOUTS
        from pellucid.train.transformer import sign_of

        teacher = load(self.teacher)
        settings = fitting(teacher, self.teacher, self.level, said(self))
        job = Job(settings=settings, files=(), layout=LAYOUTS[settings.task])
        return teacher, replace(job, **{"sign": sign_of(teacher), **given(self, job)})

    def _spoken(self, teacher: "Model", job: "Job", out: Path) -> "Job":
        """The same job with the teacher's translations, which are written beside the run.

        What it is measured on is written too, where it is laid out otherwise than those.
        """
        from pellucid.train.training import check_needs

        data, valid = job.data()
        written, known = (Beside.of(job, out.with_name(out.name + end)) for end in ("", ".valid"))
        apart = valid is not None and job.layout != written.layout
        for path in (*written.paths, *(known.paths if apart else ())):
            check_needs(job, path)
            check_writable(path, self.existing)
        self._translate(teacher, data.sources, written)
        written.write(written.paths[:-1], data.sources, data.sources)
        job = replace(job, files=written.files, layout=written.layout)
        if not apart:
            return job
        known.write(known.paths, valid.sources, valid.targets)
        return replace(job, valid=known.files)

    def _translate(self, teacher: "Model", sources: Sequence[str], written: "Beside") -> None:
        """The last file that is written, which grows and is gone on with after an interruption."""
        from pellucid.decode.generate import Generation
        from pellucid.decode.many import Output, answered, as_text, job_of

        generation = Generation.of(teacher, {"beams": self.beams})
        about = {**job_of(generation), "columns": written.columns}
        output = Output(written.paths[-1], about, self.existing)
        left = output.left(sources)
        answers = map(as_text, answered(generation, left, output.done))
        pairs = zip(sources[output.done :], answers, strict=True)
        with waiting("The teacher translates"):
            output.write(written.lines(*pair)[-1] for pair in pairs)
        say(str(output.path), who="saved")


@dataclass(frozen=True)
class Beside:
    """Sources and translations beside a run, in UTF-8: lines of two files, or of a table."""

    paths: tuple[Path, ...]
    layout: "Layout"
    columns: tuple[str, str] | None = None

    @classmethod
    def of(cls, job: "Job", place: Path) -> "Beside":
        """A table where the data are one."""
        from pellucid.text.formats import Layout

        ends = ("translations.jsonl",) if job.pair else ("sources.txt", "translations.txt")
        paths = tuple(place.with_name(f"{place.name}.{end}") for end in ends)
        if not job.pair:
            return cls(paths, Layout())
        return cls(paths, Layout(text=job.layout.text), (job.layout.text_column, job.pair))

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(map(str, self.paths))

    def lines(self, source: str, target: str) -> tuple[str, ...]:
        """What a pair is in each file."""
        pair = source, target
        if self.columns is None:
            return tuple(" ".join(text.split()) for text in pair)
        return (json.dumps(dict(zip(self.columns, pair, strict=True)), ensure_ascii=False),)

    def write(self, paths: Sequence[Path], sources: Iterable[str], targets: Iterable[str]) -> None:
        """Pairs into some of the files."""
        from pellucid.train.run import write_text

        columns = zip(*map(self.lines, sources, targets), strict=True)
        for path, lines in zip(paths, columns, strict=False):
            write_text(path, "".join(f"{line}\n" for line in lines))
