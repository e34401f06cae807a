"""What the commands that train share: a flag for every setting, and how a run is carried out."""

from collections.abc import Mapping
from dataclasses import field, fields, make_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pellucid.cli.problems import notes, say
from pellucid.errors import UsageError
from pellucid.train.settings import Settings, TaskName, usual

if TYPE_CHECKING:
    from pellucid.text.formats import Layout
    from pellucid.train.run import Run

FLAGS = {"start": "--from"}  # where a flag is called otherwise
PANELS = {
    "": "How it learns",
    "model": "The model",
    "data": "The data",
    "batches": "Batches",
    "learning": "How it learns",
    "run": "The run",
}
TASK = "task"  # the one setting that is a command
FIELD = "set_{}".format  # of a command, whose own fields may be called like a setting


def flags(task: TaskName) -> Any:
    """A dataclass with a field for each setting of a task; what is not said is None."""
    plain = usual(task=task)
    made = [
        (FIELD(each.name), flag(each.name, each.type, each.metadata, plain), field(default=None))
        for each in fields(Settings)
        if each.name != TASK
    ]
    return make_dataclass("Flags", made, frozen=True, kw_only=True)


def flag(name: str, kind: Any, about: Mapping[str, str], plain: Settings) -> Any:
    """The type of a field that is a flag; its help says what is usual."""
    value = getattr(plain, name)
    shown = f"{value:g}" if isinstance(value, float) else str(value)
    option = typer.Option(
        FLAGS.get(name, f"--{name.replace('_', '-')}"),
        help=f"{about['help'][0].upper()}{about['help'][1:]}.",
        show_default=shown or False,
        rich_help_panel=PANELS[about["section"]],
    )
    return Annotated[kind | None, option]


def said(command: Any) -> dict[str, Any]:
    """The settings that were given as flags."""
    names = (each.name for each in fields(Settings) if each.name != TASK)
    found = {name: getattr(command, FIELD(name), None) for name in names}
    return {name: value for name, value in found.items() if value is not None}


def carry_out(command: Any, task: TaskName, layout: "Layout") -> None:
    """Train as a command says; files are laid out as it says, or else so."""
    from pellucid.train.job import Job
    from pellucid.train.training import carry_out as work

    job = Job(
        settings=usual(task=task, **said(command)),
        files=tuple(command.files),
        valid=tuple(command.valid or ()),
        layout=command.corpus(command.files, layout).layout,
        pair=getattr(command, "pair", None) or "",
        sign=getattr(command, "several", None) or "",
        broken=command.broken,
    )
    with notes():
        run = work(job, *job.data(), out=command.out, existing=command.existing)
    tell(run, command.out)


def tell(run: "Run", out: Path) -> None:
    """The report, and where the run is; of processes that learn together, one tells."""
    from pellucid.train.ranks import Ranks

    if Ranks.here().first:
        print(run)
        say(str(out), who="saved")


def go_on(command: Any) -> None:
    """Go on with a run (`resume`), or do what a file says (`settings`)."""
    from pellucid.train.job import Job
    from pellucid.train.training import carry_out as work
    from pellucid.train.training import resume

    changes = dict(map(change, command.set or ()))
    if command.resume is not None:
        with notes():
            run = resume(command.resume, changes)
        tell(run, command.resume)
    elif command.settings is not None and command.out is not None:
        job = Job.read(command.settings)
        job = replace(job, settings=usual(**{**vars(job.settings), **changes}))
        with notes():
            run = work(job, *job.data(), command.out, "replace" if command.force else "refuse")
        tell(run, command.out)
    else:
        raise UsageError(
            "Missing command: say what is to be trained, --resume RUN, or --settings FILE with "
            "--out FOLDER. See pellucid train --help."
        )


def change(text: str) -> tuple[str, Any]:
    """`rate=0.01` as a name and a value."""
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--set {text} says nothing; write like rate=0.01.")
    kinds: dict[str, Any] = {each.name: each.type for each in fields(Settings)}
    try:
        return name, kinds[name](value) if kinds.get(name) in (int, float) else value
    except ValueError as error:
        raise UsageError(f"--set {text}: {value!r} is no number.") from error
