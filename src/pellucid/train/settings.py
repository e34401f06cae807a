"""The settings of a training: each with a good default, each a flag, all in one TOML file."""

import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pellucid.errors import UsageError
from pellucid.nn.config import Activation, Norm, Positions
from pellucid.train.schedule import Schedule, Shape

TaskName = Literal["classify", "generate", "translate", "bert"]
Pieces = Literal["bpe", "wordpiece", "unigram", "words", "characters"]  # text.kinds.KindName
Convention = Literal["torch", "fairseq", "annotated"]  # of label smoothing, see loss.py

# the numbers that a setting may be, in words
ANY, COUNT, POSITIVE = "0 or more", "1 or more", "more than 0"
SHARE, UP_TO_ALL = "0 or more, and less than 1", "0 to 1"
SEED = "0 or more, and less than 2 ** 63"  # as torch draws
RANGES: Mapping[str, Callable[[float], bool]] = {
    ANY: lambda x: x >= 0,
    COUNT: lambda x: x >= 1,
    POSITIVE: lambda x: x > 0,
    SHARE: lambda x: 0 <= x < 1,
    UP_TO_ALL: lambda x: 0 <= x <= 1,
    SEED: lambda x: 0 <= x < 2**63,
}
TWO_TEXTS = 5  # a piece of each, and the three around them


