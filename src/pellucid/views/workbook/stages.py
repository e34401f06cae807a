"""Stages: which sheet a value stands on, and what that sheet shows."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import count

from pellucid.views.workbook.names import layered

LONGEST = 31  # characters in the name of a sheet

# values that stand with others; any other has a sheet of its own name
SHEETS = {
    **dict.fromkeys("query key value query_heads key_heads q k v places".split(), "q k v"),
    **dict.fromkeys("input stream".split(), "input"),
    **dict.fromkeys("allowed masked real".split(), "mask"),
    **dict.fromkeys("output residual dropped".split(), "output"),
    "bias": "position bias",
}
PARTS = [  # of a name without its stack and layer; the first that fits is taken
    (r"tokens\..*", "pieces"),
    (r"(embed\.)?(rows|positions)", "positions"),
    (r"embed\..*", "embedding"),
    (r"waves\..*", "waves"),
    (r"positions\..*", "position bias"),
    (r"(attention|cross)\.norm\..*", "{} norm"),
    (r"feedforward\.norm\..*", "feed-forward norm"),
    (r"feedforward\..*", "feed-forward"),
    (r"norm\..*", "last norm"),
    (r"head\..*", "logits"),
    (r"(pooler|next_sentence|classes|classifier)\..*", "{}"),
]
SHOWN = {
    "pieces": "the text as the model reads it: ids, which of them are real, their positions",
    "positions": "where each token stands, as a vector",
    "embedding": "each token's vector: its word, its position, its segment, added up",
    "position bias": "a number for each distance between two tokens",
    "input": "what this layer is given",
    "q k v": "queries (what a token asks), keys (what it is found by), values (what it gives)",
    "scores": "how well each query fits each key: q kᵀ",
    "scaled": "scores / √d, so that wide heads do not saturate the softmax",
    "biased": "scores with the bias of their distance",
    "mask": "who may see whom; what is hidden is −∞",
    "weights": "the softmax of each row: shares that add up to 1",
    "mixed": "the values, mixed by these shares",
    "merged": "the heads side by side again",
    "output": "what the sub-layer puts out, and the stream it is added to",
    "norm": "each row without its mean, over its deviation, rescaled",
    "feed-forward": "each position alone, through a wider layer and back",
    "logits": "a score for each word, and the shares of their softmax",
    "search": "each candidate's sum is the sum before it and its own value; "
    "an answer's score is its sum over a divisor",
    "next word": "the likeliest next words after the last position",
    "waves": "slope is quarter_turn: sine and cosine are each other's; "
    "moved_wave is turned_wave: a shift is a rotation. Change frequency or back.",
}


@dataclass(frozen=True)
class Stage:
    """A value's sheet: the stack and the layer it belongs to, and what it is about."""

    stack: str
    layer: str
    about: str

    @property
    def shows(self) -> str:
        """What can be seen there, in a few words."""
        return SHOWN.get(self.about) or SHOWN.get(self.about.rpartition(" ")[2], self.about)


def stage(name: str) -> Stage:
    """The stage of a value."""
    stack, layer, rest = layered(name)
    return Stage(stack, layer, _about(rest))


def _about(rest: str) -> str:
    for pattern, about in PARTS:
        if found := re.fullmatch(pattern, rest):
            return about.format(*found.groups(default=""))
    place, _, local = rest.rpartition(".")
    about = SHEETS.get(local, local)
    return f"{place} {about}" if place == "cross" else about


def titles(stages: Iterable[Stage]) -> dict[Stage, str]:
    """A name for each sheet: with its stack and its layer where there are several."""
    found = list(dict.fromkeys(stages))
    stacks = {each.stack for each in found if each.layer}
    layers = {(each.stack, each.layer) for each in found if each.layer}
    return {
        each: _title(each, many_stacks=len(stacks) > 1, many_layers=len(layers) > 1)
        for each in found
    }


def _title(stage: Stage, *, many_stacks: bool, many_layers: bool) -> str:
    stack = stage.stack if many_stacks or stage.stack in ("source", "target") else ""
    layer = stage.layer if many_layers else ""
    return " ".join(part for part in (stack, layer, stage.about) if part)


def fitting(title: str, taken: Collection[str]) -> str:
    """The title as a sheet may have it: of 31 characters, and no other sheet's."""
    others = {each.lower() for each in taken}
    tries = (title if number == 1 else f"{number} {title}" for number in count(1))
    return next(cut for each in tries if (cut := each[:LONGEST]).lower() not in others)
