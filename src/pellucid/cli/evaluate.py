"""`pellucid evaluate`: how good a trained model is on examples it has not seen."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from pellucid.cli.options import FILES, Labelled, Shortening
from pellucid.cli.problems import notes
from pellucid.cli.see import waiting
from pellucid.errors import UsageError

if TYPE_CHECKING:
    from pellucid.train.run import Scored
    from pellucid.train.translation import TranslationScore
    from pellucid.train.translator import Parallel, Translator


@dataclass(frozen=True, kw_only=True)
class Evaluate(Labelled, Shortening):
    """Measure a run of `pellucid train` on examples it has not seen, as is usual for its task.

    Of classes accuracy, macro F1 and mistakes; of words perplexity and bits per byte; of
    translations, where they are asked for, BLEU and chrF by sacreBLEU, each with its signature.
    Files are read as those it learned from were, but for what is said here.

    [dim]Examples:[/]
    [cyan]pellucid evaluate run test.csv[/]
    [cyan]pellucid evaluate run test.csv --json[/]
    [cyan]pellucid evaluate run test.en test.de --beams 4[/]
    """

    folder: Annotated[
        Path, typer.Argument(metavar="RUN", help="The folder of the run.", show_default=False)
    ]
    files: Annotated[list[str], FILES]
    beams: Annotated[
        int, typer.Option(metavar="N", min=0, help="Also translate, by a beam search so wide.")
    ] = 0
    json: Annotated[bool, typer.Option("--json", help="Print the main numbers as JSON.")] = False

    def run(self) -> None:
        """Print the score."""
        from pellucid.train.job import read_job
        from pellucid.train.run import Run, scored

        run = Run.load(self.folder)
        layout = self.corpus(self.files, run.layout).layout
        job = replace(read_job(self.folder, run.task, self.files, layout), broken=self.broken)
        if self.beams and run.task != "translate":
            raise UsageError(f"--beams is for runs that translate; {self.folder} does not.")
        self.shorten(run.model)
        with notes():
            given = job.data()[0]
            scores: list[Scored] = [scored(run.model, given)]
            if self.beams:
                with waiting("Translating"):
                    scores.append(self._translated(cast("Translator", run.model), given))
        summary = {name: x for score in scores for name, x in score.summary().items()}
        print(json.dumps(summary) if self.json else "\n\n".join(map(str, scores)))

    def _translated(self, translator: "Translator", given: "Parallel") -> "TranslationScore":
        """Its own translations, against those that were given."""
        from pellucid.decode.many import best_texts
        from pellucid.train.translation import TranslationScore

        answers = best_texts(translator.model, given.sources, beams=self.beams)
        return TranslationScore.of(given.targets, answers)