def setting(default: Any, section: str, help: str, within: str = ANY) -> Any:
    """A setting: the part of the file it stands in, what it means, and of a number its range."""
    return field(default=default, metadata={"section": section, "help": help, "within": within})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything that can be chosen. Zero means "as usual", or "not wanted"."""

    task: TaskName = setting("classify", "", "what is learned")
    seed: int = setting(0, "", "of everything that is left to chance", SEED)
    start: str = setting("", "model", "the checkpoint to begin with; else from scratch")

    # the model, where it is made from scratch
    width: int = setting(128, "model", "numbers in a token's vector", COUNT)
    layers: int = setting(2, "model", "blocks, of an encoder-decoder in each half", COUNT)
    heads: int = setting(4, "model", "attention heads of a block", COUNT)
    inner: int = setting(0, "model", "width inside the feed-forward; 0 is four times the width")
    longest: int = setting(256, "model", "tokens of the longest text", COUNT)
    positions: Positions = setting("learned", "model", "how tokens know where they stand")
    norm: Norm = setting("layer", "model", "layer norm, or another to compare")
    place: Literal["pre", "post"] = setting("pre", "model", "norm before a sub-layer or after it")
    activation: Activation = setting("gelu", "model", "of the feed-forward")
    init: Literal["gpt2", "xavier"] = setting("gpt2", "model", "how weights are drawn")
    tokenizer: Pieces = setting("bpe", "model", "what texts are cut into")
    vocabulary: int = setting(8000, "model", "pieces of the tokenizer at most", COUNT)
    dropout: float = setting(
        0.1, "model", "share of numbers that is dropped while it learns", SHARE
    )
    attention_dropout: float = setting(0.0, "model", "share of attention weights dropped", SHARE)
    pooling: Literal["pooled", "first", "mean", "last"] = setting(
        "mean", "model", "the vector of a text that its class is told from"
    )

    # the data
    held_out: float = setting(0.1, "data", "share measured on, where no --valid is given", SHARE)
    too_long: Literal["refuse", "cut"] = setting("refuse", "data", "what to do at a long text")
    documents: Literal["apart", "joined"] = setting(
        "apart", "data", "whether texts that share a block of a language model see each other"
    )
    masked: float = setting(0.15, "data", "share of words that is to be filled in", UP_TO_ALL)

    # batches
    tokens: int = setting(4096, "batches", "tokens of a step, padding included")
    rows: int = setting(0, "batches", "or examples of a step")
    accumulate: int = setting(1, "batches", "micro-batches that a step is cut into", COUNT)
    window: int = setting(4096, "batches", "examples that are sorted by length together", COUNT)

    # learning
    epochs: float = setting(10.0, "learning", "times that all examples are seen", POSITIVE)
    steps: int = setting(0, "learning", "or optimizer steps")
    rate: float = setting(1e-3, "learning", "highest learning rate")
    least: float = setting(0.0, "learning", "learning rate at the end")
    schedule: Shape = setting("linear", "learning", "how the rate falls")
    warmup: int = setting(100, "learning", "steps in which the rate rises")
    decay: float = setting(0.01, "learning", "weight decay of matrices, none of norms and biases")
    beta1: float = setting(0.9, "learning", "AdamW's first", SHARE)
    beta2: float = setting(0.98, "learning", "AdamW's second", SHARE)
    clip: float = setting(1.0, "learning", "largest norm of the gradient; 0 is any")
    hidden: float = setting(
        0.0, "learning", "share of a classified text's words hidden from it", SHARE
    )
    merge_dropout: float = setting(
        0.0,
        "learning",
        "share of a translation's pieces that fall into those they were merged of",
        SHARE,
    )
    r_drop: float = setting(
        0.0, "learning", "weight of two looks at a text, under different dropout, being alike"
    )
    smoothing: float = setting(0.0, "learning", "label smoothing", SHARE)
    convention: Convention = setting("torch", "learning", "who gets the smoothed share")
    freeze: int = setting(0, "learning", "lowest layers that stay as they are")
    layer_rate: float = setting(1.0, "learning", "rate of a layer to that of the one above it")

    # the teacher
    teacher: str = setting("", "teacher", "the model it learns from beside the data, if any")
    pieces: Literal["teacher", "seen", "own"] = setting(
        "teacher", "teacher", "what it reads: the teacher's pieces, those of them seen, or its own"
    )
    begin: Literal["layers", "chance"] = setting(
        "layers", "teacher", "as every n-th layer of the teacher where that is as wide, or drawn"
    )
    taught: float = setting(
        0.5, "teacher", "share of the loss that is the teacher's word", UP_TO_ALL
    )
    temperature: float = setting(
        2.0, "teacher", "logits are divided by it; more is softer", POSITIVE
    )
    top: int = setting(32, "teacher", "likeliest words that are told one by one; 0 is all")
    match_states: float = setting(0.0, "teacher", "weight of layers' vectors being alike")
    match_attention: float = setting(0.0, "teacher", "weight of looking where the teacher looks")
    rounds: int = setting(
        1, "teacher", "epochs with masks and blocks of their own, then again", COUNT
    )

    # the run
    precision: Literal["float32", "bfloat16"] = setting("float32", "run", "of products")
    compile: Literal["none", "blocks"] = setting("none", "run", "torch.compile")
    workers: int = setting(0, "run", "threads that prepare batches ahead")
    measure: int = setting(0, "run", "steps between measurements; 0 is an epoch")
    save: int = setting(0, "run", "steps between checkpoints; 0 is a minute")
    keep: Literal["best", "last", "average"] = setting("best", "run", "the weights that are kept")
    average: int = setting(5, "run", "measured weights that are averaged", COUNT)
    patience: int = setting(0, "run", "measurements without gain until it stops; 0 is never")

    def __post_init__(self) -> None:
        for each in fields(self):
            check(each.name, getattr(self, each.name), each.type, each.metadata["within"])
        if self.least > self.rate:
            raise UsageError(
                f"The rate cannot fall from {self.rate:g} to {self.least:g}; swap them."
            )
        if self.task == "bert" and self.longest < TWO_TEXTS:
            raise UsageError(
                f"longest is {self.longest}; bert reads two texts at once, which are {TWO_TEXTS} "
                "tokens or more."
            )
        if self.r_drop and not self.dropout and not self.attention_dropout:
            raise UsageError(
                f"r_drop is {self.r_drop:g}, but without dropout two looks at a text are the same; "
                "give a dropout, or leave r_drop out."
            )

    def plan(self, steps: int) -> Schedule:
        """The learning rate of every step."""
        return Schedule(
            shape=self.schedule,
            rate=self.rate,
            steps=steps,
            warmup=min(self.warmup, steps // 2),
            least=self.least,
        )

    def differences(self, other: "Settings") -> list[tuple[str, str]]:
        """What is not the same, and its section: "rate was 0.001, is 0.01", "learning"."""
        pairs = [
            (each, getattr(self, each.name), getattr(other, each.name)) for each in fields(self)
        ]
        return [
            (f"{each.name} was {was!r}, is {now!r}", each.metadata["section"])
            for each, was, now in pairs
            if was != now
        ]

    def to_toml(self) -> str:
        """As a file: sections of name = value, each with what it means."""
        lines: list[str] = []
        for section in dict.fromkeys(each.metadata["section"] for each in fields(self)):
            lines += ["", f"[{section}]"] if section else []
            for each in fields(self):
                if each.metadata["section"] == section:
                    value = toml(getattr(self, each.name))
                    lines.append(f"{each.name} = {value}  # {each.metadata['help']}")
        return "\n".join(lines) + "\n"


def read_toml(path: Path) -> dict[str, Any]:
    """What a file says."""
    try:
        return tomllib.loads(path.read_text("utf-8-sig"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read as settings ({error}).") from error


USUAL: dict[str, dict[str, Any]] = {
    "classify": {"rows": 32},
    "generate": {
        "layers": 4, "decay": 0.1, "beta2": 0.99, "schedule": "cosine", "least": 1e-4,
        "tokens": 2048, "vocabulary": 4000,
    },
    "translate": {
        "layers": 4, "inner": 256, "tokens": 2048, "schedule": "cosine", "rate": 3e-3,
        "warmup": 500, "smoothing": 0.1, "keep": "average", "epochs": 20.0,
    },
    "bert": {"layers": 4, "longest": 128, "tokenizer": "wordpiece", "warmup": 500},
}  # fmt: skip
TUNED = {  # where a model that has learned already goes on
    "rate": 1e-4, "rows": 32, "epochs": 4.0, "layer_rate": 0.9, "beta2": 0.999,
}  # fmt: skip


def usual(**said: Any) -> Settings:
    """Settings as usual for a task, but for what is said."""
    said = {name: str(v) if isinstance(v, Path) else v for name, v in said.items()}
    known = {each.name: each for each in fields(Settings)}
    if unknown := sorted(said.keys() - known.keys()):
        near = get_close_matches(unknown[0], known, n=1)
        hint = f"; did you mean {near[0]}?" if near else "."
        raise UsageError(f"There is no setting {unknown[0]!r}{hint}")
    for name, value in said.items():
        check(name, value, known[name].type, known[name].metadata["within"])
    task = said.get("task", "classify")
    plain = {**USUAL[task], **(TUNED if said.get("start") else {})}
    if said.get("start"):
        check_made(task, said, plain)
    chosen = {**plain, **instead(said), **said}
    if "least" not in said and chosen.get("least", 0.0) > chosen.get("rate", 1.0):
        chosen["least"] = 0.0
    return Settings(**chosen)


INSTEAD = {"tokens": "rows", "epochs": "steps"}  # where there is the second, the first is not heard


def instead(said: Mapping[str, Any]) -> dict[str, int]:
    """What has to be nothing, so that what is said is heard."""
    return {other: 0 for name, other in INSTEAD.items() if name in said and other not in said}


# what a model that has learned already has, and cannot get any more
MADE = (
    "width", "layers", "heads", "inner", "positions", "norm", "place", "activation", "init",
    "tokenizer", "vocabulary",
)  # fmt: skip


def made(task: TaskName) -> tuple[str, ...]:
    """The same for a task; a language model may learn from blocks that are shorter."""
    return MADE if task == "generate" else (*MADE, "longest")


def check_made(task: TaskName, said: Mapping[str, Any], plain: Mapping[str, Any]) -> None:
    """Refuse what would not be heard."""
    known = {**{each.name: each.default for each in fields(Settings)}, **plain}
    for name in made(task):
        if said.get(name, known[name]) != known[name]:
            raise UsageError(f"{name} is as in {said['start']}, where it begins; leave it out.")


FLAGS = {"start": "--from"}  # where a flag is called otherwise


def flag_of(name: str) -> str:
    """What a setting is called on the command line."""
    return FLAGS.get(name, f"--{name.replace('_', '-')}")


NUMBERS = {int: "a whole number", float: "a number"}


def check(name: str, value: Any, kind: Any, within: str = ANY) -> Any:
    """The value, if it is one of the choices, or a number of the right kind and range."""
    if kind is str and not isinstance(value, str):
        raise UsageError(f"{name} is {value!r}; expected is a name.")
    choices = get_args(kind) if get_origin(kind) is Literal else ()
    if choices and value not in choices:
        raise UsageError(f"{name} is {value!r}; the choices are {', '.join(choices)}.")
    if kind in NUMBERS:
        odd = isinstance(value, bool) or not isinstance(value, (int, kind))
        if odd or value == float("inf") or not RANGES[within](value):
            raise UsageError(f"{name} is {value!r}; expected is {NUMBERS[kind]}, {within}.")
    return value


def toml(value: Any) -> str:
    """A value as TOML writes it: JSON's strings, numbers and lists are its own."""
    return json.dumps(value, ensure_ascii=False)
