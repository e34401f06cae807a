"""Two processes that learn together, and one that learns alone.

python train_ranks.py FOLDER TASK
"""

import os
import socket
import sys
from pathlib import Path

import torch
from train_tasks import TASKS

from pellucid.train import checkpoint
from pellucid.train.loop import Learning
from pellucid.train.settings import usual


def learn(folder: Path, task: str) -> None:
    torch.set_num_threads(1)
    model, objective = TASKS[task]()
    settings = usual(rows=7, steps=3, warmup=0, dropout=0.0, accumulate=2, measure=2, keep="last")
    Learning(model.double(), objective, settings, valid=objective, folder=folder).run()
    rank = os.environ.get("RANK", "alone")
    checkpoint.save(folder / f"{rank}.safetensors", checkpoint.weights(model), {})


def child(folder: Path, task: str, **environment: str) -> int:
    process = os.fork()
    if not process:
        os.environ.update(environment)
        learn(folder, task)
        os._exit(0)
    return process


def main(home: Path, task: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    meeting = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": "2"}
    for name in ("alone", "together"):
        (home / name).mkdir()
    children = [child(home / "alone", task)]
    children += [child(home / "together", task, RANK=rank, **meeting) for rank in "01"]
    for each in children:
        assert os.waitpid(each, 0)[1] == 0
    alone, _ = checkpoint.load(home / "alone" / "alone.safetensors")
    first, second = (checkpoint.load(home / "together" / f"{r}.safetensors")[0] for r in "01")
    assert all(torch.equal(first[name], second[name]) for name in first)
    print(max(float((alone[name] - first[name]).abs().max()) for name in first))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
