"""`pellucid score`: how likely a model finds texts."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pellucid.cli.options import FILES, Reading
from pellucid.cli.problems import notes
from pellucid.cli.see import waiting
from pellucid.errors import PellucidError

if TYPE_CHECKING:
    from pellucid.decode.score import Scored
    from pellucid.models.model import Model
    from pellucid.text.formats import Document

AT_ONCE = 512  # texts that are sorted by length together


@dataclass(frozen=True, kw_only=True)
class Score(Reading):
    """Log-likelihood of each token and each text, perplexity, and bits per byte.

    For an encoder-decoder each text needs a source beside it: a line of another file.

    [dim]Examples:[/]
    [cyan]pellucid score --model DIR stories.txt[/]
    [cyan]pellucid score --model DIR german.txt --sources english.txt --tokens[/]
    """

    files: Annotated[list[str], FILES]
    model: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="A checkpoint's folder, a .gguf file, or a name on a hub."
        ),
    ]
    sources: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="What was translated, a line each.", show_default=False),
    ] = None
    precision: Annotated[
        Literal["float32", "bf16", "int8"],
        typer.Option(help="Of the weights: bf16 is about twice as fast, and nearly exact."),
    ] = "float32"
    tokens: Annotated[bool, typer.Option("--tokens", help="A line for each token, too.")] = False
    json: Annotated[bool, typer.Option("--json", help="Print each text's score as JSON.")] = False

    def run(self) -> None:
        """A line for each text, then the sums."""
        from pellucid.decode.score import Total
        from pellucid.models.load import load

        with notes(), waiting(f"Loading {self.model}"):
            model = load(self.model)
        total = Total()
        with notes():
            for scored in self._scored(model):
                total.add(scored)
                print(self._line(scored))
        print(json.dumps(total.to_json()) if self.json else total)

    def _scored(self, model: "Model") -> "Iterator[Scored]":
        from pellucid.decode.score import score

        texts, sources = self._texts(self.files), self._texts(self.sources or [])
        while window := list(islice(texts, AT_ONCE)):
            beside = self._beside(window, sources) if self.sources else None
            lines = [document.text for document in window]
            yield from score(model, lines, beside, precision=self.precision)

    def _beside(self, window: "list[Document]", sources: "Iterator[Document]") -> list[str]:
        """The sources of the texts: empty lines are left out, and must be so on both sides."""
        found = list(islice(sources, len(window)))
        for text, source in zip_longest(window, found):
            if source is None or text.line != source.line:
                raise PellucidError(
                    f"The text of line {text.line} has no source in the same line; fill the line, "
                    "or take the text out."
                )
        return [source.text for source in found]

    def _texts(self, files: list[str]) -> "Iterator[Document]":
        from pellucid.cli.progress import shown

        if files:
            yield from shown(self.corpus(files), "Scoring")

    def _line(self, scored: "Scored") -> str:
        if self.json:
            return json.dumps(scored.to_json(), ensure_ascii=False)
        shown = " ".join(scored.tokens.text.split())
        line = f"{scored.log_likelihood:.4f}  {scored.count} tokens  {shown[:60]}"
        return f"{line}\n{scored}\n" if self.tokens else line
