"""The command line: one file per command, thin.

A command is a dataclass whose fields are its arguments and options. Typer fills it, `run` does
the work, and `guarded` turns whatever goes wrong into one sentence and an exit status.
"""

import io
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from pellucid import __version__
from pellucid.cli.check import Check
from pellucid.cli.classify import Classify
from pellucid.cli.compare import Compare
from pellucid.cli.compare_models import CompareModels
from pellucid.cli.convert import Convert
from pellucid.cli.distill import Distill
from pellucid.cli.embed import Embed
from pellucid.cli.evaluate import Evaluate
from pellucid.cli.export import Export
from pellucid.cli.generate import Generate
from pellucid.cli.heads import Heads
from pellucid.cli.lens import Lens
from pellucid.cli.models import Models
from pellucid.cli.open import Open
from pellucid.cli.problems import guarded
from pellucid.cli.report import Report
from pellucid.cli.score import Score
from pellucid.cli.see import See
from pellucid.cli.senses import Senses
from pellucid.cli.tokenizer import tokenizer
from pellucid.cli.train import train
from pellucid.cli.translate import Translate
from pellucid.cli.vectors import Vectors
from pellucid.cli.why import Why
from pellucid.cli.words import Words

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
app.command("see")(See)
app.command("open")(Open)
app.command("compare")(Compare)
app.command("senses")(Senses)
app.command("heads")(Heads)
app.command("lens")(Lens)
app.command("why")(Why)
app.command("check")(Check)
app.command("classify")(Classify)
app.command("generate")(Generate)
app.command("translate")(Translate)
app.command("score")(Score)
app.command("embed")(Embed)
app.command("words")(Words)
app.command("vectors")(Vectors)
app.add_typer(train)
app.command("distill")(Distill)
app.command("evaluate")(Evaluate)
app.command("report")(Report)
app.command("models")(Models)
app.command("convert")(Convert)
app.command("export")(Export)
app.command("compare-models")(CompareModels)
app.add_typer(tokenizer)


def tell_version(asked: bool) -> bool:
    if asked:
        print(f"pellucid {__version__}")
        raise typer.Exit
    return asked


Version = Annotated[
    bool, typer.Option("--version", callback=tell_version, is_eager=True, help="Say which it is.")
]


@app.callback()
def pellucid(version: Version = False) -> None:
    """A Transformer you can see through, and use.

    [dim]Example:[/] pellucid see "The seal slept on the ice."
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line, by default this process's own; its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without ∞ still shows the numbers
    return guarded(lambda: run(given or ["--help"]))


def run(arguments: Sequence[str]) -> int:
    """Read the command line, do what it says, and let go of what was written."""
    command = app(arguments, prog_name="pellucid", standalone_mode=False)
    if not isinstance(command, int):  # the status where the help was all
        command.run()
    print(end="", flush=True)
    return command if isinstance(command, int) else 0
