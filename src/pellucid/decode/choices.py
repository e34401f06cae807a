"""The choices of a generation, each with a name; what makes no sense together is refused."""

import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from pellucid.decode.length import Penalty, Stopping
from pellucid.decode.rules import Scope
from pellucid.errors import UsageError

Precision = Literal["float32", "bf16", "int8"]
Words = str | Collection[str]

# what only sampling heeds, and where it says nothing
DRAWING = {
    "seed": None,
    "temperature": 1.0,
    "top_k": 0,
    "top_p": 1.0,
    "min_p": 0.0,
    "typical": 1.0,
}


@dataclass(frozen=True, kw_only=True)
class Choices:
    """How an answer is found. Zero means no limit, or that a rule is not there.

    With `pick="likeliest"` and one beam the search is greedy; with more it is a beam search; with
    `pick="sample"` it draws `best` answers. What is not chosen is as the checkpoint says, else as
    it stands here.
    """

    pick: Literal["likeliest", "sample"] = "likeliest"
    best: int = 1  # answers to give
    max_new_tokens: int = 0  # zero: as many as the model's positions reach
    min_new_tokens: int = 0
    stop: Words = ()  # an answer ends before one of these
    batch: int = 16  # texts side by side

    # beam search
    beams: int = 1
    penalty: Penalty = "mean"  # how the length counts, see `length.py`
    length_penalty: float = 1.0  # its exponent
    stopping: Stopping = "exact"
    groups: int = 1  # diverse beams
    diversity: float = 0.0
    must: Words = ()  # words that every answer contains

    # sampling
    seed: int | None = None
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    typical: float = 1.0

    # rules
    repetition: float = 1.0
    no_repeat: int = 0  # the length of runs that may not come twice
    scope: Scope = "all"  # where something was said that shall not be said again
    forbid: Words = ()
    forced: Mapping[int, int] = field(default_factory=dict)  # step → id
    prefix: str = ""  # how every answer begins

    # how it is computed
    precision: Precision = "float32"
    compiled: Literal["never", "where it pays", "always"] = "where it pays"

    @classmethod
    def of(cls, given: Mapping[str, Any], said: Mapping[str, Any]) -> "Choices":
        """What was given, over what the checkpoint says."""
        known = {field.name: field.type for field in fields(cls)}
        for name in given:
            if name not in known:
                near = get_close_matches(name, known, n=1)
                hint = (
                    f"did you mean {near[0]}?" if near else f"known are {', '.join(sorted(known))}."
                )
                raise UsageError(f"There is no choice {name!r}; {hint}")
        for name, value in (*said.items(), *given.items()):
            _check_kind(name, value, known[name])
        return cls(**{**_usable(given, said), **given})

    def words(self, name: str) -> list[str]:
        """One word, or several."""
        value: Words = getattr(self, name)
        return [value] if isinstance(value, str) else list(value)

    @property
    def samples(self) -> int:
        """How many answers are drawn."""
        return self.best if self.pick == "sample" else 0

    def __post_init__(self) -> None:
        for each in fields(self):
            _check_kind(each.name, getattr(self, each.name), each.type)
        for name, (low, high, meaning) in RANGES.items():
            value = getattr(self, name)
            if value is not None and not low <= value <= high:
                raise UsageError(f"{name} is {value}; expected is {meaning}.")
        for wrong, sentence in (*self._contradictions(), *self._unheard()):
            if wrong:
                raise UsageError(sentence)

    def _contradictions(self) -> list[tuple[bool, str]]:
        sampled, searched = self.pick == "sample", self.beams > 1
        return [
            (sampled and searched, "Beams are searched, not drawn; choose beams or pick='sample'."),
            (
                not sampled and self.best > self.beams,
                f"{self.best} answers need as many beams (beams={self.best}), or pick='sample'.",
            ),
            (
                self.beams % self.groups != 0,
                f"{self.beams} beams cannot be cut into {self.groups} equal groups.",
            ),
            (
                self.groups > 1 and not self.diversity and self.best > self.beams // self.groups,
                f"Groups without diversity find the same {self.beams // self.groups}; set "
                f"diversity, or leave groups out, for {self.best} answers.",
            ),
            (
                bool(self.must) and self.groups > 1,
                "Words that must come and groups do not go together; choose one.",
            ),
            (
                0 < self.max_new_tokens < self.min_new_tokens,
                f"At least {self.min_new_tokens} and at most {self.max_new_tokens} tokens "
                "cannot both hold.",
            ),
            ("" in self.words("stop"), "A stop string is empty; it would stop at once."),
        ]

    def _unheard(self) -> list[tuple[bool, str]]:
        drawing = [name for name, usual in DRAWING.items() if getattr(self, name) != usual]
        sampled, searched = self.pick == "sample", self.beams > 1
        return [
            (
                bool(drawing) and not sampled,
                f"Only sampling heeds {', '.join(drawing)}; add pick='sample' (--sample).",
            ),
            (bool(self.must) and not searched, "Words that must come need beams=2 or more."),
            (self.diversity > 0 and self.groups == 1, "Diversity is between groups; set groups."),
            (
                self.stopping != "exact" and not searched,
                "When to stop is for beams to heed; set beams=2 or more, or leave stopping out.",
            ),
            (
                self.scope != "all" and self.repetition == 1 and not self.no_repeat,
                "The scope is that of a rule; set repetition or no_repeat.",
            ),
        ]


