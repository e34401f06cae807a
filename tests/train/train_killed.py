"""A training that is killed again and again, each time at another moment, by the process itself.

    python train_killed.py FOLDER KILLS

Everything is imported once; each training is a process of its own that begins as a copy of this.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

import torch
from train_tasks import TASKS

from pellucid.train import checkpoint
from pellucid.train.loop import Learning
from pellucid.train.settings import usual

SETTINGS = {"rows": 4, "steps": 24, "accumulate": 2, "workers": 1, "save": 1, "measure": 5}
CHANCE = {"dropout": 0.2, "attention_dropout": 0.1}


def learn(folder: Path) -> None:
    """Begin, or go on; then write the weights that are kept, and those of the last step."""
    torch.set_num_threads(1)
    model, objective = TASKS["language"](**CHANCE)
    folder.mkdir(exist_ok=True)
    settings = usual(keep="average", average=2, **SETTINGS)
    Learning(model, objective, settings, valid=objective, folder=folder).run()
    checkpoint.save(folder / "kept.safetensors", checkpoint.weights(model), {})


def killed(folder: Path, after: float) -> bool:
    """Whether it was killed before it was done."""
    child = os.fork()
    if not child:
        learn(folder)
        os._exit(0)
    until = time.monotonic() + after
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert status == 0
            return False
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return True


def same(a: Path, b: Path) -> bool:
    (first, about), (second, about_too) = checkpoint.load(a), checkpoint.load(b)
    for each in (about, about_too):
        each.get("state", {}).pop("seconds", None)
        each.get("state", {}).pop("log", None)
    tensors = all(torch.equal(first[name], second[name]) for name in first)
    return tensors and first.keys() == second.keys() and about == about_too


def main(home: Path, kills: int) -> None:
    started = time.monotonic()
    assert not killed(home / "whole", 1000)
    whole, moments = time.monotonic() - started, random.Random(7)
    found = 0
    while found < kills:
        found += killed(home / "cut", moments.uniform(0, whole))
        if (home / "cut" / "kept.safetensors").exists():
            break
    while killed(home / "cut", 1000):
        pass
    for name in ("kept.safetensors", "checkpoint/run.safetensors"):
        assert same(home / "whole" / name, home / "cut" / name), name
    print("killed", found)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
