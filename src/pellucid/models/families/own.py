"""Pellucid's own layout: every choice of the configuration, every weight under its own name."""

from dataclasses import MISSING, fields
from typing import Any, get_args

from pellucid.models.family import NEEDED, Family, Setting, Settings
from pellucid.models.naming import Rule
from pellucid.nn.config import Config, Shape


def _setting(name: str, default: Any) -> Setting:
    return Setting(name, name, NEEDED if default is MISSING else default)


def prepare(settings: Settings) -> Settings:
    """JSON has lists where the configuration has tuples."""
    return {name: tuple(v) if isinstance(v, list) else v for name, v in settings.items()}


def own(shape: Shape) -> Family:
    """The family of all our own models of one shape."""
    return Family(
        name=f"pellucid-{shape}",
        shape=shape,
        model="",
        fixed={"family": "pellucid"},
        settings=tuple(
            _setting(field.name, field.default)
            for field in fields(Config)
            if field.name not in ("family", "shape")
        ),
        prepare=prepare,
        rules=(Rule(("**",), "**", kinds=()),),
    )


OWN = tuple(own(shape) for shape in get_args(Shape))
