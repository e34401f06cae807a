"""`pellucid distill`: a small model learns what a large one believes."""

import json
from collections.abc import Sequence
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

if TYPE_CHECKING:
    from pellucid.models.model import Model
    from pellucid.train.job import Job

STUDENT: Any = flags("classify", without=("teacher", "start"), shown=False)
ENDS = ("sources", "translations")  # behind the name of a run, of what its teacher translated


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
                job = self._spoken(teacher, job)
            run = carry_out(job, *job.data(), self.out, existing=self.existing, tell=tell)
        finished(run, self.out)

    def _job(self) -> "tuple[Model, Job]":
        from pellucid.models.load import load
        from pellucid.train.distilling import fitting
        from pellucid.train.job import Job
        from pellucid.train.training import LAYOUTS
        from pellucid.train.transformer import SIGN

        teacher = load(self.teacher)
        settings = fitting(teacher, self.teacher, self.level, said(self))
        job = Job(settings=settings, files=(), layout=LAYOUTS[settings.task])
        return teacher, replace(job, **{"sign": teacher.settings.get(SIGN, ""), **given(self, job)})

    def _spoken(self, teacher: "Model", job: "Job") -> "Job":
        """The same job with the teacher's translations, which are written beside the run."""
        from pellucid.decode.generate import Generation
        from pellucid.decode.many import Output, answered, as_text

        assert self.out is not None
        sources: Sequence[str] = job.data()[0].sources
        written: Table | Lines = (Table if job.pair else Lines)(self.out, job)
        about = {"teacher": self.teacher, "files": list(job.files), "beams": self.beams}
        output = Output(written.path, about, "replace")
        generation = Generation.of(teacher, {"beams": self.beams})
        rest = sources[output.done :]
        answers = (as_text(found) for found in answered(generation, rest, output.done))
        with waiting("The teacher translates"):
            output.write(map(written.line, rest, answers))
        say(str(written.path), who="saved")
        return replace(job, files=written.files(sources))


class Lines:
    """Sources and what the teacher made of them as two files, a line each."""

    def __init__(self, out: Path, job: "Job") -> None:
        self.before, self.path = (out.with_name(f"{out.name}.{n}.txt") for n in ENDS)

    def line(self, source: str, target: str) -> str:
        return target

    def files(self, sources: Sequence[str]) -> tuple[str, ...]:
        from pellucid.train.run import write_text

        write_text(self.before, "".join(f"{' '.join(text.split())}\n" for text in sources))
        return str(self.before), str(self.path)


class Table:
    """The same as one file with the columns that the data have."""

    def __init__(self, out: Path, job: "Job") -> None:
        self.path = out.with_name(f"{out.name}.{ENDS[1]}.jsonl")
        self.columns = job.layout.text or "text", job.pair

    def line(self, source: str, target: str) -> str:
        pair = dict(zip(self.columns, (source, target), strict=True))
        return json.dumps(pair, ensure_ascii=False)

    def files(self, sources: Sequence[str]) -> tuple[str, ...]:
        return (str(self.path),)
