"""`pellucid convert`: a model written again, smaller, and what that does to it."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pellucid.cli.options import Replacing
from pellucid.cli.problems import notes, say
from pellucid.cli.see import waiting
from pellucid.cli.writing import GIVEN
from pellucid.errors import UsageError

if TYPE_CHECKING:
    from pellucid.models.model import Model

SENTENCES = (
    "The seal slept on the ice.",
    "Where is the station?",
    "I lost my card, and the bank will not help me.",
)


@dataclass(frozen=True, kw_only=True)
class Convert(Replacing):
    """Write a model again with smaller weights, and measure what that does.

    bf16 halves them and is read by other tools too. int8 quarters them: each row of a matrix is
    integers and one scale; that is a layout of Pellucid's own. Both load like any other model, and
    a run that was converted is evaluated like any other.

    [dim]Examples:[/]
    [cyan]pellucid convert run --precision int8 --out small[/]
    [cyan]pellucid convert minilm --precision bf16 --out minilm-bf16[/]
    """

    model: Annotated[str, GIVEN]
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where it is written.", show_default=False)
    ]
    precision: Annotated[
        Literal["float32", "bf16", "int8"], typer.Option(help="Of its weights.")
    ] = "int8"
    text: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="What outputs are compared on; else a few sentences. May be given again.",
            show_default=False,
        ),
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Replace a folder that exists.")] = False

    def run(self) -> None:
        """Load, write, load again, compare."""
        from pellucid.models.load import load

        with notes(), waiting(f"Loading {self.model}"):
            model = load(self.model)
        with notes(), waiting("Writing"):
            model.save(
                self.out,
                existing=self.existing,
                precision=self.precision,
            )
        self._told()
        say(str(self.out), who="saved")
        with notes(), waiting("Comparing"):
            self._compare(model, load(self.out))

    def _told(self) -> None:
        """A run keeps what it says of its task and its files, so that it can be evaluated.

        Of another run, which stood there before, nothing is left that would be said of this model.
        """
        from pellucid.train.job import FILE
        from pellucid.train.run import ABOUT

        home = Path(self.model).resolve()
        for name in (ABOUT, FILE) if home != self.out.resolve() else ():
            if (home / name).is_file():
                shutil.copy(home / name, self.out)
            else:
                (self.out / name).unlink(missing_ok=True)

    def _compare(self, exact: "Model", rounded: "Model") -> None:
        from pellucid.models.rounding import compared
        from pellucid.models.weights import ONE
        from pellucid.record.printed import in_words

        try:
            found = compared(exact, rounded, self.text or SENTENCES)
        except UsageError as reason:  # it has no tokenizer, or does not know these words
            if self.text:
                raise
            say(f"outputs are not compared: {reason} Give --text.", who="note")
            found = compared(exact, rounded)
        count = sum(tensor.numel() for tensor in exact.state().values())
        size = in_words((self.out / ONE).stat().st_size)
        print(f"{found}\n\n{count:,} numbers in {size}")
