"""Whole models against loops over positions, heads and columns."""

import pytest
import torch
import zoo
from brute_force import Brute

SOURCE, TARGET = [0, 3, 7, 7, 1], [5, 2, 9, 11]


def weights(model: torch.nn.Module) -> dict[str, list]:
    return {name: tensor.double().tolist() for name, tensor in model.state_dict().items()}


@pytest.mark.parametrize("name", zoo.ZOO)
def test_a_model_is_what_the_loops_say(name: str) -> None:
    model = zoo.build(name).double()
    brute = Brute(model.config, weights(model))
    both = model.config.shape == "encoder-decoder"
    inputs = ([SOURCE], [TARGET]) if both else ([TARGET],)
    with torch.no_grad():
        out = model(*map(torch.tensor, inputs))
    hidden = brute.hidden(TARGET, SOURCE if both else None)
    torch.testing.assert_close(out.hidden[0], torch.tensor(hidden, dtype=torch.float64))
    if model.config.head == "language":
        words = ("target" if both else "entrance") + ".embed.words.weight"
        table = words if model.config.tied == "embedding" else "heads.head.words.weight"
        logits = torch.tensor(brute.logits(hidden, table), dtype=torch.float64)
        torch.testing.assert_close(out.logits[0], logits)
