"""How fast answers come: beside transformers, CTranslate2 and sentence-transformers, in turn.

    python benchmarks/decoding.py --shared FOLDER [--rounds 3]
    python benchmarks/decoding.py --shared FOLDER --only greedy beam translate score encoder start

Every contender runs in a process of its own, since two libraries with their own threads in one
process slow each other down; the processes run in turn, every other round backwards. A ratio is
that of two runs of the same round; the number shown is the median over the rounds, in brackets the
least and the most. The decoder has GPT-2 small's shape and random weights, the same for all: 64
tokens are read and 64 generated, reading included. The first run of a process is not counted; the
code that torch compiles is kept between processes, but for the cold start.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import gpt2
import torch
from decoding_contenders import (
    BEAMS,
    LIBRARIES,
    SIZES,
    SMALL,
    START,
    Task,
    cosine,
    ids,
    marian,
)
from report import Row, results, table

FLOAT, BF16, INT8 = "float32", "bf16", "int8"
OURS = [("pellucid", precision) for precision in (FLOAT, BF16, INT8)]
HF, CT2, CT2_INT8 = ("transformers", FLOAT), ("ctranslate2", FLOAT), ("ctranslate2", INT8)
ST, ST_BF16 = ("sentence-transformers", FLOAT), ("sentence-transformers", BF16)
BEST = "the best of them"
Who = tuple[str, str]
Found = dict[Who, list[float]]

CONTENDERS: dict[str, list[Who]] = {
    "greedy": [HF, CT2, CT2_INT8, *OURS],
    "beam": [HF, CT2, CT2_INT8, *OURS],
    "translate": [HF, CT2, CT2_INT8, *OURS],
    "score": [HF, CT2, CT2_INT8, *OURS[:2]],
    "encoder": [ST, ST_BF16, *OURS[:2]],
    "start": [*OURS],
}
# ours, theirs, and how many times theirs it was to be; None: stated
GOALS: dict[str, list[tuple[str, Who, float | None]]] = {
    "greedy": [(FLOAT, HF, 2.4), (FLOAT, CT2, 1.1), (BF16, CT2_INT8, 1.4), (INT8, CT2_INT8, 1.7)],
    "beam": [(BEST, HF, 4.0), (BEST, CT2_INT8, 1.4)],
    "translate": [(BEST, HF, 2.5), (BEST, CT2, None), (BEST, CT2_INT8, None)],
    "score": [(BEST, HF, 2.3), (BEST, CT2_INT8, 1.0)],
    "encoder": [(BF16, ST, 2.0)],
    "start": [],
}
TITLES = {
    "greedy": f"one text, {SIZES.prompt} + {SIZES.new} tokens, tokens a second",
    "beam": f"the same with {BEAMS} beams",
    "translate": f"translation, Marian-base shape, {SIZES.sentences} sentences, {BEAMS} beams",
    "score": f"scoring {SIZES.rows} × {SIZES.length} tokens, tokens a second",
    "encoder": f"vectors of {SIZES.embedded:,} sentences of SST-2, sentences a second",
    "start": "an empty process to its first token, seconds",
}
COSINE, SOON = 0.9998, 3.0


def measure(task: Task, who: str) -> float | None:
    """One process; None where the library is not there."""
    command = [sys.executable, __file__, "--worker", who, *map(str, task)]
    told = os.environ | {"OMP_NUM_THREADS": "2"}
    done = subprocess.run(command, capture_output=True, text=True, env=told, check=False)
    if done.returncode:
        print(who, *done.stderr.strip().splitlines()[-1:], file=sys.stderr)
        return None
    return float(done.stdout.split()[-1])


def started(
    folder: Path, precision: str, compiled: str = "always", **env: str
) -> tuple[float, float]:
    """Seconds from nothing to the first token, and to the second, the first of compiled code."""
    prompt = " ".join(map(str, ids(1, SIZES.prompt)[0]))
    command = [sys.executable, "-c", START, str(folder), precision, compiled, prompt]
    begun = perf_counter()
    told = os.environ | {"OMP_NUM_THREADS": "2"} | env
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=told) as process:
        assert process.stdout is not None
        first = process.stdout.readline(), perf_counter() - begun
        second = process.stdout.readline(), perf_counter() - begun
    if (first[0], second[0]) != ("first\n", "second\n"):
        raise SystemExit(f"The process that starts in {precision} failed.")
    return first[1], second[1]


def taken(folder: Path, what: str, rounds: int) -> Found:
    """What each contender reached in each round; of those that are not there, nothing."""
    found: Found = {who: [] for who in CONTENDERS[what]}
    if what == "start":  # so that what is measured was compiled before
        for _, precision in found:
            started(folder, precision)
    for number in range(rounds):
        for who in list(found)[:: -1 if number % 2 else 1]:
            if what == "start":
                found[who].append(started(folder, who[1])[0])
            elif (value := measure(Task(folder, what, who[1]), who[0])) is not None:
                found[who].append(value)
    return {who: values for who, values in found.items() if values}


def goals(what: str, found: Found) -> Iterator[Row]:
    """Ours against theirs, round by round."""
    for wanted, theirs, least in GOALS[what]:
        own = {who: v for who, v in found.items() if who[0] == "pellucid"}
        named = max(own, key=lambda who: median(own[who])) if wanted == BEST else OURS_BY[wanted]
        if theirs not in found or named not in found:
            continue
        ratios = [a / b for a, b in zip(found[named], found[theirs], strict=True)]
        middle = median(ratios)
        yield Row(
            f"{TITLES[what]}: ours in {named[1]}, {' '.join(theirs)} = 1",
            f"{middle:.2f} ({min(ratios):.2f} to {max(ratios):.2f})",
            "stated" if least is None else f"≥ {least}",
            None if least is None else middle >= least,
        )


OURS_BY = {precision: ("pellucid", precision) for _, precision in OURS}


def further(folder: Path, what: str, found: Found) -> Iterator[Row]:
    """What is no ratio: cosines, and how long a start takes."""
    if what == "encoder" and ST in found:
        worst = cosine(folder, BF16)
        title = "the worst cosine of bf16 vectors with those of sentence-transformers float32"
        yield Row(title, f"{worst:.5f}", f"≥ {COSINE}", worst >= COSINE)
    if what == "start":
        for _, precision in found:
            warm = median(found["pellucid", precision])
            yield Row(f"start to first token, {precision}", f"{warm:.2f} s",
                      f"< {SOON:.0f} s", warm < SOON)  # fmt: skip
            ways = {
                "its code compiled before": started(folder, precision),
                "nothing compiled before": started(
                    folder, precision, TORCHINDUCTOR_FORCE_DISABLE_CACHES="1"
                ),
                "nothing is compiled": started(folder, precision, "never"),
            }
            for way, (_, second) in ways.items():
                yield Row(f"to the second token, {way}, {precision}", f"{second:.2f} s", "stated")


def listed(what: str, found: Found) -> list[list[str]]:
    """Each contender's median, least and most."""
    return [
        [TITLES[what], *who, f"{median(v):.4g} ({min(v):.4g} to {max(v):.4g})"]
        for who, v in found.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--shared", default=os.environ.get("PELLUCID_SHARED", "."))
    parser.add_argument("--only", nargs="+", choices=TITLES, default=list(TITLES))
    parser.add_argument("--worker", nargs=4, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    torch.set_num_threads(2)
    if chosen.worker:
        who, folder, what, precision = chosen.worker
        print(LIBRARIES[who](Task(Path(folder), what, precision)))
        return
    os.environ["PELLUCID_SHARED"] = chosen.shared
    rows, lines = [], []
    with TemporaryDirectory() as home:
        decoder = gpt2.build(Path(home) / "gpt2", 96 if SIZES is SMALL else 768)
        both = marian(Path(home) / "marian") if "translate" in chosen.only else decoder
        for what in chosen.only:
            folder = both if what == "translate" else decoder
            found = taken(folder, what, chosen.rounds)
            rows += [*goals(what, found), *further(folder, what, found)]
            lines += listed(what, found)
            print(what, "done", file=sys.stderr)
    print(results(rows, "peer"))
    print()
    print(table(["what", "library", "weights", "median (least to most)"], lines))


if __name__ == "__main__":
    main()
