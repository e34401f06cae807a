"""`pellucid embed`: a vector for each text."""

import json
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pellucid.cli.options import FILES, Reading, Replacing
from pellucid.cli.problems import notes, say
from pellucid.cli.see import waiting
from pellucid.errors import UsageError

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, kw_only=True)
class Embed(Reading, Replacing):
    """A vector of length 1 for each text, near one another where texts mean the same.

    Each line has its row; an empty one is a row of zeros. A text that is longer than the model
    reads is cut, and you are told.

    [dim]Examples:[/]
    [cyan]pellucid embed sentences.txt --out vectors.npy[/]
    [cyan]pellucid embed sentences.txt --dtype bfloat16 --out vectors.npy[/]
    """

    files: Annotated[list[str], FILES]
    model: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="A built-in model, a checkpoint's folder, or a name on a hub."
        ),
    ] = "minilm"
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="A matrix as .npy; else JSON is printed.", show_default=False
        ),
    ] = None
    pooling: Annotated[
        Literal["mean", "first", "last"], typer.Option(help="Which of the tokens' vectors.")
    ] = "mean"
    dtype: Annotated[
        Literal["float32", "bfloat16"],
        typer.Option(help="Of products: bfloat16 is faster; cosines move by up to 0.0001."),
    ] = "float32"
    batch: Annotated[int, typer.Option(metavar="N", min=1, help="Texts side by side.")] = 32
    force: Annotated[bool, typer.Option("--force", help="Replace the file.")] = False

    def run(self) -> None:
        """Everything that can be wrong is found before the model runs."""
        from pellucid.record.files import check_writable

        if self.out is not None:
            if self.out.suffix != ".npy":
                raise UsageError(f"{self.out} must end in .npy, which holds a matrix.")
            check_writable(self.out, self.existing)
        with notes():
            vectors = self._vectors()
            if self.out is None:
                for vector in vectors:
                    print(json.dumps(vector.tolist()))
            else:
                self._save(self.out, vectors)

    def _vectors(self) -> "Iterator[Tensor]":
        import torch

        from pellucid.cli.progress import shown
        from pellucid.models.load import load
        from pellucid.models.precision import halved
        from pellucid.models.vectors import embed
        from pellucid.text.formats import Layout

        with waiting(f"Loading {self.model}"):
            model = load(self.model)
        if self.dtype == "bfloat16":
            halved(model)
        corpus = self.corpus(self.files, Layout(gaps="kept"))
        nothing = torch.zeros(model.config.width)
        empty: deque[bool] = deque()  # of the texts that were read and have no row yet

        def filled() -> Iterator[str]:
            for document in shown(corpus):
                empty.append(not document.text.strip())
                if not empty[-1]:
                    yield document.text

        for vector in embed(model, filled(), pooling=self.pooling, batch=self.batch):
            while empty.popleft():
                yield nothing
            yield vector
        yield from (nothing for _ in empty)

    def _save(self, path: Path, vectors: "Iterator[Tensor]") -> None:
        import numpy as np
        import torch

        from pellucid.record.files import write

        matrix = torch.stack(list(vectors)).numpy()

        def fill(beside: Path) -> None:
            with beside.open("wb") as file:
                np.save(file, matrix)

        write(path, fill, self.existing)
        say(f"{path}, {matrix.shape[0]:,} × {matrix.shape[1]}", who="saved")
