"""How far any value of a run is from its formula, computed in float64 from the value's parents.

Real sentences from SST-2's development set, through the real MiniLM and a random GPT-2.
"""

import argparse
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import gpt2
import torch
from report import Row, results, table

import pellucid

FARTHEST = 1e-5
WORST = 8  # rows of the second table


@dataclass(frozen=True)
class Found:
    """A value, how far it is from its formula, and where."""

    difference: float
    name: str
    formula: str
    where: str


def sentences(shared: str | None) -> list[str]:
    """The sentences of the development set, or what is missing."""
    if not shared:
        raise SystemExit("Real sentences are missing: give --shared FOLDER, or PELLUCID_SHARED.")
    file = Path(shared, "data", "sst2", "stsa.binary.dev")
    if not file.is_file():
        raise SystemExit(f"Real sentences are missing: there is no file {file}.")
    return [line.split(" ", 1)[1] for line in file.read_text(encoding="utf-8").splitlines()]


def spaced(texts: list[str], count: int) -> list[str]:
    """So many of the texts, evenly spaced."""
    return texts[:: len(texts) // count][:count]


def checked(model: pellucid.Model, texts: Iterable[str | list[str]]) -> Iterator[Found]:
    """Every value of every run."""
    for text in texts:
        where = f"“{text[:40]}…”" if isinstance(text, str) else f"a batch of {len(text)}"
        for check in model.see(text).verify():
            yield Found(check.difference, check.name, check.formula, where)


def row(what: str, found: list[Found]) -> Row:
    farthest = max(each.difference for each in found)
    return Row(
        what=f"{what}, {len(found):,} values, the furthest",
        ours=f"{farthest:.1e}",
        target=f"≤ {FARTHEST:.0e}",
        reached=farthest <= FARTHEST,
    )


def worst(found: Iterable[Found]) -> str:
    """The furthest values, each name once."""
    names: dict[str, Found] = {}
    for each in sorted(found, key=lambda each: -each.difference):
        names.setdefault(each.name, each)
    cells = [
        [f"{each.difference:.1e}", f"`{each.name}`", f"`{each.formula}`", each.where]
        for each in list(names.values())[:WORST]
    ]
    return table(["difference", "value", "formula", "in"], cells)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--shared", default=os.environ.get("PELLUCID_SHARED"))
    texts = sentences(arguments.parse_args().shared)
    torch.set_num_threads(2)
    fifty, five = spaced(texts, 50), spaced(texts, 5)
    minilm = pellucid.load("minilm")
    with TemporaryDirectory() as folder:
        random = pellucid.load(gpt2.build(Path(folder)))
    runs = {
        "MiniLM, 50 sentences": list(checked(minilm, fifty)),
        "MiniLM, the same as one padded batch": list(checked(minilm, [fifty])),
        "GPT-2 small, random, 5 sentences": list(checked(random, five)),
    }
    print(results((row(what, found) for what, found in runs.items()), "peer"))
    print(f"\n{worst([each for found in runs.values() for each in found])}")


if __name__ == "__main__":
    main()
