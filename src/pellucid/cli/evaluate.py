"""`pellucid evaluate`: how good a trained model is on examples it has not seen."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from pellucid.cli.options import FILES, Labelled
from pellucid.cli.problems import notes


@dataclass(frozen=True, kw_only=True)
class Evaluate(Labelled):
    """Measure a run of `pellucid train` on examples: accuracy, macro F1, classes, mistakes.

    Files are read as those it learned from were, but for what is said here.

    [dim]Examples:[/]
    [cyan]pellucid evaluate run test.csv[/]
    [cyan]pellucid evaluate run test.csv --json[/]
    """

    folder: Annotated[
        Path, typer.Argument(metavar="RUN", help="The folder of the run.", show_default=False)
    ]
    files: Annotated[list[str], FILES]
    json: Annotated[bool, typer.Option("--json", help="Print accuracy and macro F1 as JSON.")] = (
        False
    )

    def run(self) -> None:
        """Print the score."""
        from pellucid.cli.progress import shown
        from pellucid.train.examples import Examples
        from pellucid.train.run import Run, measure

        run = Run.load(self.folder)
        with notes():
            score = measure(run.model, Examples.of(shown(self.corpus(self.files, run.layout))))
        print(json.dumps(score.summary()) if self.json else score)
