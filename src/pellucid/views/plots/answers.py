"""The best words at each position: a table whose cells are coloured by their scores."""

import numpy as np
from matplotlib.figure import Figure

from pellucid.errors import UsageError
from pellucid.record.answers import Answer
from pellucid.record.trace import Trace
from pellucid.views.labels import spaced
from pellucid.views.plots.matrices import Matrix
from pellucid.views.plots.sheet import side_by_side
from pellucid.views.plots.style import Style, styled
from pellucid.views.plots.words import label

MEANINGS = {
    "next": "the likeliest next words",
    "filling": "the likeliest words at each place",
    "cosine": "the words nearest to the last vectors",
}


def logits(trace: Trace, *, best: int = 5, sentence: int = 0, style: Style | None = None) -> Figure:
    """For each token a row of the best words, the best first, with their scores."""
    found = trace.answers(best)
    if found is None:
        raise UsageError("Last vectors and words cannot be compared in this model.")
    tokens = next(reversed(trace.texts.values()))[sentence]
    answers = found.words[sentence][: len(tokens)]
    with styled(style) as own:
        rows = [label(word) for word in tokens.labels()]
        numbers = np.array([[answer.score for answer in row] for row in answers])
        texts = [[_written(answer) for answer in row] for row in answers]
        title = MEANINGS[found.meaning]
        table = Matrix(title, numbers, rows, texts=texts, signed=bool((numbers < 0).any()))
        return side_by_side([[table]], own)


def _written(answer: Answer) -> str:
    return f"{label(spaced(answer.piece))}  {answer.score:.2f}"