# what a choice of a kind may be, and how a person says that
KINDS: dict[Any, tuple[tuple[Any, ...], str]] = {
    int: ((int,), "a number"),
    int | None: ((int, NoneType), "a number"),
    float: ((int, float), "a number"),
    str: ((str,), "a text"),
    Words: ((str, Collection), "a text, or several"),
    Mapping[int, int]: ((Mapping,), "a token for each step: {0: 5}"),
}
MANY = float("inf")
RANGES: dict[str, tuple[float, float, str]] = {
    "best": (1, 1e6, "from 1 to 1000000"),
    "beams": (1, 1000, "from 1 to 1000"),
    "groups": (1, MANY, "1 or more"),
    "batch": (1, 1e6, "from 1 to 1000000"),
    "max_new_tokens": (0, MANY, "0 or more"),
    "min_new_tokens": (0, MANY, "0 or more"),
    "length_penalty": (-100, 100, "a number from −100 to 100"),
    "diversity": (0, 1e6, "0 or more"),
    "seed": (0, 2**63 - 1, "0 or more, and less than 2 ** 63"),  # as torch draws
    "temperature": (1e-4, 1e6, "more than 0 (for the likeliest token pick='likeliest')"),
    "top_k": (0, MANY, "0 or more"),
    "top_p": (1e-9, 1, "more than 0, at most 1"),
    "min_p": (0, 1, "from 0 to 1"),
    "typical": (1e-9, 1, "more than 0, at most 1"),
    "repetition": (1, 1e6, "1 or more"),
    "no_repeat": (0, MANY, "0 or more"),
}


def _check_kind(name: str, value: Any, kind: Any) -> None:
    choices = get_args(kind) if get_origin(kind) is Literal else ()
    if choices and value not in choices:
        raise UsageError(f"{name} is {value!r}; the choices are {', '.join(map(repr, choices))}.")
    if choices:
        return
    allowed, meaning = KINDS[kind]
    if isinstance(value, bool) or not isinstance(value, allowed):
        raise UsageError(f"{name} is {value!r}; expected is {meaning}.")


def _usable(given: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """What the checkpoint says, less what does not go with what was given."""
    usable = dict(said)
    if given.get("beams", 1) > 1:
        usable.pop("pick", None)
    if given.get("pick", usable.get("pick")) == "sample":
        _name_beams(given, said)
        usable = {name: v for name, v in usable.items() if name not in BEAMS}
    else:
        usable = {name: v for name, v in usable.items() if name not in DRAWING}
    if "beams" in given:
        usable = {
            name: v for name, v in usable.items() if name not in ("best", "groups", "diversity")
        }
    if given.get("beams", usable.get("beams", 1)) == 1:
        usable.pop("stopping", None)
    return usable


def _name_beams(given: Mapping[str, Any], said: Mapping[str, Any]) -> None:
    """What the checkpoint says and cannot be followed is named, where nobody chose otherwise."""
    if said.get("beams", 1) > 1 and not {"pick", "beams"} & given.keys():
        warnings.warn(
            f"The checkpoint asks for sampling and for {said['beams']} beams; it is sampled, "
            "without beams. Choose beams, or pick='sample'.",
            stacklevel=2,
        )


BEAMS = ("beams", "groups", "diversity", "stopping", "length_penalty")
