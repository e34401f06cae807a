"""`pellucid classify`: which class a text is of, and how sure the model is."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pellucid.cli.options import Reading, Shortening
from pellucid.cli.problems import notes
from pellucid.cli.see import read, waiting
from pellucid.errors import UsageError
from pellucid.models.builtin import BUILTIN, default

if TYPE_CHECKING:
    from pellucid.train.classifiers import Classifier, Guess

AT_ONCE = 1024  # texts of a file that are answered together


@dataclass(frozen=True, kw_only=True)
class Classify(Reading, Shortening):
    """Tell which class a text is of, and with what probability.

    [dim]Examples:[/]
    [cyan]pellucid classify "I lost my card"[/]
    [cyan]pellucid classify --model run "What a lovely film" --best 2[/]
    [cyan]pellucid classify --model run --files reviews.txt --json[/]
    """

    texts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TEXT",
            help="A text, or several; - reads one from standard input.",
            show_default=False,
        ),
    ] = None
    model: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="A run of pellucid train, a checkpoint's folder, or a name on a hub.",
        ),
    ] = default("classify")
    files: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Texts to classify. Again for more.", show_default=False),
    ] = None
    best: Annotated[int, typer.Option(metavar="N", min=1, help="So many classes of a text.")] = 3
    json: Annotated[bool, typer.Option("--json", help="Print a line of JSON for each text.")] = (
        False
    )

    def run(self) -> None:
        """Answers in the order of the texts."""
        if bool(self.texts) == bool(self.files):
            raise UsageError("Give a text, or files (--files), one of the two.")
        if self.texts:
            self.check_unread()
        given: Iterable[str] = read(self.texts or [])
        with notes(), waiting(f"Loading {self.model}"):
            model = classifier_of(self.model)
        self.shorten(model)
        with notes():
            for text, guesses in self._answers(model, self._read() if self.files else given):
                print(self._json(text, guesses) if self.json else self._line(text, guesses))

    def _read(self) -> Iterator[str]:
        from pellucid.cli.progress import shown
        from pellucid.text.formats import Layout

        corpus = self.corpus(self.files or [], Layout(gaps="broken"))
        return (document.text for document in shown(corpus, "Classifying"))

    def _answers(
        self, model: "Classifier", texts: Iterable[str]
    ) -> "Iterator[tuple[str, list[Guess]]]":
        from pellucid.record.batched import batched

        for some in batched(texts, AT_ONCE):
            yield from zip(some, ranked(model, some, self.best), strict=True)

    def _line(self, text: str, guesses: "list[Guess]") -> str:
        from pellucid.record.printed import aligned

        if self.files:
            return f"{guesses[0].probability:.4f}\t{guesses[0].label}\t{' '.join(text.split())}"
        rows = [(guess.label, f"{guess.probability:.1%}") for guess in guesses]
        shown = f"{' '.join(text.split())}\n" if len(self.texts or []) > 1 else ""
        return shown + aligned(rows)

    def _json(self, text: str, guesses: "list[Guess]") -> str:
        told = {guess.label: guess.probability for guess in guesses}
        return json.dumps({"text": text, "classes": told}, ensure_ascii=False)


def ranked(model: "Classifier", texts: list[str], best: int) -> "Iterator[list[Guess]]":
    """The likeliest classes of each text; of most rivals only the first is known."""
    from pellucid.train.classifiers import Guess
    from pellucid.train.transformer import TransformerClassifier

    if not isinstance(model, TransformerClassifier):
        yield from ([guess] for guess in model.guess(texts))
        return
    for chances in model.probabilities(texts):
        order = (-chances).argsort(kind="stable")[:best].tolist()
        yield [Guess(model.classes[at], float(chances[at])) for at in order]


def classifier_of(name: str) -> "Classifier":
    """A run of any kind, or a checkpoint that tells classes."""
    from pellucid.models.load import load
    from pellucid.train.run import ABOUT, Run
    from pellucid.train.transformer import TransformerClassifier

    if name not in BUILTIN and (Path(name) / ABOUT).is_file():
        run = Run.load(Path(name))
        if run.task != "classify":
            raise UsageError(f"{name} does not tell classes; it was trained to {run.task}.")
        return run.model  # type: ignore[return-value]
    return TransformerClassifier.of(load(name))
