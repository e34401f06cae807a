"""`pellucid vectors`: texts as rows of a sparse matrix, and a report on it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pellucid.cli.options import FILES, Labelled, Replacing, Wording
from pellucid.cli.problems import notes, say
from pellucid.errors import UsageError

if TYPE_CHECKING:
    from pellucid.text.columns import Met
    from pellucid.text.sources import Corpus
    from pellucid.text.storing import Vectors as Made
    from pellucid.text.vectors import Vectorizer


@dataclass(frozen=True, kw_only=True)
class Vectors(Wording, Labelled, Replacing):
    """Vectors: each text a row of a sparse matrix, each term a column; and a report.

    [dim]Examples:[/]
    [cyan]pellucid vectors reviews.tsv --text sentence --ngrams 1-2 --out reviews.npz[/]
    [cyan]pellucid vectors train.csv --label category --kind counts --stem snowball[/]
    [cyan]pellucid vectors new.tsv --text sentence --with reviews.npz --out new.npz[/]
    """

    files: Annotated[list[str], FILES]
    kind: Annotated[
        Literal["one-hot", "counts", "tfidf", "tfidf-log"] | None,
        typer.Option(help="What the numbers are, else tfidf; tfidf-log has 1 + ln of the count."),
    ] = None
    ngrams: Annotated[
        str | None,
        typer.Option(metavar="N-N", help="Terms of so many neighbouring words: 1-2; else 1."),
    ] = None
    fewest: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Only terms that are in so many documents."),
    ] = None
    most: Annotated[
        float | None,
        typer.Option(metavar="SHARE", min=0, max=1, help="Only terms in no larger share of them."),
    ] = None
    terms: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Only so many terms, those in most documents."),
    ] = None
    hashed: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, max=1 << 26, help="So many columns by hash; no term is remembered."
        ),
    ] = None
    passes: Annotated[
        int | None,
        typer.Option(
            metavar="1|2", min=1, max=2, help="2 reads twice, to hold only terms that are kept."
        ),
    ] = None
    like: Annotated[
        Path | None,
        typer.Option(
            "--with", metavar="FILE", help="The terms of vectors made before.", show_default=False
        ),
    ] = None
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.npz",
            help="Write the matrix, and its terms into a .json beside it.",
            show_default=False,
        ),
    ] = None
    spy: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Draw where it is not zero: .png, .svg, .pdf.", show_default=False
        ),
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False
    json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False

    def run(self) -> None:
        """All that can be known to be wrong is said before anything is read."""
        from pellucid.text.report import Report

        self._check_places()
        corpus = self.corpus(self.files)
        vectorizer, met = self._vectorizer()
        with notes():
            made = self._make(vectorizer, met, corpus)
        self._write(made)
        report = Report.of(made, met)
        print(json.dumps(report.to_json(), ensure_ascii=False) if self.json else report)

    def _check_places(self) -> None:
        from pellucid.text.spy import check_picture
        from pellucid.text.storing import check_places

        if self.out:
            check_places(self.out, self.existing)
        if self.spy:
            check_picture(self.spy, self.existing)

    def _vectorizer(self) -> "tuple[Vectorizer, Met | None]":
        from pellucid.text.columns import Met
        from pellucid.text.storing import SETTINGS, load
        from pellucid.text.vectors import Vectorizer

        told = {name: getattr(self, name) for name in SETTINGS}
        choices = {name: value for name, value in told.items() if value is not None}
        if self.like is None:
            return Vectorizer(analyzer=self.analyzer(self.ngrams or "1"), **choices), None
        if self.said or self.ngrams or self.passes or choices:
            raise UsageError(
                "--with brings its own kind, terms and words, and reads once; "
                "leave options for these out."
            )
        return load(self.like)[0], Met()

    def _make(self, vectorizer: "Vectorizer", met: "Met | None", corpus: "Corpus") -> "Made":
        from pellucid.cli.progress import shown
        from pellucid.text.labels import Labels
        from pellucid.text.storing import Vectors

        labels = Labels()
        if met is None and self.passes == 2:
            vectorizer.fit(labels.texts(shown(corpus, "Reading")))
        texts = labels.texts(shown(corpus, "Counting"))
        if met is None and self.passes != 2:
            matrix = vectorizer.fit_transform(texts)
        else:
            matrix = vectorizer.transform(texts, met)
        return Vectors(vectorizer, matrix, labels.numbers, labels.classes)

    def _write(self, made: "Made") -> None:
        from pellucid.text.spy import spy
        from pellucid.text.storing import beside

        if self.out:
            made.save(self.out, self.existing)
            say(f"{self.out} and {beside(self.out)}", who="saved")
        if self.spy:
            spy(made.matrix, self.spy, self.existing)
            say(str(self.spy), who="saved")
