"""Blocks that were compiled and blocks that were not: how far apart they are after some steps."""

import torch
from torch._dynamo.utils import counters
from train_tasks import TASKS

from pellucid.train.checkpoint import weights
from pellucid.train.loop import Learning
from pellucid.train.settings import usual


def learned(how: str) -> dict[str, torch.Tensor]:
    model, objective = TASKS["language"]()
    Learning(model, objective, usual(rows=8, steps=3, warmup=0, dropout=0.0, compile=how)).run()
    return weights(model)


if __name__ == "__main__":
    torch.set_num_threads(1)
    eager, compiled = map(learned, ("none", "blocks"))
    print(max(float((eager[name] - compiled[name]).abs().max()) for name in eager))
    print(counters["stats"]["unique_graphs"], sum(counters["graph_break"].values()))
