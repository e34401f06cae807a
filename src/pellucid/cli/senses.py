"""`pellucid senses`: where the senses of a word part, layer by layer."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pellucid.cli.options import FILES, Labelled
from pellucid.cli.see import waiting
from pellucid.cli.studying import ENDINGS, FORCE, JSON, MODEL, Study, loaded
from pellucid.errors import UsageError
from pellucid.record.files import PICTURES

if TYPE_CHECKING:
    from pellucid.models.model import Model
    from pellucid.study.clouds import Clouds
    from pellucid.study.groups import Groups
    from pellucid.study.senses import Senses as Known

Examples = list[tuple[str, str]]  # a sentence and its label

TEST = typer.Option(
    metavar="FILE",
    help="Sentences to ask about, else each sentence is asked with itself left out. "
    "May be given again.",
    show_default=False,
)
DISTANCE = typer.Option(help="How near a mean is: as the sentences spread, or by angle.")
GROUPS = typer.Option(metavar="N", min=2, help="Without labels: fall into so many groups.")
SAVE = typer.Option(
    metavar="FILE",
    help="Also write the numbers (.json), what is shown (.html), or the picture of clouds parting "
    "(.png, .svg, .pdf).",
    show_default=False,
)


@dataclass(frozen=True, kw_only=True)
class Senses(Labelled, Study):
    """See where the senses of a word part, over many sentences.

    With labels: after each layer, each sense is the mean of its vectors, and a sentence gets the
    sense whose mean is nearest: as the senses' sentences spread (Mahalanobis 1936), or by angle
    (Loureiro et al. 2020).

    Sentences without labels fall into groups by k-means, and what is shown is how far the groups
    lie apart after each layer (silhouette, Rousseeuw 1987).

    What it does not show: that the model uses the sense, only that its vectors carry it.

    [dim]Example:[/]
    [cyan]pellucid senses --word crane sentences.tsv --label sense --save crane.png[/]
    """

    files: Annotated[list[str], FILES]
    word: Annotated[str, typer.Option(metavar="WORD", help="The word.", show_default=False)]
    model: Annotated[str, MODEL] = "minilm"
    test: Annotated[list[str] | None, TEST] = None
    distance: Annotated[Literal["spread", "angle"], DISTANCE] = "spread"
    groups: Annotated[int, GROUPS] = 2
    save: Annotated[list[Path] | None, SAVE] = None
    json: Annotated[bool, JSON] = False
    force: Annotated[bool, FORCE] = False

    def run(self) -> None:
        """Everything that can be wrong is found before the model runs."""
        self.check_places((*ENDINGS, *PICTURES))
        known, asked = self._sentences(self.files), self._sentences(self.test or [])
        labels = [bool(label) for _, label in known + asked]
        if any(labels) and not all(labels):
            bare = next(text for text, label in known + asked if not label)
            raise UsageError(f"Some sentences have labels; {bare!r} has none.")
        if not any(labels) and (asked or self.label):
            raise UsageError("There are no labels, so there is nothing to test (--label COLUMN).")
        if any(labels) and self.groups != type(self).groups:
            raise UsageError("--groups is for sentences without labels; these have their senses.")
        if not any(labels) and self.distance != type(self).distance:
            raise UsageError("--distance is to a sense; these have no labels (--label COLUMN).")
        model = loaded(self.model)

        from pellucid.views.senses import draw

        with waiting(f"Reading {len(known) + len(asked):,} sentences"):
            found = self._found(model, known, asked)
        pictures = {ending: partial(_picture, found.picture, ending) for ending in PICTURES}
        self.give(found, partial(draw, found), pictures)

    def _found(self, model: "Model", known: Examples, asked: Examples) -> "Known | Groups":
        from pellucid.study.groups import groups
        from pellucid.study.senses import senses

        if any(label for _, label in known):
            return senses(model, self.word, known, asked, distance=self.distance)
        return groups(model, self.word, [text for text, _ in known], count=self.groups)

    def _sentences(self, files: Sequence[str]) -> Examples:
        if not files:
            return []
        return [(document.text, str(document.label or "")) for document in self.corpus(files)]


def _picture(clouds: "Clouds", ending: str, path: Path) -> None:
    from pellucid.views.clouds import fill

    fill(clouds, path, ending)
