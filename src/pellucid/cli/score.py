"""`pellucid score`: how likely a model finds texts."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pellucid.cli.options import FILES, Reading
from pellucid.cli.pairs import SOURCES, beside
from pellucid.cli.problems import notes
from pellucid.cli.see import waiting

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
    sources: Annotated[list[str] | None, SOURCES] = None
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
        from pellucid.text.sources import check_once

        check_once([*self.files, *(self.sources or [])])
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
        from pellucid.record.batched import batched

        texts = self._texts(self.files)
        sources = self._texts(self.sources) if self.sources else None
        lines = beside(texts, sources) if sources else (("", each.text) for each in texts)
        for window in batched(lines, AT_ONCE):
            given, written = zip(*window, strict=True)
            yield from score(model, written, given if sources else None, precision=self.precision)

    def _texts(self, files: list[str]) -> "Iterator[Document]":
        from pellucid.cli.progress import shown
        from pellucid.text.formats import Layout

        if files:
            yield from shown(self.corpus(files, Layout(gaps="broken")), "Scoring")

    def _line(self, scored: "Scored") -> str:
        if self.json:
            return json.dumps(scored.to_json(), ensure_ascii=False)
        shown = " ".join(scored.tokens.text.split())
        line = f"{scored.log_likelihood:.4f}  {scored.count} tokens  {shown[:60]}"
        return f"{line}\n{scored}\n" if self.tokens else line
