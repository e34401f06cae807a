"""How long it takes to start: whole processes, in turn, each with a fresh interpreter."""

import shlex
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from report import Row, called, results, table
from side_by_side import Seconds, Spread, in_turn, longer

ROUNDS = 9
MOST_AFTER_TORCH = 0.3  # seconds
MOST_FOR_HELP = 0.4
PEER = "transformer_lens"
IMPORTS = {
    "import torch": "torch",
    "import pellucid": "pellucid",
    "pellucid.load": "pellucid.models.load",  # what a program pays before its first model
    f"import {PEER}": PEER,
}
HELP = "pellucid --help"
LONGEST_ANSWER = 3  # seconds
ANSWERS = [
    'pellucid see "The seal slept on the ice."',
    'pellucid classify "I lost my card"',
    'pellucid generate "Once upon a time"',
    'pellucid translate "Where is the station?"',
]


def commands() -> dict[str, list[str]]:
    """What there is to start here."""
    imports = {
        name: [sys.executable, "-c", f"import {module}"]
        for name, module in IMPORTS.items()
        if find_spec(module.partition(".")[0])
    }
    bin = Path(sys.executable).parent
    ours = {line: [str(bin / "pellucid"), *shlex.split(line)[1:]] for line in (HELP, *ANSWERS)}
    return imports | ours


def started(command: list[str]) -> Callable[[], object]:
    return partial(subprocess.run, command, check=True, capture_output=True)


def seconds(taken: Seconds | Spread) -> str:
    spread = taken if isinstance(taken, Spread) else Spread.of(taken)
    return f"{spread.middle:.2f} s ({spread.low:.2f} to {spread.high:.2f})"


def rows(taken: dict[str, Seconds]) -> list[Row]:
    torch = taken["import torch"]
    after = {name: longer(torch, taken[name]) for name in ("import pellucid", "pellucid.load")}
    peer = seconds(longer(torch, taken[f"import {PEER}"])) if f"import {PEER}" in taken else "–"
    least = Spread.of(taken[HELP])
    return [
        *(
            Row(
                what=f"`{name}`, longer than `import torch` by",
                ours=seconds(spread),
                target=f"≤ {MOST_AFTER_TORCH} s",
                reached=spread.middle <= MOST_AFTER_TORCH,
                peer=peer,
            )
            for name, spread in after.items()
        ),
        Row(
            what=f"`{HELP}`",
            ours=seconds(least),
            target=f"< {MOST_FOR_HELP} s",
            reached=least.middle < MOST_FOR_HELP,
        ),
        *(
            Row(
                what=f"`{line}`, from a cold start to the end",
                ours=seconds(taken[line]),
                target=f"< {LONGEST_ANSWER} s",
                reached=Spread.of(taken[line]).middle < LONGEST_ANSWER,
            )
            for line in ANSWERS
        ),
    ]


def main() -> None:
    runs = {name: started(command) for name, command in commands().items()}
    taken = in_turn(runs, ROUNDS)
    print(results(rows(taken), called("transformer-lens")))
    cells = [[f"`{name}`", seconds(times)] for name, times in taken.items()]
    print(f"\n{table(['whole process', 'median (quartiles)'], cells)}")


if __name__ == "__main__":
    main()
