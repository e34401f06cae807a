"""A training step against peers: tokens a second side by side, and the peak of memory.

Two shapes: a small GPT (6 layers, 384 wide, 256 tokens, 32 texts), and a small translation model
(3 + 3 layers, 256 wide, a vocabulary of 8000) on Multi30k's lengths. "As it comes" is float32 and
batches in file order; like for like is bfloat16 and the same batches for all. Steps are taken in
turn in one process; memory is that of one step in a process of its own.
"""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from statistics import median

import numpy as np
from report import Row, results, table
from side_by_side import in_turn
from training_shapes import GPT, SHAPES, Contender, batches

ROUNDS = int(os.environ.get("ROUNDS", "5"))
TARGETS = {"small GPT": 2.2, "translation": 2.7}
MEMORY, ALIKE, MEMORY_ALIKE = 0.45, 0.95, 0.7


def tokens(shape: str, order: str) -> float:
    """Real target tokens of a step, on average."""
    if shape == "small GPT":
        return GPT["rows"] * (GPT["length"] - 1)
    return float(np.mean([sum(batch.counts().values()) for batch in batches(order)]))


def peak(contender: Contender) -> float:
    """MB that two rounds of steps need above what the process had before."""
    step = contender.make(contender)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(8):
        step()
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1e3


def peak_apart(shape: str, number: int) -> float:
    """The same in a process of its own."""
    command = [sys.executable, __file__, shape, str(number)]
    return float(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def rows(shape: str, speed: dict[str, float], memory: dict[str, float]) -> Iterator[Row]:
    plain, ours, *alike = map(str, SHAPES[shape])
    faster, larger = speed[ours] / speed[plain], memory[ours] / memory[plain]
    yield Row(f"{shape}: speed, transformers as it comes = 1", f"{faster:.2f}",
              f"≥ {TARGETS[shape]}", faster >= TARGETS[shape])  # fmt: skip
    yield Row(f"{shape}: memory, the same = 1", f"{larger:.2f}", f"≤ {MEMORY}", larger <= MEMORY)
    for peer in alike:
        faster, larger = speed[ours] / speed[peer], memory[ours] / memory[peer]
        yield Row(f"{shape}: speed, {peer} = 1", f"{faster:.2f}", f"≥ {ALIKE}", faster >= ALIKE)
        yield Row(f"{shape}: memory, {peer} = 1", f"{larger:.2f}", f"≤ {MEMORY_ALIKE}",
                  larger <= MEMORY_ALIKE)  # fmt: skip


def measured(shape: str) -> tuple[dict[str, float], dict[str, float]]:
    """Tokens a second and MB, by contender."""
    those = SHAPES[shape]
    taken = in_turn({str(c): c.make(c) for c in those}, ROUNDS)
    speed = {str(c): tokens(shape, c.order) / median(taken[str(c)]) for c in those}
    return speed, {str(c): peak_apart(shape, at) for at, c in enumerate(those)}


def main() -> None:
    if len(sys.argv) > 1:
        print(peak(SHAPES[sys.argv[1]][int(sys.argv[2])]))
        return
    found, lines = [], []
    for shape in SHAPES:
        speed, memory = measured(shape)
        found += list(rows(shape, speed, memory))
        lines += [[shape, name, f"{speed[name]:,.0f}", f"{memory[name]:,.0f}"] for name in speed]
    print(results(found, "peer"))
    print()
    print(table(["shape", "step of", "target tokens a second", "peak above start, MB"], lines))


if __name__ == "__main__":
    main()
