"""`pellucid tokenizer`: train one, or see how one cuts a text."""

import json
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from pellucid.cli.options import FILES, Reading, Replacing
from pellucid.cli.problems import notes, say
from pellucid.cli.see import read, waiting
from pellucid.errors import UsageError

if TYPE_CHECKING:
    from pellucid.text.merging import Steps
    from pellucid.text.tokenizer import Tokenizer
    from pellucid.text.training import Fit

SAMPLE = 1000  # texts that are kept, to say how well the tokenizer fits


@dataclass(frozen=True, kw_only=True)
class Train(Reading, Replacing):
    """Train a tokenizer: learn its pieces from texts, which are read once, as a stream.

    [dim]Examples:[/]
    [cyan]pellucid tokenizer train --kind bpe --vocab 8000 corpus/*.txt --out tok/[/]
    [cyan]pellucid tokenizer train --kind wordpiece reviews.tsv --text sentence --out tok/[/]
    """

    files: Annotated[list[str], FILES]
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where it is saved; a new folder.")]
    kind: Annotated[
        Literal["bpe", "wordpiece", "unigram", "words", "characters"],
        typer.Option(help="What a piece is: like GPT-2's, BERT's, T5's, a word, a character."),
    ] = "bpe"
    vocab: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, max=1 << 26, help="At most so many pieces, special ones too."
        ),
    ] = 8000
    special: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ROLE=PIECE",
            help="A special piece, for example pad=<pad>; roles are bos, eos, unk, sep, pad, cls "
            "and mask. May be given again.",
            show_default=False,
        ),
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Replace a tokenizer there.")] = False
    json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False

    def run(self) -> None:
        """Nothing is read before it is clear that the result can be saved."""
        from pellucid.text.training import check_folder, fit, kind_of, named_special, save, train

        special = dict(map(role_and_piece, self.special or []))
        named_special(kind_of(self.kind), special)
        check_folder(self.out, self.existing)
        sample: list[str] = []
        with notes(), ExitStack() as stack:
            texts = keeping(self._texts(stack), sample)
            tokenizer = train(texts, kind=self.kind, size=self.vocab, special=special)
        save(tokenizer, self.out, self.existing)
        say(str(self.out), who="saved")
        self._report(tokenizer, fit(tokenizer, sample))

    def _texts(self, stack: ExitStack) -> Iterator[str]:
        """The texts, and how far they are; after the last one the library learns."""
        from pellucid.cli.progress import shown

        yield from (document.text for document in shown(self.corpus(self.files)))
        stack.enter_context(waiting("Learning pieces"))

    def _report(self, tokenizer: "Tokenizer", fit: "Fit") -> None:
        if self.json:
            pieces = tokenizer.inner.get_vocab_size()
            print(json.dumps({"kind": self.kind, "pieces": pieces, "fit": asdict(fit)}, indent=1))
            return
        from pellucid.text.training import kind_of
        from pellucid.views import trained

        trained.show(self.kind, kind_of(self.kind).loses, tokenizer, fit)


def role_and_piece(given: str) -> tuple[str, str]:
    """`pad=<pad>` as a pair."""
    role, sign, piece = given.partition("=")
    if not sign:
        raise UsageError(f"--special {given!r} names no role; write it like pad=<pad>.")
    return role, piece


def keeping(texts: Iterable[str], sample: list[str]) -> Iterator[str]:
    """The texts; the first of them are kept in the sample."""
    for text in texts:
        if len(sample) < SAMPLE:
            sample.append(text)
        yield text


@dataclass(frozen=True, kw_only=True)
class Show:
    """See how a text becomes pieces: their ids and characters, and the steps that led to them.

    [dim]Examples:[/]
    [cyan]pellucid tokenizer show "unbelievably 🙂 שלום"[/]
    [cyan]pellucid tokenizer show --model tok/ "unbelievably"[/]
    """

    texts: Annotated[
        list[str],
        typer.Argument(
            metavar="TEXT",
            help="One text, or several; - reads one from standard input.",
            show_default=False,
        ),
    ]
    model: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The folder of a tokenizer or a model, a built-in model, or a name on a hub.",
        ),
    ] = "minilm"
    json: Annotated[bool, typer.Option("--json", help="Print it all as JSON.")] = False

    def run(self) -> None:
        """Print what became of each text."""
        from pellucid.text.merging import Steps

        texts = read(self.texts)
        with notes(), waiting(f"Loading {self.model}"):
            tokenizer = tokenizer_of(self.model)
            steps = Steps(tokenizer)
        if self.json:
            found = [described(tokenizer, steps, text) for text in texts]
            print(json.dumps(found, indent=1, ensure_ascii=False))
            return
        from pellucid.views import pieces

        for text in texts:
            pieces.show(tokenizer.encode(text), steps)


def tokenizer_of(name: str) -> "Tokenizer":
    """The tokenizer of a model, or of a folder that has nothing else."""
    from pellucid.text.reading import load_tokenizer

    if Path(name).is_dir():  # without the part of the package that knows models: it takes a second
        return load_tokenizer(Path(name))
    from pellucid.models.load import folder_of, load

    folder = folder_of(name)
    return load_tokenizer(folder) if folder else load(name).tokenizer


def described(tokenizer: "Tokenizer", steps: "Steps", text: str) -> dict[str, Any]:
    """All that is shown, as plain data."""
    tokens = tokenizer.encode(text)
    words = [
        {"word": word.text, "start": word.start, "end": word.end, **asdict(word.cut)}
        for word in steps.words(text)
    ]
    return {**tokens.to_json(), "way": steps.way.name, "words": words}


ABOUT = """Train a tokenizer, or see how one cuts a text.

[dim]Example:[/] pellucid tokenizer show "unbelievably 🙂 שלום"
"""
tokenizer = typer.Typer(name="tokenizer", help=ABOUT)
tokenizer.command("train")(Train)
tokenizer.command("show")(Show)
