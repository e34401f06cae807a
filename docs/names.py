"""The page of names: made from the steps that the layers themselves state."""

import inspect
from collections.abc import Iterator
from typing import Any

from pellucid.formula import Formula
from pellucid.formula.written import symbol, word
from pellucid.models.checkpoint import SHAPES
from pellucid.nn.config import Config
from pellucid.nn.layer import Layer

SIZES = {"vocabulary": 8, "width": 8, "layers": 1, "heads": 2, "inner": 16, "longest": 8}
MODELS: dict[str, dict[str, Any]] = {
    "BERT": {
        "shape": "encoder",
        "place": "post",
        "embedding_norm": "layer",
        "final_norm": "none",
        "segments": 2,
        "pooler": "first",
        "head": "masked",
        "head_bias": "words",
        "next_sentence": "pooled",
        "classes": 2,
    },
    "GPT-2": {"shape": "decoder", "head": "language", "activation": "gelu_tanh"},
    "Llama": {
        "shape": "decoder",
        "head": "language",
        "positions": "rotary",
        "norm": "rms",
        "final_norm": "rms",
        "gate": "gated",
        "activation": "silu",
        "key_heads": 1,
        "attention_bias": "none",
        "feedforward_bias": "none",
    },
    "T5": {
        "shape": "encoder-decoder",
        "head": "language",
        "positions": "relative",
        "norm": "rms",
        "final_norm": "rms",
        "activation": "relu",
        "scaling": "none",
    },
    "the first Transformer": {
        "shape": "encoder-decoder",
        "head": "language",
        "positions": "sinusoidal",
        "place": "post",
        "final_norm": "none",
        "activation": "relu",
        "embedding_scaling": "root",
    },
    "ALiBi": {"shape": "decoder", "head": "language", "positions": "alibi"},
    "batch norm": {"shape": "encoder", "norm": "batch", "final_norm": "batch"},
}
Rows = dict[tuple[str, str], list[str]]  # a step and its formula → the models that have it


def layers() -> Iterator[tuple[str, Layer]]:
    """Every layer of every model."""
    for name, choices in MODELS.items():
        model = SHAPES[choices["shape"]](Config(**{**SIZES, **choices}))
        yield from ((name, each) for each in model.modules() if isinstance(each, Layer))


def gathered() -> dict[type[Layer], tuple[set[str], Rows]]:
    """For each class of layers: where in a trace it is found, and its steps."""
    found: dict[type[Layer], tuple[set[str], Rows]] = {}
    for model, layer in layers():
        places, rows = found.setdefault(type(layer), (set(), {}))
        for step, formula in layer.steps().items():
            places.add(layer.path)
            models = rows.setdefault((step, written(formula, layer)), [])
            if model not in models:
                models.append(model)
    return {kind: (places, together(rows)) for kind, (places, rows) in found.items() if rows}


def together(rows: Rows) -> Rows:
    """The formulas of one step one after another."""
    steps = list(dict.fromkeys(step for step, _ in rows))
    return dict(sorted(rows.items(), key=lambda row: steps.index(row[0][0])))


def written(formula: Formula, layer: Layer) -> str:
    """The formula, and the dimensions of what it gives; only weights have a paper's letter."""
    weights = layer.graph()[1].values()
    symbols = (symbol(name) if name in weights else word(name) for name in formula.parents)
    latex = formula.latex(*symbols).replace("|", r"\vert ")  # a bar would end the table's cell
    return f"${latex}$ | {formula.axes}"


def table() -> Iterator[str]:
    """The page, line by line."""
    for kind, (places, rows) in gathered().items():
        file, meaning = kind.__module__.replace(".", "/"), inspect.getdoc(kind) or ""
        yield f"\n## {kind.__name__}\n\n{meaning.splitlines()[0]}\n"
        found = ", ".join(f"`{place}`" for place in sorted(places))
        yield f"In `src/{file}.py`; in a trace under {found}.\n"
        yield "| name | formula | dimensions | in |\n| --- | --- | --- | --- |"
        for (step, formula), models in rows.items():
            known = "all that have it" if len(models) == len(MODELS) else ", ".join(models)
            yield f"| `{step}` | {formula} | {known} |"
