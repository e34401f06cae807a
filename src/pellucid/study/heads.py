"""What each head does over a corpus: where it looks, and what is lost without it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import isnan
from pathlib import Path
from typing import Any
from zlib import crc32

import torch
from jaxtyping import Float, Int
from torch import Tensor

from pellucid.errors import PellucidError, UsageError
from pellucid.models.load import load
from pellucid.models.model import Model
from pellucid.record.batched import batched
from pellucid.record.files import Existing, write
from pellucid.record.shown import Shown
from pellucid.study.table import arrow, columns, read_part, store, write_part
from pellucid.study.tally import Silencing, Tally, Text, tallied
from pellucid.study.vectors import Done, nothing
from pellucid.study.workers import in_order

CHUNK = 256  # texts that are read, measured and stored together


@dataclass(frozen=True, repr=False)
class Heads(Shown):
    """Means over all tokens of a corpus, [L H] a measure, float64.

    A row is a sub-layer of heads, `places` their names: a layer's attention; in an encoder-decoder
    the encoder's, then each decoder layer's attention and its cross-attention.

    `previous`, `itself`, `next`, `same`, `first`, `special` and `punctuation` are shares of a
    head's weight (0 to 1), `entropy` is in nats, `distance` in tokens. What has no meaning from one
    text to another is NaN in cross-attention. `importance` is there where heads were silenced: what
    is lost a token without the head (nats of surprise, or 1 − cosine). `counts` [L] are the tokens.
    `left_out` texts were too long for the model, or empty.
    """

    model: str
    places: tuple[str, ...]
    means: dict[str, Float[Tensor, "L H"]]
    counts: dict[str, Int[Tensor, "L"]]
    texts: int
    left_out: int

    @classmethod
    def of(cls, model: str, tally: Tally) -> "Heads":
        """The means of a tally."""
        means = {name: s / tally.counts[name][:, None] for name, s in tally.sums.items()}
        return cls(model, tally.places, means, tally.counts, tally.texts, tally.left_out)

    def __getitem__(self, measure: str) -> Float[Tensor, "L H"]:
        return self.means[measure]

    def best(self, measure: str, count: int = 5) -> list[tuple[int, int, float]]:
        """The heads with the highest mean: row, head, mean. In one stack the row is the layer."""
        known = self.means[measure].flatten().nan_to_num(-torch.inf)
        values, places = known.topk(min(count, int(known.isfinite().sum())))
        heads = self.means[measure].shape[1]
        pairs = zip(places.tolist(), values.tolist(), strict=True)
        return [(at // heads, at % heads, value) for at, value in pairs]

    def save(self, path: str | Path, *, existing: Existing = "refuse") -> Path:
        """Write a Parquet table: a row a head, a column a measure."""
        return write(Path(path), self.fill, existing)

    def fill(self, path: Path) -> None:
        """The same, where `write` says."""
        store(path, columns(self.places, self.means))

    def to_json(self) -> dict[str, Any]:
        """All means as plain data; None where there is none."""
        means = {name: listed(mean) for name, mean in self.means.items()}
        counts = {name: count.tolist() for name, count in self.counts.items()}
        return vars(self) | {"means": means, "counts": counts}


def listed(rows: Float[Tensor, "L H"]) -> list[list[float | None]]:
    """The numbers, None for NaN."""
    return [[None if isnan(x) else x for x in row] for row in rows.tolist()]


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
    texts: Iterable[Text],
    *,
    silencing: Silencing = "no",
    folder: Path | str | None = None,
    processes: int = 1,
    done: Done = nothing,
) -> Heads:
    """What each head of a model looks at in these texts, and with silencing="each" what it is for.

    An encoder-decoder reads pairs: a source, and a target (which it reads after its start token).

    The texts are read as a stream, 256 at a time, and only sums are kept, so memory does not grow.
    With a `folder` each 256 become a Parquet file there; if it is given again, what is there of the
    same weights is not done again. With several processes give the model's name: each loads its
    own.

    What it does not show: cause, unless heads are silenced; and a silenced head may be one of
    several that could each do the work (see `pellucid.study.edits`).
    """
    name = model if isinstance(model, str) else model.name
    job = Job(name, silencing, _prepared(folder))
    if processes > 1 and not isinstance(model, str):
        raise UsageError("Several processes each load the model; give its name, not the model.")
    total = Tally()
    numbered = enumerate(batched(texts, CHUNK))
    tasks = ((job, number, chunk) for number, chunk in numbered)
    if processes > 1:
        parts = in_order(_with_own_model, tasks, processes)
    else:
        loaded = load(model) if isinstance(model, str) else model
        mark = loaded.digest()
        parts = (one_part(loaded, mark, *task) for task in tasks)
    for part in parts:
        total.join(part)
        done(part.texts + part.left_out)
    if not total.texts:
        raise PellucidError("Not one of the texts could be read by this model; nothing to measure.")
    return Heads.of(name, total)


def _with_own_model(task: tuple[Job, int, list[Text]]) -> Tally:
    model, mark = _own(task[0].model)
    return one_part(model, mark, *task)


@cache
def _own(name: str) -> tuple[Model, str]:
    """In a process of its own: its model, loaded once, and the mark of its weights."""
    torch.set_num_threads(1)
    model = load(name)
    return model, model.digest()


def one_part(model: Model, mark: str, job: Job, number: int, texts: list[Text]) -> Tally:
    """The tally of some texts: read, where the same model has left it, else made and stored."""
    path = job.part(number)
    about = {"weights' mark": mark, "silencing": job.silencing, "texts": str(_mark(texts))}
    if path is not None and path.is_file():
        return read_part(path, about)
    tally = tallied(model, texts, job.silencing)
    if path is not None:
        write_part(path, tally, about)
    return tally


def _prepared(folder: Path | str | None) -> Path | None:
    if folder is None:
        return None
    arrow()  # else say now that it is missing
    path = Path(folder)
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        raise UsageError(f"The folder {path} cannot be made: {error.strerror}.") from error
    return path


def _mark(texts: Sequence[Text]) -> int:
    """A number that other texts would not have."""
    parts = (text if isinstance(text, str) else "\1".join(text) for text in texts)
    return crc32("\0".join(parts).encode("utf-8", "surrogatepass"))
