"""Who hears which setting: what is said to one that does not hear it is refused, not dropped."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from pellucid.errors import UsageError
from pellucid.train.settings import INSTEAD, Settings, flag_of, made, usual

TEACHING = tuple(each.name for each in fields(Settings) if each.metadata["section"] == "teacher")
NETWORK = (
    "start", "layers", "heads", "inner", "positions", "norm", "place", "activation", "init",
    "dropout", "attention_dropout", "pooling", "documents", "masked", "hidden", "merge_dropout",
    "freeze", "layer_rate", "compile", *TEACHING,
)  # fmt: skip
# what each has nothing to do with; one that is not here learns at once, and hears nothing
DEAF: Mapping[str, tuple[str, ...]] = {
    "classify": ("documents", "masked", "merge_dropout"),
    "generate": ("hidden", "masked", "merge_dropout", "pooling", "too_long"),
    "translate": ("documents", "hidden", "masked", "pooling"),
    "bert": ("documents", "hidden", "merge_dropout", "pooling", "too_long"),
    "cnn": NETWORK,
    "lstm": NETWORK,
    "gru": NETWORK,
}
FALLING = ("linear", "cosine")
# what is heard only where something else is said, and whether it is
NEEDS: Mapping[str, tuple[str, Callable[[Settings], object]]] = {
    **dict.fromkeys(TEACHING[1:], ("beside a teacher", lambda s: s.teacher)),
    "convention": ("beside smoothing", lambda s: s.smoothing),
    "least": ("where the schedule is linear or cosine", lambda s: s.schedule in FALLING),
    "average": ("where keep is average", lambda s: s.keep == "average"),
}
# what a student that reads its teacher's pieces has from the teacher
STUDENT = ("positions", "norm", "place", "activation", "tokenizer", "vocabulary", "pooling")


def check_heard(said: Mapping[str, Any], plain: Settings, now: Settings, kind: str) -> None:
    """Refuse what was said in vain: `plain` is what holds without it, `now` what holds with it.

    `kind` is the model's, as `Job.kind` has it. What is as usual anyway does no harm.
    """
    check_deaf(said, plain, now, kind)
    for name in (name for name in unlike(said, plain, now) if name in NEEDS):
        where, holds = NEEDS[name]
        if not holds(now):
            raise UsageError(f"{called(name)} is heard only {where}; say so, or leave it out.")
    for name, instead in INSTEAD.items():
        if said.get(name) and said.get(instead):
            raise UsageError(f"{name} is not heard beside {instead}; leave one of them out.")


def check_deaf(said: Mapping[str, Any], plain: Settings, now: Settings, kind: str) -> None:
    """Refuse what who learns has nothing to do with, whatever else is said."""
    who = now.task if kind == "transformer" else kind
    other = unlike(said, plain, now)
    for name in other:
        if name in DEAF.get(who, other):
            raise UsageError(f"{who} has nothing to do with {called(name)}; leave it out.")
    for name, source in taken(now).items():
        if name in said:
            raise UsageError(f"{called(name)} is as in {source}; leave it out.")


def unlike(said: Mapping[str, Any], plain: Settings, now: Settings) -> list[str]:
    """What was said and is not as it would be without."""
    return [name for name in said if getattr(now, name) != getattr(plain, name)]


def taken(now: Settings) -> dict[str, str]:
    """The settings that are as in another model, and what to say of that one."""
    if now.start:
        return dict.fromkeys(made(now.task), f"{now.start}, where it begins")
    if not now.teacher or now.pieces == "own":
        return {}
    length = () if now.task == "generate" else ("longest",)
    return dict.fromkeys((*STUDENT, *length), f"{now.teacher}, which teaches")


def unusual(settings: Settings) -> dict[str, Any]:
    """What is not as usual for the task: `usual` makes the same settings of it."""
    plain = vars(usual(task=settings.task, start=settings.start))
    changed = {name: value for name, value in vars(settings).items() if value != plain[name]}
    return {"task": settings.task, "start": settings.start} | changed


def called(name: str) -> str:
    """A setting's name; and its flag, where that is another."""
    flag = flag_of(name)
    return name if flag == f"--{name}" else f"{name} ({flag})"
