"""A generation in a trace: the run on what was said, and beside it how that was found.

Each step is there by name, over its candidates: `generate.3.log_probability` (the model's own),
`generate.3.value` (what the rules left), `generate.3.before` (the sum up to the parent), and
`generate.3.total = before + value`, which `verify` adds up again. `trace.about["generation"]` has
the answers and the tree as plain data, so a saved trace can show both without its model.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from pellucid.decode.answer import Answers
from pellucid.decode.generate import generate
from pellucid.decode.tree import Node, Tree
from pellucid.decode.written import see_written
from pellucid.formula.elements import add
from pellucid.models.encoder_decoder import EncoderDecoder
from pellucid.models.model import Model
from pellucid.record.node import Node as Value
from pellucid.record.trace import Trace

AXES = "B N"  # one sentence, its candidates


def see_generated(model: Model, text: str, seeing: dict[str, Any], **choices: Any) -> Trace:
    """Let the model go on from a text or answer to it, then look at the whole.

    `seeing` is for `model.see`, the choices for `model.generate`. A target has the start token
    that it was written after, so that each row is one that the search chose from.
    """
    answers: Answers = generate(model, text, **choices)
    said = answers[0].text
    if isinstance(model, EncoderDecoder):
        end = model.tokenizer.target.piece(answers[0].ids[-1])  # not read; but no text is refused
        seen = see_written(model, text, said if said.strip() else end, **seeing)
        return with_generation(seen, answers)
    return with_generation(model.see(text + said, **seeing), answers)


def with_generation(trace: Trace, answers: Answers) -> Trace:
    """The trace, and in it the search."""
    tree, values = answers[0].tree, dict[str, Tensor]()
    for number, step in enumerate(tree.steps()):
        values |= {f"generate.{number}.{name}": row for name, row in rows(step).items()}
        total = f"generate.{number}.total"
        parents = (f"generate.{number}.before", f"generate.{number}.value")
        trace.include(Value(total, add(*parents, axes=AXES), AXES))
    for name, row in values.items():
        trace.include(Value(name, None, AXES), row)
    trace.about["generation"] = described(answers, tree)
    return trace


def rows(step: Sequence[Node]) -> dict[str, Tensor]:
    """The numbers of a step's candidates, 1 N."""
    columns = {
        "log_probability": [node.log_probability for node in step],
        "value": [node.value for node in step],
        "before": [node.total - node.value for node in step],
    }
    return {name: torch.tensor([column]) for name, column in columns.items()}


def described(answers: Answers, tree: Tree) -> dict[str, Any]:
    """Answers with their terms, and the tree, as plain data."""
    return {
        "answers": [{**answer.to_json(), "terms": answer.terms.to_json()} for answer in answers],
        "tree": tree.to_json(),
    }
