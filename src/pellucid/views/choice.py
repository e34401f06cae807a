"""What to show: a layer and a head, and the matrices that belong to them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from pellucid.errors import UsageError
from pellucid.record.trace import Trace
from pellucid.views.labels import label

# operations whose result keeps the columns of one operand, and which operand that is
SAME_COLUMNS = {"same": 0, "add": 0, "split_heads": 0, "merge_heads": 0, "product": -1}
IN_ROWS = (
    "embed.words",
    "embed.sum",
    ".input",
    ".stream",
    ".output",
)  # here a model's features have names


@dataclass(frozen=True)
class Choice:
    """One layer and one head of it."""

    layer: int
    head: int


def choose(config: Mapping[str, Any], layer: int | None, head: int | None) -> Choice:
    """The choice, checked; without one the last layer (of a decoder its own) and head 0."""
    layers = depths(config)
    return Choice(
        _within("layer", max(layers), layer, layers[-1] - 1),
        _within("head", config["heads"], head, 0),
    )


def depths(config: Mapping[str, Any]) -> tuple[int, ...]:
    """How many layers each stack has: an encoder and a decoder may differ."""
    layers: int = config["layers"]
    decoder: int = config.get("decoder_layers", 0) or layers
    return (layers, decoder) if config["shape"] == "encoder-decoder" else (layers,)


def _within(what: str, count: int, given: int | None, usual: int) -> int:
    if given is None:
        return usual
    if not 0 <= given < count:
        counted = f"{count} {what}s, 0 to {count - 1}" if count > 1 else f"one {what}, 0"
        raise UsageError(f"This model has {counted}; there is no {what} {given}.")
    return given


def in_layer(trace: Trace, layer: int) -> list[str]:
    """The names of a layer, of the encoder's before the decoder's."""
    return trace.names(f"encoder.{layer}.*") + trace.names(f"decoder.{layer}.*")


def per_head(trace: Trace, name: str) -> bool:
    """Whether each head has its own."""
    return bool({"H", "G"} & set(trace.node(name).axes.split()))


def head_of(trace: Trace, head: int, count: int) -> int:
    """Where a head is found among `count`: grouped heads share their keys and values."""
    heads: int = trace.about["config"]["heads"]
    return head * count // heads


@dataclass(frozen=True)
class Matrix:
    """Numbers, with words for their rows and columns."""

    rows: list[str]
    columns: list[str]
    numbers: list[list[float]]


@dataclass(frozen=True)
class Look:
    """One head's values in one sentence of a trace; padding is left out."""

    trace: Trace
    head: int
    sentence: int = 0
    known: dict[str, Tensor] = field(default_factory=dict)

    def value(self, name: str) -> Tensor | None:
        """The whole value; None where the record lacks what it is made of."""
        try:
            return self.trace.value(name, self.known)
        except UsageError:
            return None

    def matrix(self, name: str) -> Matrix | None:
        """The value as rows and columns."""
        if (value := self.value(name)) is None:
            return None
        axes = self.trace.node(name).axes.split()
        sized = list(zip(axes, value.shape, strict=True))
        place = tuple(self._pick(name, axis, size) for axis, size in sized)
        rows, columns = (self._words(name, axis, size) for axis, size in sized[-2:])
        return Matrix(rows, columns, value[place].tolist())

    def _pick(self, name: str, axis: str, size: int) -> int | slice:
        if axis == "B":
            return min(self.sentence, size - 1)
        if axis in "HG":
            return head_of(self.trace, self.head, size)
        tokens = self.trace.tokens(name, axis, self.sentence)
        return slice(None) if tokens is None else slice(len(tokens))

    def _words(self, name: str, axis: str, size: int) -> list[str]:
        tokens = self.trace.tokens(name, axis, self.sentence)
        if tokens is not None:
            return [label(text) for text in tokens.labels()]
        names = self.features(name)
        return names if len(names) == size else [str(at) for at in range(size)]

    def features(self, name: str) -> list[str]:
        """Names of the columns, where they have kept them: W_Q makes new columns."""
        names: list[str] = self.trace.about.get("features", [])
        if not names or name.endswith(IN_ROWS):
            return names
        formula = self.trace.node(name).formula
        if formula is None or formula.operation.name not in SAME_COLUMNS:
            return []
        names = self.features(formula.parents[SAME_COLUMNS[formula.operation.name]])
        if formula.operation.name == "split_heads":
            width = len(names) // formula.settings["heads"]
            return names[self.head * width :][:width]
        return names
