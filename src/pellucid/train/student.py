"""Students: a teacher's architecture, smaller; and the teacher's own weights where they fit."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from pellucid.errors import UsageError
from pellucid.models.model import Model
from pellucid.nn.config import Config
from pellucid.train.loss import HARD
from pellucid.train.making import dressed, new
from pellucid.train.objectives import Objective
from pellucid.train.settings import Settings
from pellucid.train.taught import Taught
from pellucid.train.teacher import Teacher
from pellucid.train.teaching import ATTENTION, STATES, TAUGHT
from pellucid.train.watching import STACKS, Layers, Pupil, What, depths, every

LAYER = re.compile(r"(encoder|decoder)\.layers\.(\d+)\.")


def student(teacher: Model, settings: Settings) -> Model:
    """A model of so many layers and that width, with the teacher's pieces, heads and family.

    Of the same width it begins as every n-th layer of the teacher, the last one among them
    (Sanh et al. 2019 took every second); else its weights are drawn.
    """
    made = new(smaller(teacher.config, settings), settings.init, settings.seed)
    if settings.begin == "layers":
        inherit(made, teacher)
    made.generation = dict(teacher.generation)
    return dressed(made, teacher)


def smaller(c: Config, settings: Settings) -> Config:
    """The configuration of a student."""
    drops = {"dropout": settings.dropout, "attention_dropout": settings.attention_dropout}
    depth: dict[str, Any] = {"layers": settings.layers, "decoder_layers": 0, **drops}
    for name, own in (("layers", max(c.layers, c.decoder_layers)), ("width", c.width)):
        if not 0 < getattr(settings, name) <= own:
            raise UsageError(
                f"The {name} of a student can be 1 to the teacher's {own}; "
                f"{getattr(settings, name)} came."
            )
    if settings.width == c.width:
        return replace(c, **depth, inner=settings.inner or c.inner)
    share = settings.width / c.width
    sizes: dict[str, Any] = {
        "width": settings.width,
        "heads": settings.heads,
        "key_heads": c.key_heads and max(1, settings.heads * c.key_heads // c.heads),
        "head_width": 0,
        "value_width": 0,
        "rotary_width": c.rotary_width and settings.width // settings.heads // 2 * 2,
        "inner": settings.inner or round(c.inner * share),
    }
    return replace(c, **depth, **sizes)


@torch.no_grad()
def inherit(made: Model, teacher: Model) -> None:
    """Take over what has the same name and shape; of layers, every n-th."""
    of, count = depths(teacher), depths(made)
    known = teacher.state()
    for name, tensor in made.state().items():
        theirs = name
        if found := LAYER.match(name):
            stack, layer = found[1], int(found[2])
            at = every(count[stack], of[stack])[layer]
            theirs = f"{stack}.layers.{at}.{name[found.end() :]}"
        if theirs in known:
            part = strongest(known, theirs, made.config.inner)
            if part.shape == tensor.shape:
                tensor.copy_(part)


def strongest(known: Mapping[str, Tensor], name: str, inner: int) -> Tensor:
    """A tensor of the teacher; of a wider feed-forward the numbers inside that weigh most.

    How much one weighs is the size of what goes into it times that of what comes out of it.
    """
    tensor, (place, dot, last) = known[name], name.rpartition("feedforward.")
    into, out = (known.get(f"{place}{dot}{part}.weight") for part in ("hidden", "output"))
    if not dot or last.startswith("norm") or into is None or out is None or inner >= len(into):
        return tensor
    best = (into.norm(dim=1) * out.norm(dim=0)).topk(inner).indices.sort().values
    if last == "output.weight":
        return tensor[:, best]
    return tensor if last == "output.bias" else tensor[best]


def matched(made: Model, teacher: Model) -> Layers:
    """The teacher's layers that the student's are to be like, by stack."""
    of, count = depths(teacher), depths(made)
    return {stack: every(count[stack], of[stack]) for stack in count}


def pupil(made: Model, teacher: Model, settings: Settings) -> nn.Module:
    """The student as it is taught."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        return Pupil(
            made,
            settings.temperature,
            shares(settings),
            whats(settings),
            teacher.config.width,
        )


def whats(settings: Settings) -> tuple[What, ...]:
    """What is to be matched, beside the answers."""
    found: list[What] = ["states"] if settings.match_states else []
    return (*found, "attention") if settings.match_attention else tuple(found)


def asks(settings: Settings) -> bool:
    """Whether the teacher is asked anything at all."""
    return settings.taught > 0 or bool(whats(settings))


def shares(settings: Settings) -> dict[str, float]:
    """How much each term counts in what is learned from."""
    return {
        **dict.fromkeys(HARD, 1 - settings.taught),
        **{TAUGHT(term): settings.taught for term in HARD},
        **{STATES(stack): settings.match_states for stack in STACKS},
        **{ATTENTION(stack): settings.match_attention for stack in STACKS},
    }


def taught(
    made: Model, teacher: Model, settings: Settings, learned: Objective, asked: Objective
) -> Taught:
    """What the student learns, and what its teacher says of it."""
    alike = "each" if made.config.heads == teacher.config.heads else "mean"
    watched = whats(settings)
    asks = Teacher(
        model=teacher,
        temperature=settings.temperature,
        top=settings.top,
        layers=matched(made, teacher) if watched else {},
        whats=watched,
        heads=alike,
    )
    return Taught(learned, asked, asks, settings.seed, settings.rounds)


def check_pieces(made: Model, teacher: Model) -> None:
    """Refuse a student that cuts texts otherwise, where the teacher tells it words."""
    ours, theirs = (each.tokenizer.inner.get_vocab() for each in (made, teacher))
    if ours != theirs:
        raise UsageError(
            f"The student has {len(ours):,} pieces of its own and the teacher {len(theirs):,}; "
            "it can be told classes, but no words. Let it read the teacher's (pieces=teacher)."
        )
