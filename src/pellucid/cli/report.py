"""`pellucid report`: how a run went, and what came of it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pellucid.cli.options import Replacing
from pellucid.cli.problems import say

if TYPE_CHECKING:
    from pellucid.train.history import Panel


@dataclass(frozen=True, kw_only=True)
class Report(Replacing):
    """Show a run of `pellucid train`: its report, and the curves of loss, rate and gradient.

    [dim]Examples:[/]
    [cyan]pellucid report run[/]
    [cyan]pellucid report run --save curves.svg --save curves.png[/]
    [cyan]pellucid report run --tensorboard events[/]
    """

    folder: Annotated[
        Path, typer.Argument(metavar="RUN", help="The folder of the run.", show_default=False)
    ]
    save: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Also draw the curves into a file: .png, .svg or .pdf. May be given again.",
            show_default=False,
        ),
    ] = None
    tensorboard: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Also write the curves for TensorBoard.", show_default=False
        ),
    ] = None
    json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False

    def run(self) -> None:
        """Print the report and the curves, and write what was asked for."""
        from pellucid.views.curves import show

        self._check()
        drawn = self._panels()
        if self.json:
            print(json.dumps({title: plain(panel) for title, panel in drawn.items()}))
        else:
            if self._report.is_file():
                print(self._report.read_text(encoding="utf-8"))
            show(drawn)
        self._write(drawn)

    @property
    def _report(self) -> Path:
        return self.folder / "report.txt"

    def _panels(self) -> "dict[str, Panel]":
        """The curves. TF-IDF leaves none, and a report is enough, unless they are asked for."""
        from pellucid.train.history import panels, read
        from pellucid.train.journal import LOG

        asked = self.save or self.tensorboard or self.json
        if self._report.is_file() and not asked and not (self.folder / LOG).is_file():
            return {}
        return panels(read(self.folder))

    def _check(self) -> None:
        from pellucid.record.files import check_writable
        from pellucid.views.events import check_events
        from pellucid.views.figures import check_figure

        for path in self.save or []:
            check_figure(path)
            check_writable(path, self.existing)
        if self.tensorboard:
            check_events(self.tensorboard)

    def _write(self, drawn: "dict[str, Panel]") -> None:
        from pellucid.views.events import save_events
        from pellucid.views.figures import save_curves

        for path in self.save or []:
            say(str(save_curves(drawn, path, existing=self.existing)), who="saved")
        if self.tensorboard:
            say(str(save_events(drawn, self.tensorboard)), who="saved")


def plain(panel: "Panel") -> dict[str, Any]:
    """Curves as plain data."""
    return {name: {"steps": each.steps, "values": each.values} for name, each in panel.items()}
