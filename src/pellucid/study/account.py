"""An exact account of a vector: what each head took from each token, and what the rest added.

A Transformer adds. A word's vector is its embedding, plus what each head brought from each token,
plus what each feed-forward network made of it (Elhage et al. 2021, "A Mathematical Framework for
Transformer Circuits"). A norm stands between: gain ⊙ (x − mean) + bias, where the gain holds the
norm's weight over the deviation. Given the deviation that it really had in this run, a norm is
linear, and the parts go through it one by one.

Of several runs at once (two words to compare; the pieces of one word) the weighted sum is
accounted for: parts go through the norms' mean gain, and what the gains' difference makes is a part
of its own, called "norm". So the parts always sum to the whole.

What it does not show: a part is what was *added* here. What a feed-forward network adds depends on
what heads brought before, and what a head brings depends on what its token had become by then.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from pellucid.record.trace import Trace
from pellucid.study.rounding import ROUNDING, rounding

Map = Callable[[Tensor], Tensor]
NOTHING = ROUNDING["float64"]  # of its parts' size: a whole that is all but zero
SUBLAYERS = ("attention", "cross", "feedforward")


@dataclass(frozen=True)
class Part:
    """One thing that was added: at which place of the model, and what.

    A head's part has its number, and the token it was taken from: its index in text `text` (0 or
    1) and stream.
    """

    place: str
    what: str
    head: int | None = None
    token: int | None = None
    text: int = 0
    stream: str = ""

    def to_json(self) -> dict[str, Any]:
        """The part as plain data."""
        return {name: value for name, value in vars(self).items() if value not in (None, "")}


@dataclass(frozen=True)
class Run:
    """A token in a trace, the text it belongs to (0 or 1), and how often its vector counts."""

    trace: Trace
    token: int
    stream: str
    weight: float = 1.0
    text: int = 0
    sentence: int = 0
    known: dict[str, Tensor] = field(default_factory=dict, compare=False)

    def value(self, name: str) -> Tensor:
        """The value of this run's sentence, float64; without an axis of sentences the whole."""
        value = self.trace.value(name, self.known).double()
        return value[self.sentence] if self.trace.node(name).axes.startswith("B") else value

    def row(self, name: str) -> Tensor:
        """The token's row of a value [B T D]."""
        return self.value(name)[self.token]

    def learned(self, name: str) -> Tensor | None:
        """A weight in float64, where the model has it."""
        return self.trace[name].double() if name in self.trace.weights else None

    @property
    def config(self) -> dict[str, Any]:
        """The model's choices."""
        config: dict[str, Any] = self.trace.about["config"]
        return config


@dataclass(frozen=True)
class Linear:
    """A step that is linear in this run: y = apply(x) + offset."""

    apply: Map
    offset: Tensor


@dataclass(frozen=True)
class Account:
    """The parts of a vector. `vectors` [N D] are theirs, float64; they sum to the whole [D].

    `shares` [N] say how far each goes in the whole's direction: they sum to 1. A whole that is no
    larger than `rounding` times its parts is nothing.
    """

    name: str
    parts: tuple[Part, ...]
    vectors: Tensor
    rounding: float

    @property
    def whole(self) -> Tensor:
        """The sum of all parts [D]."""
        return self.vectors.sum(0)

    @property
    def shares(self) -> Tensor:
        """Part · whole / |whole|² [N]; zero where the whole is nothing but rounding."""
        whole = self.whole
        if whole.norm() <= self.rounding * self.vectors.norm():
            return torch.zeros_like(self.vectors[:, 0])
        return self.vectors @ whole / whole.square().sum()

    def by(self, key: Callable[[Part], Any]) -> dict[Any, float]:
        """The shares, summed over parts of the same key, in the order of the road.

        Parts whose key is None are left out.
        """
        sums: dict[Any, float] = {}
        for part, share in zip(self.parts, self.shares.tolist(), strict=True):
            if (group := key(part)) is not None:
                sums[group] = sums.get(group, 0.0) + share
        return sums

    def vectors_by(self, key: Callable[[Part], Any]) -> dict[Any, Tensor]:
        """The vectors [D], summed over parts of the same key, likewise."""
        sums: dict[Any, Tensor] = {}
        for part, vector in zip(self.parts, self.vectors, strict=True):
            if (group := key(part)) is not None:
                sums[group] = sums[group] + vector if group in sums else vector
        return sums

    def to_json(self) -> dict[str, Any]:
        """All parts with their shares, as plain data."""
        pairs = zip(self.parts, self.shares.tolist(), strict=True)
        return {"of": self.name, "parts": [part.to_json() | {"share": s} for part, s in pairs]}


