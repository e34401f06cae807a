"""Training from beginning to end: data, model, run.

model, report = pellucid.train("classify", "train.tsv", valid="dev.tsv", out="run", rate=1e-3)
"""

import warnings
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from pellucid.errors import UsageError
from pellucid.models.model import Model
from pellucid.record.files import Existing, aside, write_folder
from pellucid.text.formats import Layout
from pellucid.text.sources import STANDARD_INPUT
from pellucid.train.classifiers import CERTAIN
from pellucid.train.examples import Examples
from pellucid.train.job import FILE, Job
from pellucid.train.journal import Tell
from pellucid.train.learner import Learner
from pellucid.train.loop import CHECKPOINT
from pellucid.train.ranks import Ranks
from pellucid.train.rivals.classifier import NetworkClassifier
from pellucid.train.rivals.making import changed, check_measured, rival, usual_of
from pellucid.train.run import ABOUT, LEARNERS, Run, check_place, is_finished, write_text
from pellucid.train.settings import TaskName
from pellucid.train.transformer import TransformerClassifier
from pellucid.train.translator import Parallel


class Trained(NamedTuple):
    """A model, and the run it comes from: `print(report)` says how good it is."""

    model: Model
    report: Run


def train(
    task: TaskName,
    data: Any,
    valid: Any = None,
    *,
    out: str | Path | None = None,
    layout: Layout | None = None,
    existing: Existing = "refuse",
    **settings: Any,
) -> Trained:
    """Train a model on data: a file, several, or what was read from them already.

    That is `Examples` to classify, a list of texts to generate and for bert, and a pair of lists
    to translate. With `out` the run is written there, and can be taken up again.
    """
    chosen = usual_of(task, settings)
    job = Job(
        settings=chosen, files=named(data), valid=named(valid), layout=layout or LAYOUTS[task]
    )
    if valid is not None and bool(job.files) != bool(job.valid):
        raise UsageError("Of data and valid one is a file and one is not; give two of a kind.")
    if job.files:
        given, measured = job.data()
    else:
        given, measured = taken(task, data), None if valid is None else taken(task, valid)
    run = carry_out(job, given, measured, None if out is None else Path(out), existing=existing)
    return Trained(cast(Learner, run.model).model, run)


def named(data: Any) -> tuple[str, ...]:
    """The names of files; of data that is here already there are none."""
    some = [data] if isinstance(data, (str, Path)) else data
    if isinstance(some, (list, tuple)) and some and all(map(is_file, some)):
        return tuple(map(str, some))
    if isinstance(data, Path) or (isinstance(data, str) and data and "\n" not in data):
        raise UsageError(f"There is no file {data}.")
    return ()


def is_file(name: Any) -> bool:
    """Whether it is the name of a file or folder that is there, and no text."""
    try:
        return isinstance(name, (str, Path)) and bool(name) and Path(name).exists()
    except (OSError, ValueError):  # a text can be too long for a name, or have a NUL
        return False


LAYOUTS = {
    "classify": Layout(labels="wanted"),
    "generate": Layout(unit="file"),
    "translate": Layout(),
    "bert": Layout(unit="file"),
}
# what is taken of data that are here already
TAKEN: dict[TaskName, tuple[Any, str]] = {
    "classify": (Examples, "Examples"),
    "generate": (Collection, "a list of texts"),
    "translate": (Parallel, "a pair of lists"),
    "bert": (Collection, "a list of texts"),
}


def taken(task: TaskName, data: Any) -> Any:
    """Data that are here already, if the task can learn from them."""
    found, (kind, what) = ready(data), TAKEN[task]
    if not isinstance(found, kind):
        raise UsageError(f"{task} learns from files or {what}; {type(data).__name__} came.")
    if not len(found):
        raise UsageError("No text came; give at least some.")
    return found


def ready(data: Any) -> Any:
    """Data as learners take it: of two lists, pairs."""
    two = isinstance(data, (tuple, list)) and len(data) == 2
    if two and all(isinstance(each, Iterable) and not isinstance(each, str) for each in data):
        return Parallel(*map(list, data))
    return [data] if isinstance(data, str) else data


def carry_out(
    job: Job,
    given: Any,
    valid: Any,
    out: Path | None = None,
    *,
    existing: Existing = "refuse",
    tell: Tell | None = None,
) -> Run:
    """Train, measure, write. What is wrong with the data is said before anything is written.

    `tell` is told each entry of the log as it comes.
    """
    ranks = Ranks.here()
    if out is not None and ranks.first:
        check_place(out, existing)
        check_needs(job, out)
    if job.kind in CERTAIN:
        return at_once(job, given, valid, out, existing)
    given, valid = divided(job, given, valid)
    learner = learner_of(job)
    run = Run(job.kind, learner, job.layout, task=job.settings.task)
    learning = learner.prepare(given, valid)
    if learning.valid is None:
        check_measured(job.settings, usual_of(job.settings.task, {}, job.rival))
    with begins(run, job, out if ranks.first else None) as goes_on:
        ranks.wait()
        learning.into(out)
        learning.journal.tell = both(goes_on, tell)
        learner.state = learning.run()
    return finished(run, given, valid, out)


