"""Our numbers against those of `transformers`, for one checkpoint: all that it can show."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from torch import Tensor

from pellucid.checks.rows import Rows, Values, compare
from pellucid.checks.run import Run, Sentence, see
from pellucid.checks.sentences import SIDES, Batches, apart, batches, draw, level, padding_id
from pellucid.checks.theirs import Theirs
from pellucid.models.checkpoint import load_without_tokenizer
from pellucid.models.model import Model
from pellucid.record.node import Node
from pellucid.record.trace import Trace

Both = tuple[list[Batches], list[Batches]]  # what we run, and what they run

# Only these follow padding on the left in every number: T5 knows nothing but distances. Others
# count positions from the edge, so we, padded on the left, meet them without padding. (RoBERTa
# counts from the first word, but its classifier reads what stands at the edge.)
FOLLOWING = ("t5", "t5-encoder")


def against_transformers(folder: str | Path, seed: int = 0) -> Rows:
    """Every number that `transformers` shows: alone, in a batch, padded on either side.

    A row's `name` is ours, its `against` says where it is in theirs. `folder` is a checkpoint
    that both can read; `seed` draws the sentences.
    """
    model = load_without_tokenizer(Path(folder))
    return against(model, Theirs(Path(folder), model), seed)


def against(model: Model, theirs: Theirs, seed: int = 0) -> Rows:
    """The same for models that are there."""
    return Rows(
        row
        for setting, both in settings(model, seed).items()
        for row in in_setting(model, theirs, setting, both)
    )


def in_setting(model: Model, theirs: Theirs, setting: str, both: Both) -> Rows:
    """The rows of one setting."""
    traces = [see(model, given) for given in both[0]]
    shown = [theirs.show(given) for given in both[1]]
    nodes = traces[0].nodes
    places = {name: theirs.places[name] for name in nodes if name in theirs.places}
    ours = [values(trace, places) for trace in traces]
    pairs = zip(sentences(ours, nodes, both[0]), sentences(shown, nodes, both[1]), strict=True)
    return compare(setting, places, pairs, against=places)


def values(trace: Trace, names: Iterable[str]) -> Values:
    """What a trace holds or derives under these names, each derived once."""
    known: dict[str, Tensor] = {}
    return {name: trace.value(name, known) for name in names}


def sentences(
    runs: Sequence[Values], nodes: Mapping[str, Node], given: Sequence[Batches]
) -> list[Sentence]:
    """The sentences of all runs."""
    both = zip(runs, given, strict=True)
    return [each for values, batch in both for each in Run(values, nodes, batch).sentences]


def settings(model: Model, seed: int) -> dict[str, Both]:
    """The same sentences, put side by side in several ways."""
    drawn, padding = draw(model, seed), padding_id(model)
    alone = [batches(each) for each in apart(drawn)]
    level_ones = [batches(level(drawn))]
    right, left = ([batches(drawn, padding, side)] for side in SIDES)
    if model.config.family in FOLLOWING:
        last = {"padded on the left": (left, left)}
    else:
        last = {"padded on the left, theirs alone": (left, alone)}
    return {
        "alone": (alone, alone),
        "in a batch": (level_ones, level_ones),
        "padded on the right": (right, right),
        **last,
    }