@dataclass
class Ledger:
    """Parts as they are added up on the road through a stack."""

    runs: Sequence[Run]
    parts: dict[Part, Tensor] = field(default_factory=dict)

    def add(self, part: Part, vector: Tensor) -> None:
        """One part more; of equal parts (of a word's several pieces) the sum is kept."""
        self.parts[part] = self.parts[part] + vector if part in self.parts else vector

    def add_all(self, place: str, what: str, name: str) -> None:
        """What each run has under this name."""
        self.add(Part(place, what), sum_of(run.weight * run.row(name) for run in self.runs))

    def through(self, part: Part, steps: Sequence[Linear], inputs: Sequence[Tensor]) -> None:
        """Every part through the mean of the steps; what their difference makes is a part too."""
        total = sum(abs(run.weight) for run in self.runs)

        def middle(x: Tensor) -> Tensor:
            return sum_of(
                abs(run.weight) / total * step.apply(x)
                for run, step in zip(self.runs, steps, strict=True)
            )

        rows = middle(torch.stack(list(self.parts.values())))
        self.parts = dict(zip(self.parts, rows, strict=True))
        rest = sum_of(
            run.weight * (step.apply(x) - middle(x) + step.offset)
            for run, step, x in zip(self.runs, steps, inputs, strict=True)
        )
        self.add(part, rest)

    def close(self, name: str, rounding: float = NOTHING) -> Account:
        """The account; what is nothing at all is left out, but for the embedding."""
        embedded = {part for part in self.parts if part.place.endswith("embed")}
        kept = {part: row for part, row in self.parts.items() if part in embedded or row.any()}
        return Account(name, tuple(kept), torch.stack(list(kept.values())), rounding)


@torch.no_grad()
def account(runs: Sequence[Run], stack: str) -> Account:
    """The parts of the weighted sum of these tokens' last vectors."""
    rounded = max(rounding(run.trace) for run in runs)
    return travelled(runs, stack).close(f"{stack}.output", rounded)


def travelled(runs: Sequence[Run], stack: str) -> Ledger:
    """The parts at the end of the road through a stack, its last norm included."""
    ledger, config = Ledger(runs), runs[0].config
    depth = (config["decoder_layers"] if stack == "decoder" else 0) or config["layers"]
    _embed(ledger, {"source": "source.", "target": "target."}.get(runs[0].stream, ""))
    for layer in range(depth):
        for sublayer in SUBLAYERS:
            _sublayer(ledger, f"{stack}.{layer}.{sublayer}")
    add_norm(ledger, f"{stack}.norm", f"{stack}.norm.input")
    return ledger


def _embed(ledger: Ledger, prefix: str) -> None:
    """The embedding's summands, its norm, and where it is narrow its projection."""
    place, trace = f"{prefix}embed", ledger.runs[0].trace
    for name in trace.node(f"{place}.sum").parents:
        ledger.add_all(place, name.rpartition(".")[2], name)
    add_norm(ledger, f"{place}.norm", f"{place}.sum")
    if f"{place}.projection" in trace:
        steps = [matrix(run, f"{place}.projection") for run in ledger.runs]
        inputs = [run.row(f"{place}.reduced") for run in ledger.runs]
        ledger.through(Part(place, "projection"), steps, inputs)


