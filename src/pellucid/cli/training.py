"""What the commands that train share: a flag for every setting, and how a run is carried out."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import field, fields, make_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pellucid.cli.problems import notes, say
from pellucid.errors import UsageError
from pellucid.train.heard import DEAF
from pellucid.train.settings import Settings, TaskName, flag_of, usual

if TYPE_CHECKING:
    from pellucid.text.formats import Layout
    from pellucid.train.job import Job
    from pellucid.train.journal import Tell
    from pellucid.train.run import Run

PANELS = {
    "": "How it learns",
    "model": "The model",
    "data": "The data",
    "batches": "Batches",
    "learning": "How it learns",
    "teacher": "A teacher",
    "run": "The run",
}
TASK = "task"  # the one setting that is a command
FIELD = "set_{}".format  # of a command, whose own fields may be called like a setting


def flags(task: TaskName, *, without: Sequence[str] = (), shown: bool = True) -> Any:
    """A dataclass with a field for each setting of a task; what is not said is None.

    `shown` says whether its help tells what is usual for the task.
    """
    plain = usual(task=task) if shown else None
    made = [
        (FIELD(each.name), flag(each.name, each.type, each.metadata, plain), field(default=None))
        for each in fields(Settings)
        if each.name not in (TASK, *without)
    ]
    return make_dataclass("Flags", made, frozen=True, kw_only=True)


def flag(name: str, kind: Any, about: Mapping[str, str], plain: Settings | None) -> Any:
    """The type of a field that is a flag; its help says what is usual, if the task hears it."""
    value = getattr(plain, name, "")
    shown = f"{value:g}" if isinstance(value, float) else str(value)
    option = typer.Option(
        flag_of(name),
        help=f"{about['help'][0].upper()}{about['help'][1:]}.",
        show_default=shown or False,
        hidden=plain is not None and name in DEAF[plain.task],
        rich_help_panel=PANELS[about["section"]],
    )
    return Annotated[kind | None, option]


def said(command: Any) -> dict[str, Any]:
    """The settings that were given as flags."""
    names = (each.name for each in fields(Settings) if each.name != TASK)
    found = {name: getattr(command, FIELD(name), None) for name in names}
    return {name: value for name, value in found.items() if value is not None}


def carry_out(command: Any, task: TaskName, layout: "Layout", **rival: Any) -> None:
    """Train as a command says, or go on; files are laid out as it says, or else so.

    `rival` says what learns if it is no Transformer, as `Job.rival` does.
    """
    from pellucid.train.job import Job
    from pellucid.train.rivals.making import usual_of
    from pellucid.train.training import carry_out as work

    if command.resume is not None:
        return take_up(command, task, rival)
    settings = usual_of(task, said(command), rival)
    job = Job(settings=settings, files=(), layout=layout, rival=rival)
    job = replace(job, **given(command, job))
    with notes(), following(command) as tell:
        run = work(job, *job.data(), command.out, existing=command.existing, tell=tell)
    return finished(run, command.out)


def take_up(command: Any, task: TaskName, rival: Mapping[str, Any]) -> None:
    """Go on with a run, in the words of the command that began it."""
    from pellucid.train.training import begun, resume

    known = begun(command.resume)
    if task != known.settings.task or rival not in ({}, known.rival):
        raise UsageError(
            f"{command.resume} was begun as {known.settings.task} with {known.kind}; "
            "it cannot go on as another."
        )
    job = replace(known, **given(command, known))
    with notes(), following(command) as tell:
        run = resume(command.resume, said(command), job, tell)
    finished(run, command.resume)


def given(command: Any, job: "Job") -> dict[str, Any]:
    """What a command says of files, and of how they are read; else it is as in a job."""
    pair, sign = getattr(command, "pair", None), getattr(command, "several", None)
    files = tuple(command.files or job.files)
    told = {"files": files, "valid": tuple(command.valid or ()), "pair": pair, "sign": sign}
    told |= {"layout": command.corpus(files, job.layout).layout}
    told |= {"broken": "skip"} if command.broken == "skip" else {}
    return {name: value for name, value in told.items() if value}


@contextmanager
def following(command: Any) -> "Iterator[Tell | None]":
    """Within, whoever is to be told how it goes: TensorBoard, if that was asked for."""
    from pellucid.train.ranks import Ranks

    if command.tensorboard is None or not Ranks.here().first:
        yield None
        return
    from pellucid.views.events import Events, check_events

    check_events(command.tensorboard, new=command.resume is None)
    with closing(Events(command.tensorboard)) as events:
        yield events


def finished(run: "Run", out: Path) -> None:
    """The report, and where the run is; of processes that learn together, one tells."""
    from pellucid.train.ranks import Ranks

    if Ranks.here().first:
        print(run)
        say(str(out), who="saved")


def go_on(command: Any) -> None:
    """Go on with a run (`resume`), or do what a file says (`settings`)."""
    from pellucid.train.job import Job
    from pellucid.train.rivals.making import changed, checked
    from pellucid.train.training import carry_out as work
    from pellucid.train.training import resume

    changes = dict(map(change, command.set or ()))
    if command.resume is not None:
        with notes(), following(command) as tell:
            run = resume(command.resume, changes, tell=tell)
        finished(run, command.resume)
    elif command.settings is not None and command.out is not None:
        job = changed(checked(Job.read(command.settings)), changes)
        with notes(), following(command) as tell:
            run = work(job, *job.data(), command.out, existing=command.existing, tell=tell)
        finished(run, command.out)
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
