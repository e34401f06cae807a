"""`pellucid compare-models`: what a Transformer is worth beside simpler models."""

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from pellucid.cli.options import FILES, Labelled, Replacing
from pellucid.cli.problems import notes, say


def _files(help: str) -> typer.models.OptionInfo:
    return typer.Option(metavar="FILE", help=f"{help} May be given again.", show_default=False)


@dataclass(frozen=True, kw_only=True)
class CompareModels(Labelled, Replacing):
    """Train simple and less simple models on the same texts, and put them into one table.

    Networks learn once a seed; ± is the standard deviation. They read the same pieces of words in
    the same batches, and stop when the examples of --valid are told no better.

    [dim]Examples:[/]
    [cyan]pellucid compare-models train.tsv --valid dev.tsv --text sentence[/]
    [cyan]pellucid compare-models train.csv --valid dev.csv --test test.csv --out rivals[/]
    [cyan]pellucid compare-models train.csv --valid dev.csv --rivals tfidf,gru --seeds 5[/]
    """

    files: Annotated[list[str], FILES]
    valid: Annotated[list[str], _files("Examples that say when to stop.")]
    test: Annotated[list[str] | None, _files("Examples that nobody has seen.")] = None
    rivals: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Of majority, tfidf, cnn, lstm, gru, transformer; else all.",
            show_default=False,
        ),
    ] = None
    seeds: Annotated[int, typer.Option(metavar="N", min=1, help="How often networks learn.")] = 3
    epochs: Annotated[
        float, typer.Option(metavar="N", help="Times that a network sees all examples, at most.")
    ] = 10.0
    width: Annotated[
        int, typer.Option(metavar="N", min=4, help="Numbers in a network's vectors.")
    ] = 128
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Write the table, the numbers, and a run for each model.",
            show_default=False,
        ),
    ] = None
    json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False
    force: Annotated[bool, typer.Option("--force", help="Replace a folder that exists.")] = False

    def run(self) -> None:
        """Read, learn, measure, print, write."""
        from pellucid.record.files import check_folder
        from pellucid.text.formats import Layout
        from pellucid.text.sources import check_once
        from pellucid.train.comparing import ABOUT, AS_USUAL, RIVALS, compare_models

        check_once([*self.files, *self.valid, *(self.test or [])])
        if self.out:
            check_folder(self.out, self.existing, mark=ABOUT)
        wanted = Layout(labels="wanted")
        with notes():
            compared = compare_models(
                self.corpus(self.files, wanted),
                valid=self.corpus(self.valid, wanted),
                test=self.corpus(self.test, wanted) if self.test else None,
                rivals=self.rivals.split(",") if self.rivals else RIVALS,
                seeds=self.seeds,
                settings=replace(AS_USUAL, epochs=self.epochs, width=self.width),
                tell=tell,
            )
        print(json.dumps(compared.to_json()) if self.json else compared)
        if self.out:
            compared.save(self.out, self.existing)
            say(str(self.out), who="saved")


def tell(what: str) -> None:
    """Say what is being trained, where somebody sits before it."""
    if sys.stderr.isatty():
        say(what, who="training")
