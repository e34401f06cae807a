"""The leak test: in a decoder another token t changes no bit before t."""

from collections.abc import Iterator

from pellucid.checks.rows import EXACT, Rows, compare
from pellucid.checks.run import Run, Sentence, look
from pellucid.checks.sentences import Side, batches, draw, vocabulary
from pellucid.models.model import Model

# how many longer sentences stand beside, and so on which side the others are padded
PADDINGS: tuple[tuple[int, Side], ...] = ((0, "right"), (1, "right"), (1, "left"))


def causal(model: Model, seed: int = 0) -> Rows:
    """Nobody looks ahead, with and without padding; an encoder may, so it has no rows."""
    if model.config.shape == "encoder":
        return Rows()
    pairs = [pair for longer, side in PADDINGS for pair in leaks(model, seed, longer, side)]
    run = pairs[0][0].run
    target = list(run.batches)[-1]
    names = [name for name in run.values if target in run.streams(name).values()]
    return compare("before another token = as before", names, pairs, EXACT)


def leaks(model: Model, seed: int, longer: int, side: Side) -> Iterator[tuple[Sentence, Sentence]]:
    """For each token t of a text, what comes before t: with another token t, and without."""
    sentences = draw(model, seed)
    target = list(sentences)[-1]
    words = max(sentences[target], key=len)
    text = words[:-1]

    def run(texts: list[list[int]]) -> Run:
        rows = [*texts, *[words] * longer]
        sources = {stream: sentences[stream][:1] * len(rows) for stream in sentences}
        return look(model, batches({**sources, target: rows}, side=side))

    plain, changed = (
        run([text] * len(text)),
        run([altered(model, text, t, target) for t in range(len(text))]),
    )
    for t in range(1, len(text)):
        yield Sentence(changed, t, first=t), Sentence(plain, t, first=t)


def altered(model: Model, text: list[int], t: int, stream: str) -> list[int]:
    """The text with another token t."""
    other = (text[t] + 1) % vocabulary(model, stream)
    return [*text[:t], other, *text[t + 1 :]]
