"""Activations by their transformers names, and the feed-forward network."""

import brute_force
import pytest
import torch
from transformers.activations import ACT2FN

from pellucid.formula import OPERATIONS
from pellucid.models.family import ACTIVATIONS

NUMBERS = torch.linspace(-8, 8, 401, dtype=torch.float64)


@pytest.mark.parametrize("name", sorted(ACTIVATIONS))
def test_a_name_means_what_it_means_to_transformers(name: str) -> None:
    ours = OPERATIONS[ACTIVATIONS[name]].compute(NUMBERS)
    torch.testing.assert_close(ours, ACT2FN[name](NUMBERS))


@pytest.mark.parametrize("name", sorted(set(ACTIVATIONS.values())))
def test_an_activation_is_the_loop(name: str) -> None:
    loop = list(map(brute_force.ACTIVATIONS[name], NUMBERS.tolist()))
    expected = torch.tensor(loop, dtype=torch.float64)
    torch.testing.assert_close(OPERATIONS[name].compute(NUMBERS), expected)


def test_exact_and_tanh_gelu_are_two_things() -> None:
    exact, approximate = (OPERATIONS[name].compute(NUMBERS) for name in ("gelu", "gelu_tanh"))
    assert 1e-4 < (exact - approximate).abs().max() < 1e-3
