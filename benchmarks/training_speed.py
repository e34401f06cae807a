"""A training step against peers: tokens a second side by side, and the peak of memory.

Two shapes: a small GPT (6 layers, 384 wide, 256 tokens, 32 texts), and a small translation model
(3 + 3 layers, 256 wide, a vocabulary of 8000) on Multi30k's lengths. "As it comes" is float32 and
batches in file order; like for like is bfloat16 and the same batches for all. Steps are taken in
turn in one process, every other round backwards; a ratio is that of two steps of the same round,
and the median over rounds is shown, in brackets the least and the most. Memory is the peak of a
few steps in a process of its own.

    python benchmarks/training_speed.py     # ROUNDS=5 unless the environment says otherwise
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from statistics import median

from report import Row, results, table
from side_by_side import in_turn, memory
from training_shapes import GPT, SHAPES, Contender, batches

ROUNDS = int(os.environ.get("ROUNDS", "5"))
TARGETS = {"small GPT": 2.2, "translation": 2.7}
MEMORY, ALIKE, LESS = 0.45, 0.95, 0.7


Rates = dict[str, list[float]]  # tokens a second in each round


def tokens(shape: str, order: str) -> float:
    """Real target tokens of a round."""
    if shape == "small GPT":
        return GPT["rows"] * (GPT["length"] - 1)
    return float(sum(sum(batch.counts().values()) for batch in batches(order)))


def a_round(shape: str, contender: Contender) -> Callable[[], None]:
    """A step, or one on each of the batches."""
    step, count = contender.make(contender), 1 if shape == "small GPT" else len(batches("buckets"))

    def steps() -> None:
        for _ in range(count):
            step()

    return steps


def peak(contender: Contender) -> float:
    """MB that two rounds of steps need above what the process had before."""
    step = contender.make(contender)
    before = memory("VmHWM")
    for _ in range(8):
        step()
    return max(1.0, (memory("VmHWM") - before) / 1e6)


def peak_apart(shape: str, number: int) -> float:
    """The same in a process of its own."""
    command = [sys.executable, __file__, shape, str(number)]
    return float(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def rows(shape: str, speed: Rates, memory: dict[str, float]) -> Iterator[Row]:
    """Ours against each, as it comes and like for like."""
    plain, ours, *alike = map(str, SHAPES[shape])
    for peer, least, most in ((plain, TARGETS[shape], MEMORY), *((p, ALIKE, LESS) for p in alike)):
        ratios = [a / b for a, b in zip(speed[ours], speed[peer], strict=True)]
        larger = memory[ours] / memory[peer]
        shown = f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        yield Row(f"{shape}: speed, {peer} = 1", shown, f"≥ {least}", median(ratios) >= least)
        yield Row(f"{shape}: memory, {peer} = 1", f"{larger:.2f}", f"≤ {most}", larger <= most)


def measured(shape: str) -> tuple[Rates, dict[str, float]]:
    """Tokens a second and MB, by contender."""
    those = SHAPES[shape]
    taken = in_turn({str(c): a_round(shape, c) for c in those}, ROUNDS)
    speed = {str(c): [tokens(shape, c.order) / t for t in taken[str(c)]] for c in those}
    return speed, {str(c): peak_apart(shape, at) for at, c in enumerate(those)}


def main() -> None:
    if len(sys.argv) > 1:
        print(peak(SHAPES[sys.argv[1]][int(sys.argv[2])]))
        return
    found, lines = [], []
    for shape in SHAPES:
        speed, memory = measured(shape)
        found += list(rows(shape, speed, memory))
        lines += [
            [shape, name, f"{median(speed[name]):,.0f}", f"{memory[name]:,.0f}"] for name in speed
        ]
    print(results(found, "peer"))
    print()
    print(table(["shape", "step of", "target tokens a second", "peak above start, MB"], lines))


if __name__ == "__main__":
    main()
