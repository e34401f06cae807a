"""Distillation: a small model learns what a large one believes (Hinton et al. 2015).

student, report = pellucid.distill("teacher", "train.tsv", layers=2, width=128, out="run")

It is training with a teacher: the same learners, loop and checkpoints. Of a translator the
teacher's own translations can also take the place of the right ones (Kim and Rush 2016).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pellucid.errors import UsageError
from pellucid.models.load import load
from pellucid.models.model import Model
from pellucid.nn.config import Config
from pellucid.record.batched import batched
from pellucid.train.heard import check_heard, taken, unusual
from pellucid.train.settings import Settings, TaskName, usual
from pellucid.train.training import Trained, ready, train
from pellucid.train.translator import Parallel

Level = Literal["words", "sequences", "both"]

AT_ONCE = 512  # sources that are translated together
# a student that begins as layers of its teacher has learned already
INHERITED = {"rate": 3e-4, "beta2": 0.999}


def distill(
    teacher: str | Path,
    data: Any,
    valid: Any = None,
    *,
    level: Level = "words",
    beams: int = 4,
    **how: Any,
) -> Trained:
    """Train a student of this teacher: its name or folder; what it does says what is learned.

    `level` is for translators: what the teacher believes word by word, or its translations by a
    search of so many `beams`, or both. `how` are settings, and what else `train` takes.
    """
    found = load(teacher)
    task = task_of(found)
    kept = {name: how.pop(name) for name in ("out", "layout", "existing") if name in how}
    settings = fitting(found, str(teacher), level, how)
    if level != "words":
        data = spoken(found, translated(task, ready(data)), beams)
    return train(data=data, valid=valid, **kept, **unusual(settings))


def task_of(teacher: Model) -> TaskName:
    """What a model does, and a student of it learns."""
    c = teacher.config
    if c.classes:
        return "classify"
    if c.head == "none":
        raise UsageError(f"{teacher.name} tells no classes and no words, so it has nothing to say.")
    shapes: dict[str, TaskName] = {"encoder": "bert", "decoder": "generate"}
    return shapes.get(c.shape, "translate")


def fitting(teacher: Model, name: str, level: Level, said: dict[str, Any]) -> Settings:
    """The settings of a student; what is not said follows from its teacher."""
    c = teacher.config
    task = task_of(teacher)
    if level != "words" and task != "translate":
        raise UsageError(f"{name} does not translate, so level is words; {level!r} came.")
    sizes: dict[str, Any] = {"width": c.width, "layers": max(1, c.layers // 2)}
    sizes |= {key: said[key] for key in sizes if key in said}
    sizes["heads"] = c.heads if sizes["width"] == c.width else max(1, sizes["width"] // c.per_head)
    inherits = sizes["width"] == c.width and said.get("begin") != "chance"
    plain = INHERITED if inherits and said.get("pieces") != "own" else {}
    words = {"taught": 0.0} if level == "sequences" else {}
    same = taken(usual(**{**said, "task": task, "teacher": name}))
    said = {k: v for k, v in said.items() if k not in same or v != of_teacher(c, k)}
    settings = usual(**{**sizes, **plain, **words, **said, "task": task, "teacher": name})
    check_heard(said, usual(task=task), settings, "transformer")
    check(c, settings)
    return settings


def of_teacher(c: Config, name: str) -> Any:
    """What a teacher has, and its student too: to say it again does no harm."""
    return getattr(c, {"pooling": "classify"}.get(name, name), None)


def check(c: Config, settings: Settings) -> None:
    """Refuse what cannot be, or would not be heard."""
    if settings.pieces != "teacher" and settings.task != "classify":
        raise UsageError("Words can be taught only in the teacher's pieces; leave --pieces out.")
    if settings.compile != "none" and (settings.match_states or settings.match_attention):
        raise UsageError("Layers that are compiled cannot be watched; leave --compile out.")
    if settings.width == c.width and settings.heads != c.heads:
        raise UsageError(
            f"A student as wide as its teacher has its {c.heads} heads; {settings.heads} came."
        )
    if settings.width % settings.heads:
        raise UsageError(
            f"The width {settings.width} cannot be cut into {settings.heads} equal heads; "
            "say --heads."
        )


def translated(task: TaskName, data: Any) -> Sequence[str]:
    """The sources that a teacher is to translate."""
    if not isinstance(data, Parallel):
        raise UsageError("Give sources and targets as a pair of lists, for the teacher to read.")
    return data.sources


def spoken(teacher: Model, sources: Sequence[str], beams: int) -> tuple[list[str], list[str]]:
    """Sources, and what the teacher makes of each."""
    answers: list[str] = []
    for some in batched(sources, AT_ONCE):
        found = teacher.translate(some, beams=beams)
        answers += [best.text for best, *_ in found]
    return list(sources), answers
