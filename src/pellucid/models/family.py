"""A family: what its configuration says, and what its weights are called."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pellucid.errors import PellucidError
from pellucid.models.naming import Rule
from pellucid.nn.config import Config

Settings = Mapping[str, Any]


@dataclass(frozen=True)
class Family:
    """One architecture in Hugging Face's layout.

    `config` makes our choices of its settings, given the names of the weights that are there.
    `rules` are the names; `prefixes` may stand before them; `ignored` are endings of tensors
    that hold nothing learned.
    """

    name: str
    config: Callable[[Settings, frozenset[str]], Config]
    rules: tuple[Rule, ...]
    prefixes: tuple[str, ...] = ("",)
    ignored: tuple[str, ...] = ()


ACTIVATIONS = {
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
}


def setting(settings: Settings, name: str, choices: Mapping[str, Any], default: str) -> Any:
    """Our word for a setting of theirs; a choice that is not known is refused."""
    value = settings.get(name, default)
    if value not in choices:
        known = ", ".join(choices)
        raise PellucidError(f"config.json says {name} = {value!r}; known are {known}.")
    return choices[value]


def must_be(settings: Settings, expected: Mapping[str, Any]) -> None:
    """Refuse a setting that these layers do not follow, instead of ignoring it."""
    for name, value in expected.items():
        if settings.get(name, value) != value:
            raise PellucidError(
                f"config.json says {name} = {settings[name]!r}; only {value!r} is supported."
            )
