"""`pellucid check`: the equalities on one's own model, or its numbers against transformers'."""

import json
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pellucid.cli.problems import notes
from pellucid.cli.see import waiting
from pellucid.errors import PellucidError

if TYPE_CHECKING:
    from pellucid.checks.rows import Rows


@dataclass(frozen=True, kw_only=True)
class Check:
    """Check a model: batched = alone, cached = not, looked-at = not, ours = transformers'.

    Random sentences go through the model; every number of the runs is compared.

    [dim]Examples:[/]
    [cyan]pellucid check minilm[/]
    [cyan]pellucid check ./my-checkpoint --against transformers[/]
    """

    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="A built-in model, the folder of a checkpoint, or a name on a hub.",
            show_default=False,
        ),
    ]
    against: Annotated[
        Literal["transformers"] | None,
        typer.Option(help="Compare with another program that reads the same checkpoint."),
    ] = None
    all: Annotated[bool, typer.Option("--all", help="A line for every number.")] = False
    json: Annotated[bool, typer.Option("--json", help="Print every number as JSON.")] = False
    seed: Annotated[
        int, typer.Option(metavar="N", min=0, max=2**63 - 1, help="Draws the sentences.")
    ] = 0

    def run(self) -> None:
        """Print what was found; a number that differs is an error."""
        with notes(), waiting(f"Checking {self.model}"):
            rows = self._rows()
        print(self._printed(rows), flush=True)
        if failed := rows.failed:
            raise PellucidError(f"{len(failed)} of {len(rows)} numbers differ: {failed.worst}.")

    def _rows(self) -> "Rows":
        """What has no folder is saved in one, in Hugging Face's layout, for others to read."""
        from pellucid.checks.against import against_transformers
        from pellucid.checks.equalities import check
        from pellucid.models.checkpoint import load_without_tokenizer
        from pellucid.models.load import folder_of, load

        folder = folder_of(self.model)
        model = load_without_tokenizer(folder) if folder else load(self.model)
        if self.against is None:
            return check(model, self.seed)
        if folder is not None:
            return against_transformers(folder, self.seed)
        with TemporaryDirectory() as beside:
            return against_transformers(model.save(Path(beside) / "model"), self.seed)

    def _printed(self, rows: "Rows") -> str:
        if self.json:
            return json.dumps([row.to_json() for row in rows], indent=1, ensure_ascii=False)
        table = rows.listed() if self.all else rows.kinds() if self.against else str(rows)
        return table if rows.failed else f"{table}\n\n{len(rows)} numbers, all equal."
