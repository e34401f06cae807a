"""What each head does over a corpus: where it looks, and what is lost without it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Literal
from zlib import crc32

import torch
from jaxtyping import Float
from torch import Tensor

from pellucid.errors import PellucidError, UsageError
from pellucid.models.batch import Batch
from pellucid.models.load import load
from pellucid.models.model import Model
from pellucid.record.tokens import Tokens
from pellucid.study.patterns import MEASURES, Facts, measured
from pellucid.study.silencing import importance, stack_of
from pellucid.study.table import read_part, write_part
from pellucid.study.vectors import Done, nothing
from pellucid.study.workers import in_order

CHUNK = 256  # texts that are read, measured and stored together
TOKENS = {"no": 4096, "each": 512}  # in one batch, padding among them
Silencing = Literal["no", "each"]


@dataclass
class Tally:
    """Sums over tokens for each head, [L H] a measure; and over how many tokens each."""

    sums: dict[str, Float[Tensor, "L H"]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    texts: int = 0
    left_out: int = 0

    def add(self, name: str, total: Tensor, count: int) -> None:
        """More tokens of one measure."""
        self.sums[name] = self.sums[name] + total if name in self.sums else total
        self.counts[name] = self.counts.get(name, 0) + count

    def join(self, other: "Tally") -> None:
        """The tally of other texts."""
        for name, total in other.sums.items():
            self.add(name, total, other.counts[name])
        self.texts += other.texts
        self.left_out += other.left_out


@dataclass(frozen=True)
class Heads:
    """Means over all tokens of a corpus, [L H] a measure, float64.

    `previous`, `itself`, `next`, `same`, `first`, `special` and `punctuation` are shares of a
    head's weight (0 to 1), `entropy` is in nats, `distance` in tokens. `importance` is there where
    heads were silenced: what is lost a token without the head (nats of surprise, or 1 − cosine).
    `left_out` texts were too long for the model, or empty.
    """

    model: str
    means: dict[str, Float[Tensor, "L H"]]
    texts: int
    left_out: int
    counts: dict[str, int]

    def __getitem__(self, measure: str) -> Float[Tensor, "L H"]:
        return self.means[measure]

    def best(self, measure: str, count: int = 5) -> list[tuple[int, int, float]]:
        """The heads with the highest mean: layer, head, mean."""
        values, places = self.means[measure].flatten().topk(min(count, self.means[measure].numel()))
        heads = self.means[measure].shape[1]
        pairs = zip(places.tolist(), values.tolist(), strict=True)
        return [(at // heads, at % heads, value) for at, value in pairs]

    def to_json(self) -> dict[str, Any]:
        """All means as plain data."""
        means = {name: mean.tolist() for name, mean in self.means.items()}
        return vars(self) | {"means": means}


@dataclass(frozen=True)
class Job:
    """How a corpus is measured, and where its parts are kept."""

    model: str
    silencing: Silencing
    folder: Path | None = None

    def part(self, number: int) -> Path | None:
        """The file of one part."""
        return self.folder / f"part-{number:05}.parquet" if self.folder else None


def heads(
    model: Model | str,
    texts: Iterable[str],
    *,
    silencing: Silencing = "no",
    folder: Path | str | None = None,
    processes: int = 1,
    done: Done = nothing,
) -> Heads:
    """What each head of a model looks at in these texts, and with silencing="each" what it is for.

    The texts are read as a stream, 256 at a time, and only sums are kept, so memory does not grow.
    With a `folder` each 256 become a Parquet file there; if it is given again, what is there is not
    done again. With several processes give the model's name: each loads its own.

    What it does not show: cause, unless heads are silenced; and a silenced head may be one of
    several that could each do the work (see `pellucid.study.edits`).
    """
    name = model if isinstance(model, str) else model.name
    job = Job(name, silencing, _prepared(folder))
    if processes > 1 and not isinstance(model, str):
        raise UsageError("Several processes each load the model; give its name, not the model.")
    total = Tally()
    numbered = enumerate(chunks(texts))
    tasks = ((job, number, chunk) for number, chunk in numbered)
    if processes > 1:
        parts = in_order(_with_own_model, tasks, processes)
    else:
        loaded = load(model) if isinstance(model, str) else model
        parts = (one_part(loaded, *task) for task in tasks)
    for part in parts:
        total.join(part)
        done(part.texts + part.left_out)
    if not total.texts:
        raise PellucidError("Not one of the texts could be read by this model; nothing to measure.")
    means = {n: (s / total.counts[n] if total.counts[n] else s) for n, s in total.sums.items()}
    return Heads(name, means, total.texts, total.left_out, total.counts)


def chunks(texts: Iterable[str]) -> Iterator[list[str]]:
    """The texts, so many at a time."""
    stream = iter(texts)
    while chunk := list(islice(stream, CHUNK)):
        yield chunk


LOADED: dict[str, Model] = {}  # in a process of its own, which loads its model once


def _with_own_model(task: tuple[Job, int, list[str]]) -> Tally:
    name = task[0].model
    if name not in LOADED:
        torch.set_num_threads(1)
        LOADED[name] = load(name)
    return one_part(LOADED[name], *task)


def one_part(model: Model, job: Job, number: int, texts: list[str]) -> Tally:
    """The tally of some texts: read, where it is there already, else made and stored."""
    path = job.part(number)
    about = {"model": job.model, "silencing": job.silencing, "texts": str(_mark(texts))}
    if path is not None and path.is_file():
        sums, counts, found = read_part(path, about)
        return Tally(sums, counts, found["texts"], found["left_out"])
    tally = tallied(model, texts, job.silencing)
    if path is not None:
        numbers = {"texts": tally.texts, "left_out": tally.left_out}
        write_part(path, (tally.sums, tally.counts, numbers), about)
    return tally


@torch.no_grad()
def tallied(model: Model, texts: Sequence[str], silencing: Silencing) -> Tally:
    """The tally of texts, those of about a length side by side."""
    stack_of(model)  # else say why not
    readable = [tokens for text in texts if (tokens := _read(model, text)) is not None]
    tally = Tally(texts=len(readable), left_out=len(texts) - len(readable))
    for batch in batches(readable, TOKENS[silencing]):
        _measure(model, batch, tally)
        if silencing == "each":
            given = Batch.of(batch, model.device)
            tally.add("importance", *importance(model, given.ids, given.mask))
    return tally


def _measure(model: Model, batch: Sequence[Tokens], tally: Tally) -> None:
    facts = Facts.of(batch)
    trace = model.see([tokens.text for tokens in batch], keep=("*.query", "*.key", "*.bias"))
    by_layer: dict[str, list[Tensor]] = {name: [] for name in MEASURES}
    counts: dict[str, int] = {}
    for name in trace.names("*coder.*.attention.weights"):
        for measure, (total, count) in measured(trace[name], facts).items():
            by_layer[measure].append(total)
            counts[measure] = count
    for measure, rows in by_layer.items():
        tally.add(measure, torch.stack(rows), counts[measure])


def batches(texts: Sequence[Tokens], tokens: int) -> Iterator[list[Tokens]]:
    """The texts by length, as many side by side as have so many tokens together."""
    batch: list[Tokens] = []
    for text in sorted(texts, key=len):
        if batch and len(text) * (len(batch) + 1) > tokens:
            yield batch
            batch = []
        batch.append(text)
    if batch:
        yield batch


def _read(model: Model, text: str) -> Tokens | None:
    try:
        return model.read(text)["tokens"][0]
    except UsageError:
        return None


def _prepared(folder: Path | str | None) -> Path | None:
    if folder is None:
        return None
    path = Path(folder)
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        raise UsageError(f"The folder {path} cannot be made: {error.strerror}.") from error
    return path


def _mark(texts: Sequence[str]) -> int:
    """A number that other texts would not have."""
    return crc32("\0".join(texts).encode("utf-8", "surrogatepass"))
