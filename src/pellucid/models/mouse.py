"""The mouse: models made by hand, small enough to follow with a pencil.

Each word is a vector of named features; "mouse" is strong in *animal* and in *tech*. Attention
alone decides which side it leans to: beside "cat" to animal, beside "keyboard" to tech. First
with Q = K = V = input, then with weights, then with values of another width, then in heads.
"""

from dataclasses import dataclass
from typing import Any

import tokenizers
import torch

from pellucid.models.decoder import Decoder
from pellucid.models.encoder import Encoder
from pellucid.models.model import Model
from pellucid.nn.config import Config
from pellucid.text.tokenizer import Tokenizer

Vector = tuple[float, ...]
Words = dict[str, Vector]
Matrix = tuple[Vector, ...]  # out × in, as `torch.nn.Linear` stores it

ANIMAL_TECH: Words = {
    "cat": (2.0, 0.0),
    "mouse": (1.5, 1.5),
    "keyboard": (0.0, 2.0),
    "and": (0.1, 0.1),
    "are": (0.1, 0.1),
    "friends": (0.5, 0.0),
    "helpful": (0.0, 0.5),
}
ANIMAL_TECH_KIND: Words = {
    "cat": (2.0, 0.0, 1.0),
    "mouse": (1.5, 1.5, 0.5),
    "keyboard": (0.0, 2.0, 0.0),
    "friends": (0.5, 0.0, 2.0),
}

WEIGHTS: dict[str, Matrix] = {
    "query": ((1.0, 0.5), (0.5, 1.0)),
    "key": ((1.0, -0.5), (-0.5, 1.0)),
    "value": ((1.0, -0.5), (-0.5, 1.0)),
}
WIDE = WEIGHTS | {"value": ((1.0, 0.0), (0.0, 1.0), (0.5, 0.5))}


@dataclass(frozen=True)
class Mouse:
    """A hand-made model: its words, its weights if any, its heads, and a sentence to try."""

    summary: str
    sentence: str
    words: Words
    features: tuple[str, ...]
    weights: dict[str, Matrix]
    heads: int = 1
    shape: type[Model] = Encoder


TWO, THREE = ("animal", "tech"), ("animal", "tech", "kind")
FRIENDS, ROW = "cat and mouse are friends", "cat mouse keyboard friends"

MICE = {
    "mouse": Mouse("Q = K = V = the input", FRIENDS, ANIMAL_TECH, TWO, {}),
    "mouse-weights": Mouse("with W_Q, W_K and W_V", FRIENDS, ANIMAL_TECH, TWO, WEIGHTS),
    "mouse-wide": Mouse("W_V makes three numbers of two", FRIENDS, ANIMAL_TECH, TWO, WIDE),
    "mouse-two-heads": Mouse("a head for each column", FRIENDS, ANIMAL_TECH, TWO, {}, 2),
    "mouse-three-heads": Mouse("4×3 into three 4×1", ROW, ANIMAL_TECH_KIND, THREE, {}, 3),
    "mouse-causal": Mouse(
        "a decoder: nobody looks ahead", "cat and mouse", ANIMAL_TECH, TWO, {}, 1, Decoder
    ),
}


def build(name: str) -> Model:
    """The hand-made model of this name."""
    mouse = MICE[name]
    model = mouse.shape(_config(mouse))
    state = {"entrance.embed.words.weight": torch.tensor(list(mouse.words.values()))}
    for part, matrix in mouse.weights.items():
        state[f"{mouse.shape.__name__.lower()}.layers.0.attention.{part}.weight"] = torch.tensor(
            matrix
        )
    model.load_state_dict(state)
    model.tokenizer = Tokenizer(_words(list(mouse.words)))
    model.name, model.features = name, mouse.features
    return model.eval()


def _config(mouse: Mouse) -> Config:
    nothing: dict[str, Any] = {"positions": "none", "residual": "none", "attention_bias": "none"}
    nothing |= {"norm": "none", "final_norm": "none"}
    width = len(mouse.features)
    return Config(
        family="mouse",
        shape="decoder" if mouse.shape is Decoder else "encoder",
        vocabulary=len(mouse.words),
        width=width,
        layers=1,
        heads=mouse.heads,
        value_width=len(mouse.weights.get("value", ())),
        projections="no-output" if mouse.weights else "none",
        **nothing,
    )


def _words(words: list[str]) -> tokenizers.Tokenizer:
    """Whole words, in lower case; there is nothing for words it does not know."""
    numbers = {word: number for number, word in enumerate(words)}
    inner = tokenizers.Tokenizer(tokenizers.models.WordLevel(numbers, unk_token="?"))
    inner.normalizer = tokenizers.normalizers.Lowercase()
    inner.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    return inner
