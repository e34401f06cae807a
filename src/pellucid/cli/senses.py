"""`pellucid senses`: where the senses of a word part, layer by layer."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pellucid.cli.options import FILES, Labelled
from pellucid.cli.see import waiting
from pellucid.cli.studying import ENDINGS, FORCE, JSON, MODEL, Study, loaded
from pellucid.errors import UsageError

if TYPE_CHECKING:
    from pellucid.study.senses import Senses as Found

PICTURES = (".png", ".svg", ".pdf")
TEST = typer.Option(
    metavar="FILE",
    help="Sentences to ask about, else each sentence is asked with itself left out. "
    "May be given again.",
    show_default=False,
)
SAVE = typer.Option(
    metavar="FILE",
    help="Also write the numbers (.json), what is shown (.html), or the picture of clouds parting "
    "(.png, .svg, .pdf).",
    show_default=False,
)


@dataclass(frozen=True, kw_only=True)
class Senses(Labelled, Study):
    """See where the senses of a word part, over many sentences with a label each.

    After each layer, each sense is the mean of its vectors, and a sentence gets the sense whose
    mean is nearest by angle (Loureiro et al. 2020).

    What it does not show: that the model uses the sense, only that its vectors carry it.

    [dim]Example:[/]
    [cyan]pellucid senses --word crane sentences.tsv --label sense --save crane.png[/]
    """

    files: Annotated[list[str], FILES]
    word: Annotated[str, typer.Option(metavar="WORD", help="The word.", show_default=False)]
    model: Annotated[str, MODEL] = "minilm"
    test: Annotated[list[str] | None, TEST] = None
    save: Annotated[list[Path] | None, SAVE] = None
    json: Annotated[bool, JSON] = False
    force: Annotated[bool, FORCE] = False

    def run(self) -> None:
        """Everything that can be wrong is found before the model runs."""
        self.check_places((*ENDINGS, *PICTURES))
        known = self._sentences(self.files)
        asked = self._sentences(self.test) if self.test else []
        model = loaded(self.model)

        from pellucid.study.senses import senses
        from pellucid.views.senses import draw

        with waiting(f"Reading {len(known) + len(asked):,} sentences"):
            found = senses(model, self.word, known, asked)
        pictures = {ending: partial(_picture, found, ending) for ending in PICTURES}
        self.give(found, partial(draw, found), pictures)

    def _sentences(self, files: Sequence[str]) -> list[tuple[str, str]]:
        read = [(document.text, document.label) for document in self.corpus(files)]
        if bare := [text for text, label in read if not label]:
            raise UsageError(
                f"{bare[0]!r} has no label; senses need one a sentence (--label COLUMN)."
            )
        return [(text, str(label)) for text, label in read]


def _picture(found: "Found", ending: str, path: Path) -> None:
    from pellucid.views.clouds import fill

    fill(found, path, ending)
