"""The learning rate: a pure function of the step, never below zero, drawn before the run."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.train.schedule import FALLS, Schedule

SHAPES = st.sampled_from(sorted(FALLS))


@given(SHAPES, st.integers(1, 300), st.floats(0, 1), st.floats(0, 1))
def test_it_stays_between_zero_and_the_rate(
    shape: str, steps: int, warm: float, least: float
) -> None:
    schedule = Schedule(
        shape=shape, rate=0.5, steps=steps, warmup=int(warm * steps), least=0.5 * least
    )
    rates = schedule.rates()
    assert len(rates) == steps
    assert all(0 <= rate <= 0.5 + 1e-12 for rate in rates)
    assert rates == schedule.rates()
    warmed = rates[: schedule.warmup]
    assert warmed == sorted(warmed)
    fallen = rates[schedule.warmup :]
    assert all(a >= b - 1e-12 for a, b in pairwise(fallen))


def test_by_hand() -> None:
    def rates(shape: str) -> list[float]:
        return Schedule(shape=shape, rate=1.0, steps=12, warmup=4, least=0.2).rates()

    warm = [0.25, 0.5, 0.75, 1.0]
    assert rates("constant") == warm + [1.0] * 8
    assert rates("linear") == pytest.approx(warm + [1 - 0.1 * k for k in range(1, 9)])
    half = [0.2 + 0.4 * (1 + math.cos(math.pi * k / 8)) for k in range(1, 9)]
    assert rates("cosine") == pytest.approx(warm + half)
    assert rates("inverse-root") == pytest.approx(warm + [math.sqrt(4 / k) for k in range(5, 13)])


def test_the_schedule_of_2017() -> None:
    """d^−½ · min(s^−½, s · w^−³ᐟ²), where d^−½ w^−½ is the highest rate."""
    width, warmup = 512, 40
    ours = Schedule(shape="inverse-root", rate=(width * warmup) ** -0.5, steps=200, warmup=warmup)
    for step in range(1, 201):
        theirs = width**-0.5 * min(step**-0.5, step * warmup**-1.5)
        assert ours(step) == pytest.approx(theirs)


def test_drawn() -> None:
    line = Schedule(shape="linear", rate=0.01, steps=100, warmup=50).drawn(columns=10)
    assert line == "▁▂▄▆██▆▄▂▁ up to 0.01, 0 at step 100"


def test_a_rate_of_nothing_is_drawn_too() -> None:
    assert Schedule(shape="linear", rate=0.0, steps=4).drawn() == "▁▁▁▁ up to 0, 0 at step 4"
