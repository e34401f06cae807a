"""`pellucid heads`: what each head does over a corpus."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pellucid.cli.options import FILES, Reading
from pellucid.cli.pairs import SOURCES, beside
from pellucid.cli.problems import notes
from pellucid.cli.progress import shown
from pellucid.cli.studying import ENDINGS, FORCE, JSON, MODEL, Study, loaded
from pellucid.errors import UsageError

if TYPE_CHECKING:
    from pellucid.study.tally import Text

SAVE = typer.Option(
    metavar="FILE",
    help="Also write the numbers (.json, .parquet) or what is shown (.html). May be given again.",
    show_default=False,
)
TABLE = ".parquet"


@dataclass(frozen=True, kw_only=True)
class Heads(Reading, Study):
    """Measure what each head looks at over a corpus, and with --silence what is lost without it.

    Shares of weight on the token before, itself, the token after, the same word elsewhere, the
    first token, special tokens and punctuation; entropy and distance (Clark et al. 2019).
    Silencing sets a head's result to zero, one head after another (Michel et al. 2019).
    An encoder-decoder takes a source beside each text: a line of another file.

    What it does not show: cause, unless heads are silenced; and a silenced head may be one of
    several that could each do the work.

    [dim]Examples:[/]
    [cyan]pellucid heads minilm sentences.txt[/]
    [cyan]pellucid heads gpt2 books/ --silence --parts results --processes 4[/]
    [cyan]pellucid heads DIR german.txt --sources english.txt --save heads.parquet[/]
    """

    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL.help, show_default=False)]
    files: Annotated[list[str], FILES]
    sources: Annotated[list[str] | None, SOURCES] = None
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
        from pellucid.text.sources import check_once

        self.check_places((*ENDINGS, TABLE))
        check_once([*self.files, *(self.sources or [])])
        if self.parts and self.parts.exists() and not self.parts.is_dir():
            raise UsageError(f"{self.parts} is a file; --parts takes a folder.")

        from pellucid.models.load import folder_of
        from pellucid.study.heads import heads
        from pellucid.study.table import arrow
        from pellucid.views.heads import draw

        folder_of(self.model)
        if any(path.suffix == TABLE for path in self.save or []):
            arrow()
        one = loaded(self.model) if self.processes == 1 else self.model
        with notes():
            found = heads(
                one,
                self._texts(),
                silencing="each" if self.silence else "no",
                folder=self.parts,
                processes=self.processes,
            )
        self.give(found, partial(draw, found), {TABLE: found.fill})

    def _texts(self) -> "Iterator[Text]":
        texts = shown(self.corpus(self.files), "Looking")
        if not self.sources:
            return (document.text for document in texts)
        return beside(texts, iter(self.corpus(self.sources)))
