"""`pellucid heads`: what each head does over a corpus."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from pellucid.cli.options import FILES, Reading
from pellucid.cli.problems import notes
from pellucid.cli.progress import shown
from pellucid.cli.studying import FORCE, JSON, MODEL, SAVE, Study, loaded
from pellucid.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class Heads(Reading, Study):
    """Measure what each head looks at over a corpus, and with --silence what is lost without it.

    Shares of weight on the token before, itself, the token after, the same word elsewhere, the
    first token, special tokens and punctuation; entropy and distance (Clark et al. 2019).
    Silencing sets a head's result to zero, one head after another (Michel et al. 2019).

    What it does not show: cause, unless heads are silenced; and a silenced head may be one of
    several that could each do the work.

    [dim]Examples:[/]
    [cyan]pellucid heads minilm sentences.txt[/]
    [cyan]pellucid heads gpt2 books/ --silence --parts results --processes 4[/]
    """

    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL.help, show_default=False)]
    files: Annotated[list[str], FILES]
    silence: Annotated[
        bool, typer.Option("--silence", help="Silence each head, and see what is lost.")
    ] = False
    parts: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Keep results as Parquet files, 256 texts each; what is there is not done again.",
            show_default=False,
        ),
    ] = None
    processes: Annotated[int, typer.Option(metavar="N", min=1, help="So many at work at once.")] = 1
    save: Annotated[list[Path] | None, SAVE] = None
    json: Annotated[bool, JSON] = False
    force: Annotated[bool, FORCE] = False

    def run(self) -> None:
        """Everything that can be wrong is found before the model runs."""
        self.check_places()
        corpus = self.corpus(self.files)

        from pellucid.models.load import folder_of
        from pellucid.study.heads import heads
        from pellucid.views.heads import draw

        folder_of(self.model)
        one = loaded(self.model) if self.processes == 1 else self.model

        def texts() -> Iterator[str]:
            return (document.text for document in shown(corpus, "Looking"))

        if self.parts and self.parts.exists() and not self.parts.is_dir():
            raise UsageError(f"{self.parts} is a file; --parts takes a folder.")
        with notes():
            found = heads(
                one,
                texts(),
                silencing="each" if self.silence else "no",
                folder=self.parts,
                processes=self.processes,
            )
        self.give(found, partial(draw, found))
