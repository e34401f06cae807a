"""nanoGPT's recipe for a CPU, beside nanoGPT: the time of training, in turn, and the loss.

Ours is `pellucid train --settings recipes/shakespeare.toml`, measured on all of the last tenth of
the text; theirs is nanogpt.py, measured on 20 batches as it comes. Both have two threads. Time is
from the first step to the last, measurements included.

python benchmarks/shakespeare.py --shared FOLDER
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from report import Row, results
from side_by_side import Spread

HERE = Path(__file__).parent
RECIPE = HERE.parent / "recipes" / "shakespeare.toml"
ROUNDS = int(os.environ.get("ROUNDS", "3"))  # two at least, for a spread
STEPS = int(os.environ.get("STEPS", "2000"))
MOST_LOSS, MOST_TIME = 1.88, 0.7
OURS = """
import json, sys, time, torch
from pathlib import Path
torch.set_num_threads(2)
from pellucid.train.loop import Learning
taken = []
run = Learning.run
def timed(learning):
    started = time.perf_counter()
    state = run(learning)
    taken.append(time.perf_counter() - started)
    return state
Learning.run = timed
from pellucid.cli import main
sys.argv = ["pellucid", "train", "--settings", sys.argv[1], "--out", sys.argv[2], *sys.argv[3:]]
try:
    main()
except SystemExit:
    pass
lines = [json.loads(line) for line in (Path(sys.argv[5]) / "log.jsonl").open()]
loss = min(line["valid"]["loss"] for line in lines if "valid" in line)
print(json.dumps({"seconds": taken[0], "loss": loss}))
"""
Taken = dict[str, float]


def run(command: list[str], where: Path) -> Taken:
    env = os.environ | {"OMP_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, *command], check=True, stdout=subprocess.PIPE, cwd=where, env=env
    )
    found: Taken = json.loads(done.stdout.decode().strip().splitlines()[-1])
    return found


def ours(text: Path, out: Path, seed: int) -> Taken:
    said = ["--set", f"seed={seed}", "--set", f"steps={STEPS}"]
    return run(["-c", OURS, str(RECIPE), str(out), *said], text.parent)


def theirs(text: Path) -> Taken:
    return run([str(HERE / "nanogpt.py"), str(text), str(STEPS)], text.parent)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", default=os.environ.get("PELLUCID_SHARED"), required=False)
    text = Path(parser.parse_args().shared or "", "data", "tinyshakespeare", "input.txt").resolve()
    pairs: list[tuple[Taken, Taken]] = []
    with TemporaryDirectory() as place:
        for number in range(ROUNDS):
            pairs.append((ours(text, Path(place, str(number)), number), theirs(text)))
            print(f"round {number + 1}: {pairs[-1]}", file=sys.stderr)
    shares = Spread.of([own["seconds"] / peer["seconds"] for own, peer in pairs])
    losses = Spread.of([own["loss"] for own, _ in pairs])
    peers = Spread.of([peer["loss"] for _, peer in pairs])
    rows = [
        Row("time of training, nanoGPT = 1", f"{shares.middle:.2f} ({shares.low:.2f} to "
            f"{shares.high:.2f})", f"≤ {MOST_TIME}", shares.middle <= MOST_TIME, "1"),
        Row(f"validation loss after {STEPS:,} steps", f"{losses.middle:.4f} ({losses.low:.4f} to "
            f"{losses.high:.4f})", f"≤ {MOST_LOSS}", losses.middle <= MOST_LOSS,
            f"{peers.middle:.4f}"),
    ]  # fmt: skip
    print(results(rows, "nanoGPT"))


if __name__ == "__main__":
    main()
