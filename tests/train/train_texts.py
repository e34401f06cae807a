"""Small sets of examples that can be learned."""

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import jaxtyping

from pellucid.train.examples import Examples

ANIMAL, TECH = "cat mouse seal bird".split(), "keyboard mouse screen cable".split()
FOOD = "bread soup salt rice".split()
PLAIN = "the a my is was here there".split()
TOPICS = {"animal": ANIMAL, "tech": TECH, "food": FOOD}


def examples(count: int, seed: int = 0, classes: tuple[str, ...] = tuple(TOPICS)) -> Examples:
    """Sentences of plain words around two of their topic."""
    random = Random(seed)
    labels = [random.choice(classes) for _ in range(count)]
    texts = [
        " ".join(random.sample([*random.choices(PLAIN, k=4), *random.choices(TOPICS[y], k=2)], 6))
        for y in labels
    ]
    return Examples(texts, labels)


@contextmanager
def unchecked() -> Iterator[None]:
    """Within, types are not checked: a training of thousands of calls is quick."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)
