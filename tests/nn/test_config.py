"""A configuration refuses what makes no sense, in one sentence."""

from dataclasses import fields
from typing import Any, Literal, get_origin

import pytest
import zoo

from pellucid import Config, UsageError

pytestmark = pytest.mark.usefixtures("unchecked")

PLAIN = {"shape": "encoder", "vocabulary": 7, "width": 12, "layers": 1, "heads": 3, "longest": 5}
CHOICES = [field.name for field in fields(Config) if get_origin(field.type) is Literal]

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"heads": 5}, "The width 12 cannot be cut into 5 equal heads."),
    ({"heads": 0}, "Vocabulary, width, heads and layers must each be at least 1."),
    ({"layers": 0}, "Vocabulary, width, heads and layers must each be at least 1."),
    ({"key_heads": 2}, "3 heads cannot share 2 key heads equally."),
    ({"longest": 0}, "Learned positions need the length of their table: set `longest`."),
    ({"width": 12.0}, "width is 12.0; expected is a whole number, 0 or more."),
    ({"width": "12"}, "width is '12'; expected is a whole number, 0 or more."),
    ({"width": True}, "width is True; expected is a whole number, 0 or more."),
    ({"inner": -3}, "inner is -3; expected is a whole number, 0 or more."),
    ({"epsilon": "1e-5"}, "epsilon is '1e-5'; expected is a number, 0 or more."),
    ({"epsilon": float("nan")}, "epsilon is nan; expected is a number, 0 or more."),
    ({"dropout": 1.5}, "A dropout of 1 or more leaves nothing; it is a share below 1."),
    ({"place": "middle"}, "place is 'middle'; the choices are pre, post."),
    (
        {"positions": "rotary", "head_width": 5},
        "5 columns of 5 cannot be turned in pairs.",
    ),
    (
        {"positions": "rotary", "rotary_width": 6},
        "6 columns of 4 cannot be turned in pairs.",
    ),
    *(
        (
            {"positions": "relative", "buckets": buckets, "farthest": farthest},
            f"{buckets} buckets cannot hold distances to {farthest}; give at least 4 buckets, "
            "and a distance between half as many and 100000.",
        )
        for buckets, farthest in ((0, 128), (3, 128), (32, 16), (32, 10**12))
    ),
    (
        {"positions": "sinusoidal", "width": 9},
        "Waves come in pairs; the width 9 is odd.",
    ),
]


@pytest.mark.parametrize(("changes", "sentence"), REFUSED)
def test_nonsense_is_refused(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as error:
        Config(**PLAIN | changes)
    assert str(error.value) == sentence


@pytest.mark.parametrize("name", CHOICES)
def test_a_misspelt_choice_is_never_ignored(name: str) -> None:
    with pytest.raises(UsageError, match=f"{name} is 'rotery'; the choices are "):
        Config(**PLAIN | {name: "rotery"})


def test_there_are_no_booleans() -> None:
    assert len(CHOICES) > 15
    assert not [field.name for field in fields(Config) if field.type is bool]


def test_zero_means_as_usual() -> None:
    config = Config(**PLAIN)
    assert (config.per_head, config.per_value, config.groups) == (4, 4, 3)
    grouped = zoo.build("alibi decoder").config
    assert (grouped.per_head, grouped.per_value, grouped.groups) == (4, 4, 1)
