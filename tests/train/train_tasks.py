"""A tiny model and a tiny objective for each thing that can be learned."""

from collections.abc import Callable
from random import Random

import numpy as np

from pellucid.models.model import Model
from pellucid.nn.config import Config
from pellucid.train.making import new
from pellucid.train.masking import Masking, Sentences
from pellucid.train.objectives import Classes, Language, Objective, Translation
from pellucid.train.rows import Rows

WORDS, SPECIAL = 30, 4  # ids of the vocabulary, the first of which are special
SIZES = {"vocabulary": WORDS, "width": 16, "layers": 1, "heads": 2, "inner": 24, "longest": 32}
CLS, SEP, MASK = 1, 2, 3

Task = tuple[Model, Objective]


def rows(count: int, seed: int = 0, shortest: int = 2, longest: int = 12) -> Rows:
    """Rows of ids drawn by chance."""
    random = Random(seed)
    return Rows.of(
        [random.randrange(SPECIAL, WORDS) for _ in range(random.randint(shortest, longest))]
        for _ in range(count)
    )


def model(init: str = "gpt2", **choices: object) -> Model:
    return new(Config(**{"shape": "encoder", **SIZES, **choices}), init, seed=1)


def classes() -> Task:
    labels = np.arange(16) % 3
    return model(classes=3, classify="mean"), Classes(rows(16), labels)


def several() -> Task:
    labels = np.random.default_rng(0).integers(0, 2, (16, 3))
    return model(classes=3, classify="first"), Classes(rows(16), labels)


def pairs() -> Task:
    found, firsts = rows(16, shortest=4), [2] * 16
    head = {"classes": 2, "classify": "pooled", "pooler": "first", "segments": 2}
    return model(**head), Classes(found, np.arange(16) % 2, firsts)


def language(**choices: float) -> Task:
    made = model(shape="decoder", head="language", **choices)
    return made, Language(rows(24), context=8)


def bert() -> Task:
    masking = Masking(0.15, MASK, np.arange(SPECIAL, WORDS))
    found = Sentences(rows(16), np.arange(16) // 4, masking, (CLS, SEP))
    heads = {"head": "masked", "head_bias": "words", "pooler": "first", "next_sentence": "pooled"}
    return model(**heads, segments=2), found


def translation() -> Task:
    made = model("xavier", shape="encoder-decoder", head="language", embedding_scaling="root")
    return made, Translation(rows(16), rows(16, seed=1), start=0)


TASKS: dict[str, Callable[..., Task]] = {
    "class": classes,
    "classes": several,
    "pairs": pairs,
    "language": language,
    "bert": bert,
    "translation": translation,
}
