"""`pellucid compare`: one word at two places, and what parted its vectors."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from pellucid.cli.options import check_shown
from pellucid.cli.see import read, span, waiting
from pellucid.cli.studying import MODEL, Study, loaded
from pellucid.errors import UsageError

TEXTS = typer.Argument(
    metavar="TEXT",
    help="Two texts with the word; of a model with a source and a target, a pair and a pair. "
    "With --other one text will do.",
    show_default=False,
)
WORD = typer.Option(
    metavar="WORD",
    help="The word; given twice, the first text's and the second's (bank, banks).",
    show_default=False,
)
OCCURRENCE = typer.Option(
    metavar="N",
    min=1,
    help="Which of them, where a text has the word several times; given twice, one for each text.",
    show_default=False,
)
SAVE = typer.Option(
    metavar="FILE",
    help="Also write a file, its ending says what: the numbers (.json), a page to look into both "
    "texts (.html), a workbook (.xlsx), a figure (.png, .svg, .pdf). May be given again.",
    show_default=False,
)
LAYERS = typer.Option(
    metavar="RANGE",
    help="Which layers go into a page, for example 0-3: the fewer, the smaller.",
    show_default=False,
)
OTHER = typer.Option(
    metavar="NAME", help="Read the second text with another model.", show_default=False
)


@dataclass(frozen=True, kw_only=True)
class Compare(Study):
    """Compare one word at two places: where its vectors part, and what parted them.

    Every number that both runs have is compared, those that differ first standing first. Then the
    difference of the word's two last vectors is split into what each head took from each
    neighbour, and the rest; the parts sum to the whole.

    What it does not show: that the model tells two meanings apart; any other neighbour moves a
    vector. For that, ask `senses` over many sentences.

    [dim]Examples:[/]
    [cyan]pellucid compare --word bank "He sat on the bank of the river." "The bank lent it."[/]
    [cyan]pellucid compare --model mouse --word mouse "cat and mouse" "keyboard and mouse"[/]
    [cyan]pellucid compare --word bank "A muddy bank." "A rich bank." --save bank.html[/]
    [cyan]pellucid compare --word bank "A muddy bank." "A rich bank." --save bank.png[/]
    """

    texts: Annotated[list[str], TEXTS]
    word: Annotated[list[str], WORD]
    model: Annotated[str, MODEL] = "minilm"
    other: Annotated[str | None, OTHER] = None
    occurrence: Annotated[list[int] | None, OCCURRENCE] = None
    save: Annotated[list[Path] | None, SAVE] = None
    layers: Annotated[str | None, LAYERS] = None

    def run(self) -> None:
        """Everything that can be wrong is found before the models run."""
        from pellucid.record.store import Wish, writer_of
        from pellucid.study.compare import WRITERS, compare
        from pellucid.views.compare import draw

        self.check_places(tuple(WRITERS))
        fills = {path.suffix: writer_of(path, WRITERS) for path in self.save or []}
        texts = read(self.texts)
        word, which = two("--word", self.word), two("--occurrence", self.occurrence or [])
        model = loaded(self.model)
        other = loaded(self.other) if self.other else None
        pairs = self._pairs(texts, len(model.streams), alone=other is not None)
        layers = None if self.layers is None else span(self.layers, model)
        if layers:
            check_shown("--layers", (".html",), self.save)
        with waiting("Comparing"):
            found = compare(model, *pairs, word=word, occurrence=which, other=other)
        wish = Wish(layers=layers)
        written = {end: partial(fill, found, wish=wish) for end, fill in fills.items()}
        self.give(found, partial(draw, found), written)

    def _pairs(self, texts: list[str], streams: int, *, alone: bool) -> list[Any]:
        if alone and len(texts) == streams:
            texts = texts * 2
        if len(texts) != 2 * streams:
            raise UsageError(f"{len(texts)} texts came; this model compares {2 * streams}.")
        return [tuple(texts[:streams]), tuple(texts[streams:])]


def two(option: str, given: list[Any]) -> Any:
    """One for both texts, or a pair with one for each; None where there is none."""
    if len(given) > 2:
        raise UsageError(f"{option} was given {len(given)} times; once is for both texts.")
    return tuple(given) if len(given) == 2 else next(iter(given), None)
