"""What must be equal in every model, checked on random sentences in the model as it is.

Each is a function of a model and of a seed, which draws the sentences, and gives rows.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path

from pellucid.checks.cached import cached
from pellucid.checks.causal import causal
from pellucid.checks.packing import packed
from pellucid.checks.rows import EXACT, TOLERANCE, Row, Rows, compare
from pellucid.checks.run import alone, answers, look, see
from pellucid.checks.sentences import SIDES, batches, draw, level
from pellucid.models.checkpoint import load_without_tokenizer
from pellucid.models.model import Model
from pellucid.record.recorder import Recorder
from pellucid.record.trace import Trace


def check(model: Model, seed: int = 0) -> Rows:
    """All the equalities."""
    return Rows(row for equality in EQUALITIES for row in equality(model, seed))


def batched(model: Model, seed: int = 0) -> Rows:
    """Sentences side by side give what each gives alone."""
    sentences = level(draw(model, seed))
    together = look(model, batches(sentences))
    pairs = zip(together.sentences, alone(model, sentences), strict=True)
    return compare("batched = alone", together.values, pairs)


def padded(model: Model, seed: int = 0) -> Rows:
    """Padding on the left or on the right gives what no padding gives."""
    sentences, rows = draw(model, seed), Rows()
    plain = alone(model, sentences)
    for side in SIDES:
        run = look(model, batches(sentences, side=side))
        pairs = zip(run.sentences, plain, strict=True)
        rows += compare(f"padded on the {side} = not padded", run.values, pairs)
    return rows


def fused(model: Model, seed: int = 0) -> Rows:
    """What the fast path computed is what the layers' formulas give, in the same precision."""
    trace = see(model, batches(draw(model, seed)))
    plain = {
        name: node.formula.compute(*(trace[parent] for parent in node.parents))
        for name, node in trace.nodes.items()
        if name in trace.held and node.formula
    }
    return compare("fused = plain", plain, [(trace, plain)])


def exact(model: Model, seed: int = 0) -> Rows:
    """Every value, recorded or derived, is what its formula gives in float64."""
    verification = see(model, batches(draw(model, seed), side="left")).verify()
    what = "itself = recomputed in float64"
    return Rows(Row(what, each.name, each.difference, TOLERANCE) for each in verification)


def looked_at(model: Model, seed: int = 0) -> Rows:
    """Looking changes no bit of the answers."""
    given = batches(draw(model, seed))
    seen, plain = answers(model, given, Recorder()), answers(model, given)
    return compare("looked-at = not", plain, [(seen, plain)], EXACT)


def saved(model: Model, seed: int = 0) -> Rows:
    """What was saved and loaded is itself: every bit of a trace and of the weights.

    The answers are compared too; weights that lie elsewhere in memory may round differently.
    """
    given = batches(draw(model, seed))
    trace, weights, plain = see(model, given), model.state(), answers(model, given)
    with tempfile.TemporaryDirectory() as folder:
        file = trace.save(Path(folder) / "trace.safetensors", weights="all")
        loaded = load_without_tokenizer(model.save(Path(folder) / "model"), model.dtype)
        found = {
            "trace": (Trace.load(file), trace.held, EXACT),
            "weights": (loaded.state(), weights, EXACT),
            "model": (answers(loaded, given), plain, TOLERANCE),
        }
        return Rows(
            row
            for what, (again, before, allowed) in found.items()
            for row in compare(f"{what} saved and loaded", before, [(again, before)], allowed)
        )


Equality = Callable[[Model, int], Rows]

EQUALITIES: tuple[Equality, ...] = (
    batched,
    padded,
    packed,
    cached,
    fused,
    exact,
    looked_at,
    causal,
    saved,
)
