"""What the commands that study a model share: its options, loading it, and files of results."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pellucid.cli.options import Replacing
from pellucid.cli.problems import notes, say
from pellucid.cli.see import waiting
from pellucid.errors import UsageError

if TYPE_CHECKING:
    from rich.text import Text

    from pellucid.models.model import Model

MODEL = typer.Option(
    metavar="NAME", help="A built-in model, a checkpoint's folder, or a name on a hub."
)
SAVE = typer.Option(
    metavar="FILE",
    help="Also write the numbers (.json) or what is shown (.html). May be given again.",
    show_default=False,
)
JSON = typer.Option("--json", help="Print the numbers as JSON, not as a picture.")
FORCE = typer.Option("--force", help="Replace files that exist.")

ENDINGS = (".json", ".html")

Fill = Callable[[Path], None]  # writes a file that is put in place afterwards
Draw = Callable[[int], "Iterator[Text]"]  # a view in so many cells
NONE: Mapping[str, Fill] = {}


@dataclass(frozen=True, kw_only=True)
class Study(Replacing):
    """A question that is asked of a model, and how the answer is given."""

    save: Annotated[list[Path] | None, SAVE] = None
    json: Annotated[bool, JSON] = False
    force: Annotated[bool, FORCE] = False

    def check_places(self, endings: tuple[str, ...] = ENDINGS) -> None:
        """Find early what could not be written."""
        from pellucid.record.files import check_writable

        for at, path in enumerate(self.save or []):
            if path.suffix not in endings:
                raise UsageError(
                    f"{path} has the ending {path.suffix!r}; this is saved as {', '.join(endings)}."
                )
            check_writable(path, self.existing)
            if path in (self.save or [])[:at]:
                raise UsageError(f"{path} is to be saved twice; give each file its own name.")

    def give(self, result: Any, draw: Draw, figures: Mapping[str, Fill] = NONE) -> None:
        """Write the files, then print the numbers or the view."""
        from pellucid.record.files import write
        from pellucid.views.lines import printed
        from pellucid.views.payload import finite
        from pellucid.views.still import fill

        numbers = json.dumps(finite(result.to_json()), ensure_ascii=False)
        fills: dict[str, Fill] = {
            ".json": partial(_text, numbers),
            ".html": partial(fill, draw),
            **figures,
        }
        for path in self.save or []:
            write(path, fills[path.suffix], self.existing)
            say(str(path), who="saved")
        if self.json:
            print(numbers)
        else:
            printed(draw)


def loaded(name: str) -> "Model":
    """The model of this name, with a sign of life on a terminal."""
    from pellucid.models.load import load

    with notes(), waiting(f"Loading {name}"):
        return load(name)


def _text(text: str, path: Path) -> None:
    path.write_bytes(
        f"{text}\n".encode("utf-8", "backslashreplace")
    )  # half an emoji, as JSON has it
