"""The trace: every number of a run, by name; what was not kept follows from what was."""

import warnings
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor

from pellucid.errors import PellucidError, UsageError
from pellucid.formula import Formula
from pellucid.record.answers import Answers, answer, follows
from pellucid.record.explain import Cell, Explanation, explain
from pellucid.record.files import Existing
from pellucid.record.node import Node, sort
from pellucid.record.recorder import Recorder
from pellucid.record.shown import Framed
from pellucid.record.store import Wish, read, save
from pellucid.record.streams import stream_of
from pellucid.record.tokens import Tokens
from pellucid.record.tree import Tree, grow
from pellucid.record.verify import Verification, verify

Kind = Literal["recorded", "derived", "edited", "weight", "missing"]

PRECISIONS = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


class Trace(Mapping[str, Tensor], Framed):
    """A graph of named values. `trace["encoder.3.attention.weights"]` is a tensor, [B H T S].

    Recorded values are the run's own tensors; the others are computed from them when asked for,
    in the model's precision. `texts` has the tokens of each stream ("tokens", or "source" and
    "target"), one entry a sentence; `about` says which model it was.
    """

    def __init__(
        self,
        nodes: Mapping[str, Node],
        held: Mapping[str, Tensor],
        weights: Mapping[str, Tensor],
        texts: Mapping[str, list[Tokens]],
        about: Mapping[str, Any],
    ) -> None:
        self._heard, self.held, self.weights = dict(nodes), dict(held), dict(weights)
        self.texts, self.about = dict(texts), dict(about)
        self._versions = {name: _version(weight) for name, weight in self.weights.items()}
        self.piece: Callable[[int], str] | None = None

    @classmethod
    def of(
        cls,
        recorder: Recorder,
        texts: Mapping[str, list[Tokens]],
        about: Mapping[str, Any],
        piece: Callable[[int], str] | None = None,
    ) -> "Trace":
        """What a recorder has heard; `piece` turns an id into the word of an answer."""
        trace = cls(recorder.nodes, recorder.held, recorder.weights(), texts, about)
        trace.piece = piece
        return trace

    def include(self, node: Node, value: Tensor | None = None) -> None:
        """One more value: recorded, or one that follows by its formula."""
        self._heard[node.name] = node
        self.__dict__.pop("nodes", None)  # put in order anew
        self.__dict__.pop("_shapes", None)
        if value is not None:
            self.held[node.name] = value

    def __iter__(self) -> Iterator[str]:
        return iter(self.nodes)

    def __len__(self) -> int:
        return len(self.nodes)

    def __contains__(self, name: object) -> bool:
        return name in self.nodes or name in self.weights

    @cached_property
    def nodes(self) -> dict[str, Node]:
        """The graph, each value after what it is made from; put in order when first needed."""
        return sort(self._heard)

    @torch.no_grad()
    def __getitem__(self, name: str) -> Tensor:
        return self.value(name, {})

    def value(self, name: str, known: dict[str, Tensor]) -> Tensor:
        """The value by name; `known` takes what had to be derived on the way."""
        for derived, formula in self._road(name, known):
            known[derived] = self._derive(derived, formula, known)
        return self._given(name, known)

    def node(self, name: str) -> Node:
        """The node of this name; where there is none, the error says the nearest."""
        if name not in self.nodes:
            if name in self.weights:
                raise UsageError(f"{name} is a weight: it was learned, not computed.")
            near = get_close_matches(name, [*self.nodes, *self.weights], n=3, cutoff=0.5)
            hint = f"; near it: {', '.join(near)}" if near else ""
            raise UsageError(f"The trace has no {name!r}{hint}. trace.tree() lists all names.")
        return self.nodes[name]

    def kind(self, name: str) -> Kind:
        """Recorded in the run, derived on demand, edited, a weight; or missing."""
        if name in self.weights:
            return "weight"
        if name in self.about.get("edits", ()):
            return "edited"
        if name in self.held:
            return "recorded"
        return "derived" if name in self._shapes else "missing"

    def shape(self, name: str) -> tuple[int, ...]:
        """The value's shape, without computing the value."""
        if self.kind(name) == "missing":
            raise UsageError(self._missing(self.node(name).name))
        return self._shapes[name]

    def names(self, pattern: str = "*") -> list[str]:
        """All names that fit the pattern ("encoder.3.*")."""
        return [name for name in self.nodes if fnmatchcase(name, pattern)]

    def tree(self, pattern: str = "*") -> Tree:
        """Names, shapes, formulas, and whether recorded or derived; prints as a table."""
        return grow(self, pattern)

    def explain(
        self,
        name: str,
        *,
        row: str | int = 0,
        column: str | int = 0,
        head: int = 0,
        sentence: int = 0,
    ) -> Explanation:
        """One number: its formula, its operands with their numbers, and so back to the text.

        Rows and columns that stand for tokens may be given as words ("bank") or as numbers.
        """
        return explain(self, name, Cell(row=row, column=column, head=head, sentence=sentence))

    def verify(self, pattern: str = "*") -> Verification:
        """Every value recomputed in float64 from its parents, and how far the two are apart."""
        return verify(self, pattern)

    def answers(self, best: int = 5) -> Answers | None:
        """The likeliest next words at each position, or the words nearest to the last vectors.

        A trace from a file has the best five of its run; others need the words that `load` takes.
        """
        return answer(self, best)

    def follows(self) -> list[float]:
        """How likely each sentence's `pair` follows it, 0 to 1; empty where nothing says so."""
        return follows(self)

    def tokens(self, name: str, axis: str, sentence: int = 0) -> Tokens | None:
        """The tokens that the axis "T" or "S" of a value stands for; None for other axes."""
        if axis not in "TS":
            return None
        sentences = self.texts.get(stream_of(name, axis, self.texts), [])
        return sentences[sentence] if sentence < len(sentences) else None

    def save(
        self,
        path: str | Path,
        *,
        weights: Literal["small", "all"] = "small",
        existing: Existing = "refuse",
        layer: int | None = None,
        head: int | None = None,
        sentence: int = 0,
        figure: str = "overview",
    ) -> Path:
        """Write the trace; the ending says how (see `store.WRITERS`).

        A saved trace keeps causes and vectors of weights; with weights="all" also the matrices,
        so that everything can be derived without its model. A workbook (.xlsx) holds all of it,
        or one layer, or one head, of one sentence; a figure (.png, .svg, .pdf) is one of
        `views.plots.files.FIGURES`.
        """
        wish = Wish(weights, layer, head, sentence, figure)
        return save(self, Path(path), wish, existing)

    @classmethod
    def load(
        cls,
        path: str | Path,
        weights: Mapping[str, Tensor] | None = None,
        piece: Callable[[int], str] | None = None,
    ) -> "Trace":
        """Read what `save("….safetensors")` wrote.

        `model.weights()` gives it its weights back, `model.tokenizer.target.piece` its words.
        """
        trace = read(Path(path), weights or {}, cls)
        trace.piece = piece
        return trace

    def altered(
        self, nodes: Mapping[str, Node], held: Mapping[str, Tensor], edits: Mapping[str, str]
    ) -> "Trace":
        """The same run with another graph; `edits` says of the changed names what was done."""
        about = {name: what for name, what in self.about.items() if name != "answers"}
        done = about.get("edits", {})
        about["edits"] = done | {
            name: f"{done[name]}; {what}" if name in done else what for name, what in edits.items()
        }
        trace = type(self)(nodes, held, self.weights, self.texts, about)
        trace._versions, trace.piece = self._versions, self.piece
        return trace

    def _road(self, name: str, known: Mapping[str, Tensor]) -> list[tuple[str, Formula]]:
        """What has to be derived, in order, until the value is there."""
        derived, waiting = set[str](), [name]
        while waiting:
            one = waiting.pop()
            if one in derived or one in self.held or one in self.weights or one in known:
                continue
            unheard = one != name and one not in self.nodes
            if unheard or self.node(one).formula is None:
                raise UsageError(self._missing(one))
            derived.add(one)
            waiting += self.nodes[one].parents
        nodes = self.nodes.items()
        return [(one, node.formula) for one, node in nodes if one in derived and node.formula]

    def _derive(self, name: str, formula: Formula, known: Mapping[str, Tensor]) -> Tensor:
        """A value from its parents, in no more than the model's precision."""
        operands = [self._given(parent, known) for parent in formula.parents]
        try:
            value = formula.compute(*operands)
        except (RuntimeError, IndexError, TypeError, ValueError) as error:
            raise PellucidError(f"{name} cannot be derived: {error}.") from error
        return self._in_own_precision(value)

    def _in_own_precision(self, value: Tensor) -> Tensor:
        own = PRECISIONS.get(str(self.about.get("dtype")))
        return value.to(own) if own and value.dtype == torch.float64 else value

    def _given(self, name: str, known: Mapping[str, Tensor]) -> Tensor:
        """A value that is there; a weight unless torch saw it change (by .data it cannot)."""
        if name in self.held:
            return self.held[name]
        if name not in self.weights:
            return known[name]
        if _version(self.weights[name]) != self._versions[name]:
            raise UsageError(
                f"{name} was changed after this run, so nothing true follows from it; look again."
            )
        return self.weights[name]

    @property
    def size(self) -> int:
        """Bytes held by the recorded values, shared storage counted once."""
        storages = {t.untyped_storage()._cdata: t.untyped_storage() for t in self.held.values()}
        return sum(storage.nbytes() for storage in storages.values())

    @cached_property
    def _shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of what can be derived, by running formulas on a batch of no sentences.

        The device "meta" would do the same, but importing what it needs takes two seconds.
        """
        batched = {name for name in self.held if self.node(name).axes.startswith("B ")}
        sizes = {len(self.held[name]) for name in batched}
        known = self.weights | self.held | {name: self.held[name][:0] for name in batched}
        with warnings.catch_warnings(action="ignore"):  # that nothing has no deviation
            for name, node in self.nodes.items():
                formula = node.formula
                if formula and name not in known and known.keys() >= set(formula.parents):
                    operands = (known[parent] for parent in formula.parents)
                    known[name] = self._in_own_precision(formula.compute(*operands))
        given = {name: tuple(tensor.shape) for name, tensor in (self.weights | self.held).items()}
        whole = max(sizes, default=0)
        return {
            name: (shape[0] or whole, *shape[1:]) if (shape := tuple(tensor.shape)) else shape
            for name, tensor in known.items()
        } | given

    def _missing(self, name: str) -> str:
        return (
            f"{name} is not in the record, and is needed; look again with a wider `keep`, "
            "or load the trace with its model's weights: Trace.load(path, model.weights())."
        )

    def __repr__(self) -> str:
        texts = [tokens.text for stream in self.texts.values() for tokens in stream]
        return f"<Trace of {', '.join(map(repr, texts))}: {len(self)} names>"


def _version(weight: Tensor) -> int:
    """How often the tensor was changed; what was made in inference mode cannot say."""
    return 0 if weight.is_inference() else weight._version
