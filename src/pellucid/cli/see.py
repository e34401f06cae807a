"""`pellucid see`: every number from the text to the output."""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console
from rich.markup import escape

from pellucid.cli.options import Replacing, check_shown
from pellucid.cli.problems import notes, say
from pellucid.errors import UsageError
from pellucid.models.builtin import default
from pellucid.record.files import PICTURES

if TYPE_CHECKING:
    from pellucid.models.model import Model
    from pellucid.record.trace import Trace
    from pellucid.views.choice import Choice

OF_ONE = (".xlsx", *PICTURES)  # what shows one text, however many there are
SHOWN = {
    "figure": PICTURES,
    "layers": (".html",),
    "weights": (".html", ".json", ".safetensors"),
}
UNITS = {"": 1, "B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9}


@dataclass(frozen=True, kw_only=True)
class See(Replacing):
    """See a text through: every number from its tokens to the model's output.

    [dim]Examples:[/]
    [cyan]pellucid see "The seal slept on the ice."[/]
    [cyan]pellucid see "The seal slept on the ice." --layer 3 --head 5 --save see.html[/]
    [cyan]pellucid see --model mouse "cat and mouse are friends"[/]
    """

    texts: Annotated[
        list[str],
        typer.Argument(
            metavar="TEXT",
            help="One text, or several; a source and a target where the model has both; "
            "- reads one from standard input.",
            show_default=False,
        ),
    ]
    model: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="A built-in model, a checkpoint's folder, or a name on a hub."
        ),
    ] = default("see")
    layer: Annotated[
        int | None,
        typer.Option(metavar="N", help="The layer to show, else the last.", show_default=False),
    ] = None
    head: Annotated[
        int | None,
        typer.Option(metavar="N", help="The head to show, else the first.", show_default=False),
    ] = None
    pair: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="A second text that an encoder reads with the first: BERT says whether it "
            "follows.",
            show_default=False,
        ),
    ] = None
    save: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Also write a file, its ending says what: .html, .xlsx, .png, .svg, .pdf, "
            ".json or .safetensors. "
            "May be given again.",
            show_default=False,
        ),
    ] = None
    figure: Annotated[
        Literal["overview", "head", "heads", "cross", "norms", "logits", "positions", "tree"],
        typer.Option(help="What .png, .svg and .pdf show."),
    ] = "overview"
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False
    json: Annotated[
        bool, typer.Option("--json", help="Print the numbers as JSON, not as a picture.")
    ] = False
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN",
            help='Record only names like "encoder.3.*". May be given again.',
            show_default=False,
        ),
    ] = None
    budget: Annotated[
        str, typer.Option(metavar="SIZE", help="Refuse to hold more, for example 500MB.")
    ] = "4GB"
    layers: Annotated[
        str | None,
        typer.Option(
            metavar="RANGE",
            help="Which layers go into a page, for example 0-3: the fewer, the smaller.",
            show_default=False,
        ),
    ] = None
    weights: Annotated[
        Literal["small", "all"],
        typer.Option(help="Which weights go into saved files: the vectors, or all."),
    ] = "small"
    dtype: Annotated[
        Literal["float32", "bfloat16", "float64"],
        typer.Option(help="The precision to compute in."),
    ] = "float32"
    generate: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Let the model say at most N tokens first, and look at that, too.",
            show_default=False,
        ),
    ] = None
    beams: Annotated[
        int, typer.Option(metavar="N", min=1, help="With --generate: branches of the search.")
    ] = 1

    def run(self) -> None:
        """Everything that can be wrong is found before the model runs."""
        texts, budget = read(self.texts), size(self.budget)
        self._check_options()
        self._check_paths()
        with notes(), waiting(f"Loading {self.model}"):
            model = self._load()
        self._check_one(len(texts) // len(model.streams))
        choice = self._choose(model)
        layers = self._layers(model)
        with notes(), waiting("Looking"):
            trace = self._look(model, texts, {"keep": self.keep or "*", "budget": budget})
        self._check_kept(trace)
        if self._chosen:
            trace.about["shown"] = asdict(choice)
        self._save(trace, layers)
        self._print(trace, choice)

    def _look(self, model: "Model", texts: list[str], seeing: dict[str, Any]) -> "Trace":
        if self.generate is None:
            streams = texts if len(model.streams) > 1 else [texts]
            pair = None if self.pair is None else read([self.pair])
            return model.see(*streams, pair=pair, **seeing)
        from pellucid.decode.seen import see_generated

        if len(texts) != 1 or self.pair:
            raise UsageError(f"--generate goes on from one text; {len(texts)} came.")
        choices = {"max_new_tokens": self.generate, "beams": self.beams, "best": self.beams}
        return see_generated(model, texts[0], seeing, **choices)

    def _check_options(self) -> None:
        """What is said and would not be heeded."""
        for option, endings in SHOWN.items():
            if getattr(self, option) != getattr(type(self), option):
                check_shown(f"--{option}", endings, self.save)
        if self.beams > 1 and self.generate is None:
            raise UsageError("--beams is for what the model says; let it say some (--generate 8).")

    def _check_one(self, count: int) -> None:
        for path in self.save or []:
            if count > 1 and path.suffix in OF_ONE:
                raise UsageError(f"{path} would show one text, and {count} came; give each alone.")

    def _check_paths(self) -> None:
        from pellucid.record.files import check_writable
        from pellucid.record.store import writer_of

        for at, path in enumerate(self.save or []):
            writer_of(path)
            check_writable(path, self.existing)
            if path in (self.save or [])[:at]:
                raise UsageError(f"{path} is to be saved twice; give each file a name of its own.")

    def _load(self) -> "Model":
        import torch

        from pellucid.models.load import load

        return load(self.model, dtype=getattr(torch, self.dtype))

    def _choose(self, model: "Model") -> "Choice":
        from pellucid.views.choice import choose

        return choose(asdict(model.config), self.layer, self.head)

    def _layers(self, model: "Model") -> list[int] | None:
        return None if self.layers is None else span(self.layers, model)

    def _check_kept(self, trace: "Trace") -> None:
        for pattern in self.keep or []:
            if not trace.names(pattern):
                example = next(name for name in trace if name.endswith(".attention.q"))
                raise UsageError(f"--keep {pattern!r} fits no name; one is {example}.")

    def _save(self, trace: "Trace", layers: list[int] | None) -> None:
        from pellucid.record import store

        for path in self.save or []:
            with waiting(f"Writing {path}") as told:
                part = self.weights, self.layer, self.head
                wish = store.Wish(*part, figure=self.figure, layers=layers, told=told)
                store.save(trace, path, wish, self.existing)
            say(str(path), who="saved")

    def _print(self, trace: "Trace", choice: "Choice") -> None:
        if self.json:
            from pellucid.views import data

            layer = choice.layer if self._chosen else None
            for line in data.lines(trace, layer, self.head):
                sys.stdout.buffer.write(line.encode())
            return
        from pellucid.views import terminal

        terminal.show(trace, choice)
        if "generation" in trace.about:
            from pellucid.decode.tree import Tree

            print(f"\n{Tree.from_json(trace.about['generation']['tree'])}")

    @property
    def _chosen(self) -> bool:
        return self.layer is not None or self.head is not None


def read(texts: list[str]) -> list[str]:
    """The texts, checked; - is standard input."""
    from pellucid.text.sources import check_once
    from pellucid.text.tokenizer import check_text

    check_once(texts)
    return [check_text(_standard_input() if text == "-" else text) for text in texts]


def _standard_input() -> str:
    try:
        return sys.stdin.buffer.read().decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"Standard input is not valid UTF-8 at byte {error.start}; save it as UTF-8."
        ) from error


def size(text: str) -> float:
    """Bytes of a size like 500MB."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?([KMG]?B)?", text.strip().upper())
    if not found:
        raise UsageError(f"--budget {text!r} is no size; write it like 500MB or 4GB.")
    return float(found[1]) * UNITS[found[2] or ""]


def span(text: str, model: "Model") -> list[int]:
    """The layers of a range like 3 or 0-3."""
    from pellucid.views.choice import depths

    count = max(depths(asdict(model.config)))
    found = re.fullmatch(r"(\d+)(?:-(\d+))?", text.strip())
    first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
    if not first <= last < count:
        raise UsageError(
            f"--layers {text!r} makes no sense; this model has layers 0 to {count - 1}, "
            "and a range is written like 0-3."
        )
    return list(range(first, last + 1))


@contextmanager
def waiting(what: str) -> Iterator[Callable[[str], None]]:
    """A sign of life on stderr where somebody sits before it; it takes words on how far it is."""
    console = Console(stderr=True)
    what = escape(what)
    with console.status(f"{what} …") if console.is_terminal else nullcontext() as status:
        yield lambda far: status.update(f"{what}: {escape(far)} …") if status else None