def at_once(job: Job, given: Any, valid: Any, out: Path | None, existing: Existing) -> Run:
    """The same for what learns in one go; nothing needs to be held out to say when to stop."""
    model = rival(job.rival, job.settings).fit(given)
    sets = {"train": given} | ({} if valid is None else {"dev": valid})
    run = Run(job.kind, model, job.layout, task=job.settings.task).measured(sets)
    if out is not None:
        write_folder(out, partial(told, run, job), existing, mark=ABOUT)
    return run


def told(run: Run, job: Job, folder: Path) -> None:
    """The run, and what it was asked to do."""
    run.fill(folder)
    write_text(folder / FILE, job.to_toml())


def begun(out: Path) -> Job:
    """What a run was asked to do, if it can go on."""
    if not (out / FILE).is_file():
        raise UsageError(f"{out} is no run that can go on; it has no {FILE}.")
    job = Job.read(out / FILE)
    if job.kind in CERTAIN:
        raise UsageError(f"{out} is {job.kind}, which learns at once; train it afresh.")
    if not job.files:
        raise UsageError(f"{out} was trained on data that came from no files; train it afresh.")
    if is_finished(out) and not (out / CHECKPOINT).is_file():
        raise UsageError(f"{out} is finished and has no checkpoint to go on from; train it afresh.")
    return job


def resume(
    out: Path, changes: dict[str, Any], job: Job | None = None, tell: Tell | None = None
) -> Run:
    """Go on with a run where its checkpoint was written, if asked with other settings.

    With a `job` its files are read, as that says. If they hold other data, it is refused.
    """
    known = begun(out)
    job = changed(replace(job or known, settings=known.settings), changes)
    check_files(job, out)
    given, valid = divided(job, *job.data())
    learner = learner_of(job)
    learning = learner.prepare(given, valid, out)
    if learning.valid is None:
        check_measured(job.settings, known.settings)
    learning.journal.tell = tell or learning.journal.tell

    def accepted() -> None:
        if differences := known.differences(job):
            said = f"This run began otherwise, with the same data: {', '.join(differences)}."
            warnings.warn(said, stacklevel=2)
        if Ranks.here().first:
            write_text(out / FILE, job.to_toml())

    learner.state = learning.run(accepted)
    return finished(Run(job.kind, learner, job.layout, task=job.settings.task), given, valid, out)


def check_files(job: Job, out: Path) -> None:
    """Files of a run are named as seen from where it began, which may be elsewhere."""
    names = {*job.files, *job.valid} - {STANDARD_INPUT}
    missing = sorted(name for name in names if not Path(name).exists())
    if missing:
        raise UsageError(
            f"There is no file {missing[0]} here, which {out} learns from; go on in the folder "
            f"that it began in, or name its files: pellucid train {job.settings.task} FILE … "
            f"--resume {out}"
        )


def check_needs(job: Job, out: Path) -> None:
    """What a run learns from cannot be in what it replaces."""
    s, place = job.settings, out.resolve()
    for name in filter(None, (s.teacher, s.start, *job.files, *job.valid)):
        path = Path(name).resolve()
        if name != STANDARD_INPUT and out.exists() and place in (path, *path.parents):
            raise UsageError(f"{name} is needed, so {out} cannot be replaced; name another.")


@contextmanager
def begins(run: Run, job: Job, out: Path | None) -> Iterator[Tell]:
    """The run's folder with its settings and the model as it is before the first step.

    What was there before comes back if that step fails; who is told of the step lets it go.
    """
    if out is None:
        yield lambda entry: None
        return
    with aside(out) as gone:
        run.begin(out)
        write_text(out / FILE, job.to_toml())
        run.model.save(out)
        yield lambda entry: gone()


def both(first: Tell, second: Tell | None) -> Tell:
    """Tell one, then the other if there is one."""
    return first if second is None else lambda entry: (first(entry), second(entry))


def finished(run: Run, given: Any, valid: Any, out: Path | None) -> Run:
    """Measured, and written."""
    sets = {"train": given} if isinstance(given, Examples) else {}
    run = run.measured(sets | ({} if valid is None else {"dev": valid}))
    if isinstance(run.model, Learner):
        run.model.review(valid)
    if out is not None and Ranks.here().first:
        run.fill(out)
    return run


def learner_of(job: Job) -> Learner | NetworkClassifier:
    """Who learns this task."""
    if job.rival:
        return NetworkClassifier(job.kind, job.settings)
    if job.settings.task == "classify":
        return TransformerClassifier(job.settings, job.sign)
    module, name = LEARNERS[job.settings.task]
    made: Learner = getattr(import_module(module), name)(job.settings)
    return made


def divided(job: Job, given: Any, valid: Any) -> tuple[Any, Any]:
    """Without examples to measure on, a share of them is held out, drawn by chance."""
    if valid is not None or not hasattr(given, "some"):
        return given, valid
    drawn = np.random.default_rng(job.settings.seed).permutation(len(given))
    held = drawn[: int(len(given) * job.settings.held_out)]
    if isinstance(given, Examples):
        held = held[given.spare(held, job.sign)]
    if not len(held):
        return given, None
    return given.some(np.setdiff1d(drawn, held)), given.some(np.sort(held))