def _sublayer(ledger: Ledger, place: str) -> None:
    trace, config = ledger.runs[0].trace, ledger.runs[0].config
    if f"{place}.output" not in trace:
        return
    residual = f"{place}.residual" in trace
    if not residual:
        ledger.parts = {}
    if f"{place}.weights" in trace:
        for run in ledger.runs:
            _heads(ledger, run, place)
        _bias(ledger, place)
    else:
        ledger.add_all(place, "output", f"{place}.output")
    if config["place"] == "post":
        add_norm(ledger, f"{place}.norm", f"{place}.{'residual' if residual else 'output'}")


def _heads(ledger: Ledger, run: Run, place: str) -> None:
    """What each head took from each token: weight · v W_O, of its own columns of W_O."""
    crossing = place.endswith(".cross")
    stream = "source" if crossing else run.stream
    brought = contributions(run, place)
    for head, of_tokens in enumerate(brought):
        for token in range(len(run.trace.texts[stream][run.sentence])):
            part = Part(place, "head", head, token, run.text, stream)
            ledger.add(part, run.weight * of_tokens[token])


def contributions(run: Run, place: str) -> Tensor:
    """What each head brought this token from each other, [H S D]."""
    weights = run.value(f"{place}.weights")[:, run.token]
    v = run.value(f"{place}.v")
    v = v.repeat_interleave(len(weights) // len(v), dim=0)
    output = run.learned(f"{place}.output.weight")
    if output is None:
        output = torch.eye(v.shape[0] * v.shape[-1], dtype=v.dtype)
    per_head = output.unflatten(1, (len(weights), -1)).transpose(0, 1)
    mixed = weights[:, :, None] * v
    return mixed @ per_head.transpose(1, 2)


def _bias(ledger: Ledger, place: str) -> None:
    biases = [run.learned(f"{place}.output.bias") for run in ledger.runs]
    pairs = zip(ledger.runs, biases, strict=True)
    if found := [run.weight * bias for run, bias in pairs if bias is not None]:
        ledger.add(Part(place, "bias"), sum_of(found))


def add_norm(ledger: Ledger, place: str, taken: str) -> None:
    if f"{place}.output" not in ledger.runs[0].trace:
        return
    steps = [norm(run, place) for run in ledger.runs]
    ledger.through(Part(place, "norm"), steps, [run.row(taken) for run in ledger.runs])


def norm(run: Run, place: str) -> Linear:
    """A norm as the linear step it was for this token: its deviation is what it was."""
    spread, gain = run.value(f"{place}.deviation"), run.learned(f"{place}.weight")
    by_token = run.trace.node(f"{place}.deviation").axes.startswith("B")
    scale = (gain if gain is not None else 1.0) / (spread[run.token] if by_token else spread)
    shift = run.learned(f"{place}.bias")
    offset = shift if shift is not None else torch.zeros_like(scale)
    if f"{place}.mean" not in run.trace:  # RMS norm
        return Linear(lambda x: scale * x, offset)
    if not by_token:  # batch norm: its mean is a constant
        return Linear(lambda x: scale * x, offset - scale * run.value(f"{place}.mean"))
    return Linear(lambda x: scale * (x - x.mean(-1, keepdim=True)), offset)


def matrix(run: Run, place: str, rows: slice = slice(None)) -> Linear:
    """x Wᵀ + b, or some rows of W and b."""
    weight, bias = run.learned(f"{place}.weight"), run.learned(f"{place}.bias")
    assert weight is not None
    offset = bias[rows] if bias is not None else weight.new_zeros(len(weight[rows]))
    return Linear(lambda x: x @ weight[rows].T, offset)


def sum_of(vectors: Iterable[Tensor]) -> Tensor:
    """The sum of at least one vector."""
    first, *rest = vectors
    for vector in rest:
        first = first + vector
    return first
