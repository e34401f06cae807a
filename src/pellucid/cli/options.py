"""Options that several commands share: how files are read, and how words are made."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from pellucid.errors import UsageError

if TYPE_CHECKING:
    from pellucid.text.formats import Layout
    from pellucid.text.sources import Corpus
    from pellucid.text.words import Analyzer

FILES = typer.Argument(
    metavar="FILE",
    help="Files or folders: .txt .csv .tsv .jsonl .parquet, or .gz of these; - is standard input.",
    show_default=False,
)


def _option(panel: str, metavar: str | None, help: str) -> Any:
    """An option that may be left out."""
    return typer.Option(metavar=metavar, help=help, show_default=False, rich_help_panel=panel)


class Replacing:
    """A command that is told by --force to replace what is there already."""

    force: bool

    @property
    def existing(self) -> Literal["refuse", "replace"]:
        """What is done with files that are there."""
        return "replace" if self.force else "refuse"


def check_shown(option: str, endings: Sequence[str], paths: Sequence[Path] | None) -> None:
    """Refuse an option that only some files show where no such file is saved."""
    if not any(path.suffix in endings for path in paths or []):
        raise UsageError(
            f"{option} is heeded in files that end in {', '.join(endings)}; save one (--save)."
        )


_reading = partial(_option, "How files are read")
_wording = partial(_option, "How words are made")


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How files are read; what is not said is found out."""

    text: Annotated[str | None, _reading("COLUMN", "The column of the texts, else text.")] = None
    columns: Annotated[
        str | None,
        _reading(
            "NAMES",
            "Columns of a file without a header: label,text. The last takes the rest; "
            "none: it has a header.",
        ),
    ] = None
    format: Annotated[
        Literal["txt", "csv", "tsv", "jsonl", "parquet"] | None,
        _reading(None, "What the files are, where their names do not say it."),
    ] = None
    delimiter: Annotated[str | None, _reading("SIGN", "What stands between columns.")] = None
    quotes: Annotated[
        Literal["double", "none"] | None,
        _reading(None, "Quotation marks around cells: double in .csv, none in .tsv."),
    ] = None
    encoding: Annotated[str | None, _reading("NAME", "For example latin-1; else UTF-8.")] = None
    unit: Annotated[
        Literal["line", "paragraph", "file"] | None,
        _reading(None, "A document of plain text; else a line, for a language model a file."),
    ] = None
    broken: Annotated[
        Literal["refuse", "skip"], _reading(None, "What to do at a line that cannot be read.")
    ] = "refuse"

    def corpus(self, files: Sequence[str], usual: "Layout | None" = None) -> "Corpus":
        """The documents of the files; what is not said is as usual."""
        from pellucid.text.formats import Layout
        from pellucid.text.sources import Corpus

        return Corpus(files, replace(usual or Layout(), **self._said()), self.broken)

    def check_unread(self) -> None:
        """Where no file is read, nothing should be said of how."""
        for each in fields(Reading):
            if getattr(self, each.name) != each.default:
                raise UsageError(
                    f"--{each.name} says how a file is read, and there is none; leave it out, "
                    "or give a file."
                )

    def _said(self) -> dict[str, Any]:
        from pellucid.text.formats import Layout

        told = {field.name: getattr(self, field.name, None) for field in fields(Layout)}
        said = {name: value for name, value in told.items() if value}
        if self.columns:
            said["columns"] = () if self.columns == "none" else tuple(self.columns.split(","))
        if self.delimiter:
            said["delimiter"] = self.delimiter.replace(r"\t", "\t")
        return said


@dataclass(frozen=True, kw_only=True)
class Shortening:
    """What a trained model does at a text that it cannot read whole."""

    too_long: Annotated[
        Literal["refuse", "cut"] | None,
        typer.Option(
            help="What to do at a text longer than the model reads; else as when it learned.",
            show_default=False,
        ),
    ] = None

    def shorten(self, model: Any) -> None:
        """Have a model do so."""
        from pellucid.train.heard import DEAF

        if self.too_long is None:
            return
        settings = getattr(model, "settings", None)
        if settings is None or "too_long" in DEAF[settings.task]:
            raise UsageError("No text is too long for this model; leave --too-long out.")
        model.settings = replace(settings, too_long=self.too_long)


@dataclass(frozen=True, kw_only=True)
class Labelled(Reading):
    """The same for documents that may have labels."""

    label: Annotated[str | None, _reading("COLUMN", "The column of the labels.")] = None


@dataclass(frozen=True, kw_only=True)
class Wording:
    """How a text is split into words, and what becomes of them."""

    language: Annotated[
        str, _wording("CODE", "For stems and lemmas: en, de or german, …; else English.")
    ] = "en"
    stem: Annotated[
        Literal["none", "porter", "snowball"], _wording(None, "Cut words down to their stems.")
    ] = "none"
    lemma: Annotated[
        bool, typer.Option("--lemma", help="Look words up.", rich_help_panel="How words are made")
    ] = False
    normalize: Annotated[
        str | None,
        _wording("STEPS", "Of nfc, nfkc, lower, fold, bare (of accents); else nfc,lower."),
    ] = None
    pattern: Annotated[str | None, _wording("REGEX", "What is a word.")] = None

    def analyzer(self, ngrams: str = "1-1") -> "Analyzer":
        """From a text to its terms."""
        from pellucid.text.words import WORD, Analyzer

        return Analyzer(
            pattern=self.pattern or WORD,
            steps=self.steps,
            language=self.language,
            ngrams=lengths(ngrams),
        )

    @property
    def steps(self) -> tuple[str, ...]:
        """What becomes of a word: a dictionary wants it as it was typed, a stemmer made even."""
        lemma = ("lemma",) if self.lemma else ()
        stem = () if self.stem == "none" else (self.stem,)
        return (*lemma, *self.spelling, *stem)

    @property
    def spelling(self) -> tuple[str, ...]:
        """How words are made even."""
        from pellucid.text.words import USUAL_STEPS

        if self.normalize is None:
            return USUAL_STEPS
        return tuple(filter(None, self.normalize.split(",")))

    @property
    def said(self) -> bool:
        """Whether any of it was asked for."""
        return any(getattr(self, field.name) != field.default for field in fields(Wording))


def lengths(ngrams: str) -> tuple[int, int]:
    """From how many words to how many: 1-2."""
    found = re.fullmatch(r"(\d+)(?:-(\d+))?", ngrams.strip())
    if not found:
        raise UsageError(f"--ngrams {ngrams!r} makes no sense; write like 1-2.")
    return int(found[1]), int(found[2] or found[1])
