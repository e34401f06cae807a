"""`pellucid train`: models that learn from examples."""

from contextlib import nullcontext
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from pellucid.cli.options import FILES, Labelled, Reading, Replacing, Wording
from pellucid.cli.problems import say
from pellucid.cli.see import waiting
from pellucid.cli.training import carry_out, flags, go_on
from pellucid.errors import UsageError

if TYPE_CHECKING:
    from typer import Context

    from pellucid.train.linear import TfidfClassifier
else:
    Context = typer.Context.__base__  # what typer hands over is no more than that

train = typer.Typer(name="train", help="Train a model on examples.")

OUT = typer.Option(metavar="FOLDER", help="Where the run is written.", show_default=False)
RESUME = typer.Option(
    metavar="RUN", help="Go on with a run; what else is said is compared.", show_default=False
)
TENSORBOARD = typer.Option(
    metavar="FOLDER", help="Write the curves for TensorBoard as it goes.", show_default=False
)
# a base class with a flag for each setting; what is usual differs from task to task
CLASSIFY: Any = flags("classify")
GENERATE: Any = flags("generate")
TRANSLATE: Any = flags("translate")
BERT: Any = flags("bert")

FORCE = typer.Option("--force", help="Replace a run that exists.")
VALID = typer.Option(
    "--valid",
    "--dev",
    metavar="FILE",
    help="Examples to measure it on; else a tenth is held out. May be given again.",
    show_default=False,
)
PAIR = typer.Option(metavar="COLUMN", help="The column of a second text.", show_default=False)
WORDS = ("ngrams", "fewest", "freedom", *(each.name for each in fields(Wording)))  # of tfidf
BOTH = typer.Option(metavar="SOURCE TARGET", help="Sentences to measure it on.", show_default=False)


@dataclass(frozen=True, kw_only=True)
class Written(Replacing):
    """What is learned from, and where a run is written or gone on with."""

    files: Annotated[list[str] | None, FILES] = None
    out: Annotated[Path | None, OUT] = None
    resume: Annotated[Path | None, RESUME] = None
    tensorboard: Annotated[Path | None, TENSORBOARD] = None
    force: Annotated[bool, FORCE] = False

    def __post_init__(self) -> None:
        if self.resume is None:
            for missing, name in (
                (not self.files, "argument FILE"),
                (not self.out, "option --out"),
            ):
                if missing:
                    raise UsageError(f"Missing {name}; or go on with a run (--resume RUN).")
        check_going_on(self)


def check_going_on(command: Any) -> None:
    """A run that goes on stays where it is."""
    elsewhere = command.force or command.out not in (None, command.resume)
    if command.resume is not None and elsewhere:
        raise UsageError("--resume goes on in the run's own folder; leave --out and --force.")


@dataclass(frozen=True, kw_only=True)
class TrainClassify(Wording, Labelled, Written, CLASSIFY):
    """Learn to tell which class a text is of, from texts with labels.

    [dim]Examples:[/]
    [cyan]pellucid train classify train.csv --label category --out run[/]
    [cyan]pellucid train classify train.tsv --valid dev.tsv --from minilm --out run[/]
    [cyan]pellucid train classify reviews/ --unit file --model tfidf --out run[/]
    """

    valid: Annotated[list[str] | None, VALID] = None
    pair: Annotated[str | None, PAIR] = None
    several: Annotated[
        str | None,
        typer.Option(
            metavar="SIGN", help="A text may have several labels, with this between them."
        ),
    ] = None
    model: Annotated[
        Literal["transformer", "gru", "lstm", "cnn", "tfidf", "majority"],
        typer.Option(
            help="Or a rival: networks, TF-IDF and logistic regression, the commonest class."
        ),
    ] = "transformer"
    ngrams: Annotated[
        str, typer.Option(metavar="N-N", help="tfidf: terms of so many neighbouring words.")
    ] = "1-2"
    stem: Annotated[
        Literal["none", "porter", "snowball"], typer.Option(help="Cut words down to their stems.")
    ] = "snowball"
    fewest: Annotated[
        int, typer.Option(metavar="N", min=1, help="tfidf: terms that are in so many texts.")
    ] = 1
    freedom: Annotated[
        float, typer.Option(metavar="C", help="tfidf: how freely weights may leave zero.")
    ] = 30.0

    def run(self) -> None:
        """Read, learn, measure, write."""
        from pellucid.text.formats import Layout
        from pellucid.train.classifiers import CERTAIN

        wanted = Layout(labels="wanted")
        with waiting("Learning") if self.model in CERTAIN else nullcontext():
            carry_out(self, "classify", wanted, **self._rival())
        if self.model in CERTAIN and not self.valid:
            advice = "Give --valid FILE to measure it on texts that it did not learn from."
            say(advice, who="note")

    def _rival(self) -> dict[str, Any]:
        from pellucid.train.rivals.making import as_told

        for each in fields(self) if self.model != "tfidf" else ():
            if each.name in WORDS and getattr(self, each.name) != each.default:
                raise UsageError(
                    f"{self.model} has nothing to do with {each.name}; leave it out, "
                    "or say --model tfidf."
                )
        if self.several and self.model != "transformer":
            raise UsageError(f"Only a Transformer tells several labels; {self.model} does not.")
        kinds = {"transformer": {}, "tfidf": as_told(self.tfidf())}
        return kinds.get(self.model, {"kind": self.model})

    def tfidf(self) -> "TfidfClassifier":
        """The linear classifier, with the options that are its own."""
        from pellucid.text.vectors import Vectorizer
        from pellucid.train.linear import TfidfClassifier

        analyzer = self.analyzer(self.ngrams)
        vectorizer = Vectorizer(kind="tfidf-log", analyzer=analyzer, fewest=self.fewest)
        return TfidfClassifier(vectorizer, self.freedom)


