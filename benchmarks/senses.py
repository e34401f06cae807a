"""Word senses in the frozen MiniLM: CoarseWSD-20's ten words by nearest means, and WiC.

    python benchmarks/senses.py ../shared/data crane.png > benchmarks/SENSES.md

Sentences are given as the data sets have them. Every layer is listed; the one that counts is chosen
without the test sentences: for CoarseWSD on the training sentences (each with itself left out), for
WiC on dev, where the threshold is chosen too (and, to compare, on the larger training set).
The picture is of "crane" after each layer.
"""

import json
import sys
from pathlib import Path

import torch
from report import table

import pellucid
from pellucid.models.model import Model
from pellucid.study.pairs import Question, SameSense, same_sense
from pellucid.study.senses import Senses, senses
from pellucid.study.vectors import Use
from pellucid.views.clouds import fill

WORDS = "bank bow chair club crane mole seal spring square trunk".split()
REACHED = ["what", "at the chosen layer", "at the best layer", "to reach"]
NOISE = "\nOf 1,400 questions, chance alone moves a share by 1.3 points (one standard error)."
REACH = {"ten words": 0.909, "crane": 0.936, "WiC": 0.590}


def at_word(text: str, number: int, label: str = "") -> Use:
    """The word of this number, counting between spaces."""
    words = text.split(" ")
    start = len("".join(f"{word} " for word in words[:number]))
    return Use(text, (start, start + len(words[number])), label)


def uses(folder: Path, split: str) -> list[Use]:
    named = json.loads((folder / "classes_map.txt").read_text())
    lines = (folder / f"{split}.data.txt").read_text(encoding="utf-8").splitlines()
    golds = (folder / f"{split}.gold.txt").read_text().split()
    parts = [line.split("\t") for line in lines]
    return [at_word(t, int(n), named[gold]) for (n, t), gold in zip(parts, golds, strict=True)]


def questions(folder: Path, split: str) -> list[Question]:
    lines = (folder / f"{split}.data.txt").read_text(encoding="utf-8").splitlines()
    golds = (folder / f"{split}.gold.txt").read_text().split()
    return [_question(line, gold) for line, gold in zip(lines, golds, strict=True)]


def _question(line: str, gold: str) -> Question:
    _word, _kind, places, *texts = line.split("\t")
    pairs = zip(texts, map(int, places.split("-")), strict=True)
    first, second = (at_word(text, number) for text, number in pairs)
    return Question(first, second, gold == "T")


def cells(name: str, shares: list[float], best: int) -> list[str]:
    return [name, *(f"**{s:.1%}**" if at == best else f"{s:.1%}" for at, s in enumerate(shares))]


def of_words(found: dict[str, Senses]) -> list[list[str]]:
    """Each word's row; the last rows are the mean of the ten, and all sentences together."""
    columns = range(len(next(iter(found.values())).layers))
    tuned = [sum(found[w].learned[at] for w in WORDS) for at in columns]
    best = max(columns, key=tuned.__getitem__)
    rows = [cells(word, list(found[word].accuracy), best) for word in WORDS]
    mean = [sum(found[w].accuracy[at] for w in WORDS) / len(WORDS) for at in columns]
    total = sum(found[w].tested for w in WORDS)
    pooled = [sum(found[w].accuracy[at] * found[w].tested for w in WORDS) / total for at in columns]
    rows += [cells("mean of the ten", mean, best), cells(f"all {total:,}", pooled, best)]
    return rows


def measure_words(model: Model, data: Path) -> dict[str, Senses]:
    found = {}
    for word in WORDS:
        train, test = (uses(data / "coarsewsd-20" / word, split) for split in ("train", "test"))
        found[word] = senses(model, word, train, test)
        print(word, [f"{share:.3f}" for share in found[word].accuracy], file=sys.stderr)
    return found


def of_wic(split: str, found: SameSense) -> list[list[str]]:
    return [
        cells(split, list(found.chosen_on), found.best),
        cells(f"test, threshold of {split}", list(found.tested_on), found.best),
    ]


def main() -> None:
    torch.set_num_threads(1)
    data = Path(sys.argv[1])
    model = pellucid.load("minilm")
    words = measure_words(model, data)
    rows = of_words(words)
    if len(sys.argv) > 2:
        fill(words["crane"].picture, Path(sys.argv[2]), Path(sys.argv[2]).suffix)
    test = questions(data / "wic", "test")
    wic = [
        row
        for split in ("dev", "train")
        for row in of_wic(split, same_sense(model, questions(data / "wic", split), test))
    ]
    heading = ["", *(name.removesuffix(".output") for name in words["crane"].layers)]
    print("# Word senses in the frozen MiniLM, by layer\n")
    print(f"{__doc__.strip().splitlines()[0]} Written by `benchmarks/senses.py`.\n")
    print("The vector of the word itself (of several pieces their mean), after each layer. In bold")
    print("the layer chosen without the test sentences.\n")
    print(f"## CoarseWSD-20: nearest mean by angle\n\n{table(heading, rows)}\n")
    print(f"## WiC: one threshold on the cosine\n\n{table(heading, wic)}\n")
    reached = [
        ("CoarseWSD-20, mean of the ten", rows[-2], REACH["ten words"]),
        ("CoarseWSD-20, all sentences", rows[-1], REACH["ten words"]),
        ("crane", rows[WORDS.index("crane")], REACH["crane"]),
        ("WiC test, threshold of dev", wic[1], REACH["WiC"]),
        ("WiC test, threshold of train", wic[3], REACH["WiC"]),
    ]
    print("## To reach\n")
    print(table(REACHED, map(_reached, reached)))
    print(NOISE)
    if len(sys.argv) > 2:
        print(f"\n![two clouds parting]({Path(sys.argv[2]).name})")


def _reached(line: tuple[str, list[str], float]) -> list[str]:
    name, row, target = line
    chosen = next(cell.strip("*") for cell in row[1:] if cell.startswith("**"))
    best = max(float(cell.strip("*%")) for cell in row[1:])
    return [name, chosen, f"{best:.1f}%", f"≥ {target:.1%}"]


if __name__ == "__main__":
    main()
