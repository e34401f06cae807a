"""`pellucid train`: models that learn from examples."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pellucid.cli.options import FILES, Labelled, Wording
from pellucid.cli.problems import notes, say
from pellucid.cli.see import waiting

if TYPE_CHECKING:
    from pellucid.text.formats import Layout
    from pellucid.train.classifiers import Classifier
    from pellucid.train.examples import Examples

train = typer.Typer(name="train", help="Train a model on examples.")


@dataclass(frozen=True, kw_only=True)
class TrainClassify(Wording, Labelled):
    """Learn to tell which class a text is of, from texts with labels.

    [dim]Examples:[/]
    [cyan]pellucid train classify train.csv --label category --out run[/]
    [cyan]pellucid train classify train.tsv --dev dev.tsv --text sentence --out run[/]
    [cyan]pellucid train classify reviews/ --unit file --out run[/]   reviews/good/1.txt …
    """

    files: Annotated[list[str], FILES]
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the run is written.")]
    dev: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Examples to measure it on. May be given again.",
            show_default=False,
        ),
    ] = None
    model: Annotated[
        Literal["tfidf"], typer.Option(help="tfidf: TF-IDF and logistic regression.")
    ] = "tfidf"
    ngrams: Annotated[
        str, typer.Option(metavar="N-N", help="Terms of so many neighbouring words.")
    ] = "1-2"
    fewest: Annotated[
        int, typer.Option(metavar="N", min=1, help="Only terms that are in so many texts.")
    ] = 1
    freedom: Annotated[
        float,
        typer.Option(metavar="C", help="How freely weights may leave zero: scikit-learn's C."),
    ] = 10.0
    force: Annotated[bool, typer.Option("--force", help="Replace a run that exists.")] = False

    def run(self) -> None:
        """Read, learn, measure, write."""
        from pellucid.train.run import Run, check_place

        check_place(self.out, self._existing)
        model = self._model()
        with notes():
            layout, examples = self._examples(self.files)
            sets = {"train": examples} | ({"dev": self._examples(self.dev)[1]} if self.dev else {})
            with waiting("Learning"):
                model.fit(examples)
                run = Run(self.model, model, layout).measured(sets)
        run.save(self.out, self._existing)
        print(run)
        say(str(self.out), who="saved")
        if not self.dev:
            say("Give --dev FILE to measure it on texts that it did not learn from.", who="note")

    def _examples(self, files: list[str]) -> "tuple[Layout, Examples]":
        from pellucid.cli.progress import shown
        from pellucid.text.formats import Layout
        from pellucid.train.examples import Examples

        corpus = self.corpus(files, Layout(label="label"))
        return corpus.layout, Examples.of(shown(corpus))

    def _model(self) -> "Classifier":
        """What is to learn; each kind of model takes the options that are its own."""
        return {"tfidf": self._tfidf}[self.model]()

    def _tfidf(self) -> "Classifier":
        from pellucid.text.vectors import Vectorizer
        from pellucid.train.linear import TfidfClassifier

        analyzer = self.analyzer(self.ngrams)
        vectorizer = Vectorizer(kind="tfidf-log", analyzer=analyzer, fewest=self.fewest)
        return TfidfClassifier(vectorizer, self.freedom)

    @property
    def _existing(self) -> Literal["refuse", "replace"]:
        return "replace" if self.force else "refuse"


train.command("classify")(TrainClassify)