@dataclass(frozen=True, kw_only=True)
class TrainGenerate(Reading, Written, GENERATE):
    """Learn to go on with a text, from plain text.

    [dim]Examples:[/]
    [cyan]pellucid train generate corpus.txt --out run[/]
    [cyan]pellucid train generate poems.txt --unit paragraph --tokenizer characters --out run[/]
    """

    valid: Annotated[list[str] | None, VALID] = None

    def run(self) -> None:
        """Read, learn, measure, write."""
        from pellucid.text.formats import Layout

        carry_out(self, "generate", Layout(unit="file"))


@dataclass(frozen=True, kw_only=True)
class TrainTranslate(Reading, Written, TRANSLATE):
    """Learn to translate, from two files whose lines are pairs, or one with two columns.

    [dim]Examples:[/]
    [cyan]pellucid train translate train.en train.de --valid val.en val.de --out run[/]
    [cyan]pellucid train translate pairs.tsv --text english --pair german --out run[/]
    """

    valid: Annotated[tuple[str, str] | None, BOTH] = None
    pair: Annotated[str | None, PAIR] = None

    def run(self) -> None:
        """Read, learn, measure, write."""
        from pellucid.text.formats import Layout

        carry_out(self, "translate", Layout())


@dataclass(frozen=True, kw_only=True)
class TrainBert(Reading, Written, BERT):
    """Learn masked words and next sentences as BERT did, from files of plain text.

    [dim]Examples:[/]
    [cyan]pellucid train bert books/*.txt --out run[/]
    [cyan]pellucid train classify train.tsv --from run --out classifier[/]   and then use it
    """

    valid: Annotated[list[str] | None, VALID] = None

    def run(self) -> None:
        """Read, learn, measure, write."""
        from pellucid.text.formats import Layout

        carry_out(self, "bert", Layout(unit="file"))


@dataclass(frozen=True, kw_only=True)
class Train(Replacing):
    """Train a model on examples; or go on with a run, or repeat one.

    [dim]Examples:[/]
    [cyan]pellucid train classify train.tsv --out run[/]
    [cyan]pellucid train --resume run --set steps=4000[/]
    [cyan]pellucid train --settings run/settings.toml --out again[/]
    """

    resume: Annotated[Path | None, RESUME] = None
    settings: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Do what a settings.toml says.", show_default=False),
    ] = None
    out: Annotated[Path | None, OUT] = None
    set: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="With another setting.", show_default=False),
    ] = None
    tensorboard: Annotated[Path | None, TENSORBOARD] = None
    force: Annotated[bool, FORCE] = False
    context: Context

    def __post_init__(self) -> None:
        given = self.resume, self.settings, self.out, self.set, self.tensorboard
        if (command := self.context.invoked_subcommand) and any((*given, self.force)):
            raise UsageError(
                f"What stands before {command} does not reach it: --resume and --settings go "
                "without a command, all else goes after it."
            )
        check_going_on(self)
        if self.resume is not None and self.settings is not None:
            raise UsageError("--resume goes on as the run says; leave --settings, or say --set.")

    def run(self) -> None:
        """Go on, or repeat."""
        go_on(self)


train.command("classify")(TrainClassify)
train.command("generate")(TrainGenerate)
train.command("translate")(TrainTranslate)
train.command("bert")(TrainBert)


train.callback(invoke_without_command=True)(Train)
