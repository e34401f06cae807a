"""`pellucid evaluate`: how good a trained model is on examples it has not seen."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from pellucid.cli.options import FILES, Labelled
from pellucid.cli.problems import notes


@dataclass(frozen=True, kw_only=True)
class Evaluate(Labelled):
    """Measure a run of `pellucid train` on examples it has not seen, as is usual for its task.

    Of classes accuracy, macro F1 and mistakes; of words perplexity and bits per byte.
    Files are read as those it learned from were, but for what is said here.

    [dim]Examples:[/]
    [cyan]pellucid evaluate run test.csv[/]
    [cyan]pellucid evaluate run test.csv --json[/]
    [cyan]pellucid evaluate run test.en test.de[/]
    """

    folder: Annotated[
        Path, typer.Argument(metavar="RUN", help="The folder of the run.", show_default=False)
    ]
    files: Annotated[list[str], FILES]
    json: Annotated[bool, typer.Option("--json", help="Print the main numbers as JSON.")] = False

    def run(self) -> None:
        """Print the score."""
        from pellucid.train.job import read_job
        from pellucid.train.run import Run, scored

        run = Run.load(self.folder)
        layout = self.corpus(self.files, run.layout).layout
        job = replace(read_job(self.folder, run.task, self.files, layout), broken=self.broken)
        with notes():
            score = scored(run.model, job.data()[0])
        print(json.dumps(score.summary()) if self.json else score)
