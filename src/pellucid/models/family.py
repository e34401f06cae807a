"""A family: what its settings mean, and what its weights are called. Both tables read both ways."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pellucid.errors import PellucidError
from pellucid.models.naming import Rule
from pellucid.nn.config import Config, Shape

Settings = Mapping[str, Any]
Shapes = Mapping[str, tuple[int, ...]]

TENSORFLOW = {"gamma": "weight", "beta": "bias"}
EVERYWHERE = {"quantization_config": (None,)}  # what no family follows
NEEDED = object()  # a setting that must be there


@dataclass(frozen=True)
class Setting:
    """One of their settings, and our choice (or choices) for it.

    `words` translates values, both ways; `less` is what ours is smaller by. `usual` is what our
    zero means, where theirs has no word for "as usual".
    """

    theirs: str
    ours: str | tuple[str, ...]
    default: Any = NEEDED
    words: Mapping[Any, Any] | None = None
    less: int = 0
    usual: str = ""

    def read(self, settings: Settings) -> dict[str, Any]:
        """Our choices."""
        value = settings.get(self.theirs)
        if value is None:
            value = self.default(settings) if callable(self.default) else self.default
        if value is NEEDED:
            raise PellucidError(f"config.json lacks {self.theirs!r}, which this family needs.")
        if self.words is not None:
            value = self._translate(value)
        if self.less:
            value -= self.less
        ours = (self.ours,) if isinstance(self.ours, str) else self.ours
        return dict(zip(ours, value if len(ours) > 1 else (value,), strict=True))

    def write(self, config: Config) -> dict[str, Any]:
        """Their setting; what is "as usual" here is left out there.

        LookupError where there is none: no word for our choice, or no way to say "not there".
        """
        names = (self.ours,) if isinstance(self.ours, str) else self.ours
        values = tuple(getattr(config, name) for name in names)
        value: Any = values if len(values) > 1 else values[0]
        if not value and self.usual:
            value = getattr(config, self.usual)
        if self.words is not None:
            value = self._back(value)
        if not value and value == self.default:
            return {}
        if value == 0 and type(value) is int:
            raise LookupError(f"{self.theirs} cannot be 0")
        return {self.theirs: value + self.less if self.less else value}

    def _back(self, value: Any) -> Any:
        found = [theirs for theirs, ours in (self.words or {}).items() if ours == value]
        if not found:
            raise LookupError(f"{self.theirs} has no word for {value!r}")
        return found[0]

    def _translate(self, value: Any) -> Any:
        words = self.words or {}
        if value not in words:
            known = ", ".join(map(str, words))
            raise PellucidError(f"config.json says {self.theirs} = {value!r}; known are {known}.")
        return words[value]


@dataclass(frozen=True)
class Head:
    """A head that a checkpoint may have: the weight that shows it, and the choices it means.

    `models` are the classes in `transformers` that read it; where there are several, the choices
    depend on the one that config.json names.
    """

    weight: str
    choices: Callable[[tuple[int, ...], Settings], dict[str, Any]]
    models: tuple[str, ...]


@dataclass(frozen=True)
class Family:
    """One architecture in Hugging Face's layout.

    `called` is what config.json calls it, where families share a name and differ in their classes.
    `fixed` are the choices that make the family; `must` are settings that these layers follow in
    one way only; `prefix` may stand before the names of the body's weights; `ignored` are endings
    of tensors that hold nothing learned. `prepare` and `finish` bring settings into a form that the
    table can read, and back. `otherwise` are settings for a model of our own, where what
    `transformers` takes if they are not said would not do.
    """

    name: str
    shape: Shape
    model: str
    fixed: Mapping[str, Any]
    settings: tuple[Setting, ...]
    rules: tuple[Rule, ...]
    heads: tuple[Head, ...] = ()
    called: str = ""
    must: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    prefix: str = ""
    ignored: tuple[str, ...] = ()
    otherwise: Mapping[str, Any] = field(default_factory=dict)
    prepare: Callable[[Settings], Settings] = dict
    finish: Callable[[dict[str, Any]], dict[str, Any]] = dict

    def config(self, settings: Settings, shapes: Shapes) -> Config:
        """Our configuration for their settings and the weights that are there."""
        settings, both = self.prepare(settings), self.shape == "encoder-decoder"
        check(settings, {**EVERYWHERE, "is_encoder_decoder": (both,), **self.must})
        choices = dict(self.fixed)
        for setting in self.settings:
            choices |= setting.read(settings)
        for head in self.heads:
            if head.weight in shapes:
                choices |= head.choices(shapes[head.weight], settings)
        return Config(**{"family": self.name, "shape": self.shape, **choices})

    def write(self, config: Config) -> dict[str, Any]:
        """Their settings for our configuration."""
        settings: dict[str, Any] = {"model_type": self.called or self.name}
        for setting in self.settings:
            settings |= setting.write(config)
        return self.finish(settings)

    def table(self, config: Config) -> tuple[Rule, ...]:
        """The rules for models of this configuration."""
        return tuple(rule for rule in self.rules if rule.holds(config))

    def classes(self, shapes: Shapes) -> list[str]:
        """The classes in `transformers` that could read these weights, the likeliest first."""
        heads = [head.models for head in self.heads if head.weight in shapes]
        return list(heads[-1] if heads else filter(None, [self.model]))

    def reads(self, settings: Settings) -> bool:
        """Whether config.json names the family, and one of its classes where others share it."""
        named = settings.get("architectures")
        if self.called != settings.get("model_type") or not isinstance(named, list):
            return False
        models = {self.model, *(model for head in self.heads for model in head.models)}
        return any(name in named for name in models)

    def bare(self, name: str) -> str:
        """A weight's name without the prefix that whole models put before it.

        BERT's first checkpoints still have TensorFlow's names for the two halves of a norm.
        """
        stem, dot, kind = name.rpartition(".")
        if stem.endswith("LayerNorm"):
            kind = TENSORFLOW.get(kind, kind)
        return (stem + dot + kind).removeprefix(self.prefix)

    def knows(self, theirs: str) -> bool:
        """Whether a weight of this bare name belongs to some layer of the family."""
        return any(rule.covers(theirs) or rule.covers(self.prefix + theirs) for rule in self.rules)


def check(settings: Settings, must: Mapping[str, tuple[Any, ...]]) -> None:
    """Refuse a setting that our layers do not follow, instead of ignoring it."""
    for name, followed in must.items():
        if settings.get(name) not in (None, *followed):
            raise PellucidError(
                f"config.json says {name} = {settings[name]!r}; "
                f"followed is only {' or '.join(map(repr, followed))}."
            )


ACTIVATIONS = {
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
}
