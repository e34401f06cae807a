"""Word senses in the frozen MiniLM: CoarseWSD-20's ten words by nearest means, and WiC.

    python benchmarks/senses.py ../shared/data benchmarks/crane.png > benchmarks/SENSES.md

Sentences are given as the data sets have them. Every layer is listed; the one that counts is chosen
without the test sentences: for CoarseWSD on the training sentences (each with itself left out), for
WiC on dev, where the threshold is chosen too (and, to compare, on the larger training set).
The picture is of "crane" after each layer.
"""

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from report import table

import pellucid
from pellucid.models.model import Model
from pellucid.study.nearest import Distance
from pellucid.study.pairs import Question, SameSense, same_sense
from pellucid.study.senses import Senses, senses
from pellucid.study.vectors import Pieces, Use
from pellucid.views.clouds import fill

WORDS = "bank bow chair club crane mole seal spring square trunk".split()
PIECES = {"first": "first piece", "mean": "mean of pieces"}
PLACES = {"mean of the ten": -3, "all sentences": -2, "crane": WORDS.index("crane")}
REACH = {"mean of the ten": 0.909, "all sentences": 0.909, "crane": 0.936, "WiC": 0.590}
REACHED = ["what", "at the chosen layer", "at the best layer", "to reach", "reached"]
PAGE = """# Word senses in the frozen MiniLM, by layer

Written by `benchmarks/senses.py`. The vector is that of the word itself, after each layer. In bold
the layer chosen without the test sentences.

## CoarseWSD-20: nearest mean, measured by the senses' spread

The usual way of `pellucid senses`: vectors of length one, and each sense's mean is as near as the
spread of the senses' sentences makes it (Mahalanobis 1936, with the spread of Ledoit and Wolf 2004;
`study/nearest.py`). It was chosen because it is the better on training sentences, with three of a
sense as with all (last line); test sentences decided nothing, though their shares were in view.

{}

## CoarseWSD-20: nearest mean by angle

The plainer way (`--distance angle`), as Loureiro et al. 2020 do it, and as the data's README does:
90.9 % there is all sentences together; its ten words, as it lists them, have the mean 89.7 %.

{}

## WiC: one threshold on the cosine

Of a word in several pieces the first one's vector is the better on dev, and is the usual way here.
The 59.0 % of the data's README are those of the mean of the pieces after the last layer, with the
threshold of the training set.

{}

## To reach

{}

Of 1,400 questions, chance alone moves a share by 1.3 points (one standard error).
"""


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


@dataclass(frozen=True)
class Line:
    """A share after each layer, and the layer that was chosen without it."""

    name: str
    shares: list[float]
    chosen: int

    @property
    def cells(self) -> list[str]:
        pairs = enumerate(self.shares)
        return [
            self.name,
            *(f"**{s:.1%}**" if at == self.chosen else f"{s:.1%}" for at, s in pairs),
        ]

    def reached(self, target: float) -> list[str]:
        """Its share, the best layer's, what was to be reached, and whether it was."""
        share = self.shares[self.chosen]
        said = "yes" if share >= target else "**no**"
        return [self.name, f"{share:.1%}", f"{max(self.shares):.1%}", f"≥ {target:.1%}", said]


def of_words(found: dict[str, Senses]) -> list[Line]:
    """Each word's line; the last lines are the mean of the ten, and all sentences together."""
    columns = range(len(next(iter(found.values())).layers))
    tuned = [sum(found[w].learned[at] for w in WORDS) for at in columns]
    best = max(columns, key=tuned.__getitem__)
    lines = [Line(word, list(found[word].accuracy), best) for word in WORDS]
    mean = [sum(found[w].accuracy[at] for w in WORDS) / len(WORDS) for at in columns]
    total = sum(found[w].tested for w in WORDS)
    pooled = [sum(found[w].accuracy[at] * found[w].tested for w in WORDS) / total for at in columns]
    tuned = [share / len(WORDS) for share in tuned]
    lines += [Line("mean of the ten", mean, best), Line(f"all {total:,}", pooled, best)]
    return [*lines, Line("mean, training sentences", tuned, best)]


def measure_words(model: Model, data: Path, distance: Distance) -> dict[str, Senses]:
    found = {}
    for word in WORDS:
        train, test = (uses(data / "coarsewsd-20" / word, split) for split in ("train", "test"))
        found[word] = senses(model, word, train, test, distance=distance)
        print(word, distance, [f"{share:.3f}" for share in found[word].accuracy], file=sys.stderr)
    return found


def of_wic(split: str, pieces: Pieces, found: SameSense) -> list[Line]:
    about = f"threshold of {split}, {PIECES[pieces]}"
    return [
        Line(f"{split}, {PIECES[pieces]}", list(found.chosen_on), found.best),
        Line(f"test, {about}", list(found.tested_on), found.best),
    ]


def measure_wic(model: Model, folder: Path) -> list[Line]:
    test = questions(folder, "test")
    lines = []
    for split, pieces in (("dev", "first"), ("dev", "mean"), ("train", "mean")):
        found = same_sense(model, questions(folder, split), test, pieces=pieces)
        lines += of_wic(split, pieces, found)
    return lines


def main() -> None:
    torch.set_num_threads(1)
    data = Path(sys.argv[1])
    model = pellucid.load("minilm")
    words = {distance: measure_words(model, data, distance) for distance in ("spread", "angle")}
    lines = {distance: of_words(found) for distance, found in words.items()}
    wic = measure_wic(model, data / "wic")
    crane = words["spread"]["crane"]
    if len(sys.argv) > 2:
        fill(crane.picture, Path(sys.argv[2]), Path(sys.argv[2]).suffix)
    heading = ["", *(name.removesuffix(".output") for name in crane.layers)]

    def shown(some: list[Line]) -> str:
        return table(heading, (line.cells for line in some))

    reached = [
        *(replace(lines["spread"][at], name=n).reached(REACH[n]) for n, at in PLACES.items()),
        wic[1].reached(REACH["WiC"]),
    ]
    parts = (shown(lines["spread"]), shown(lines["angle"]), shown(wic), table(REACHED, reached))
    print(PAGE.format(*parts), end="")
    if len(sys.argv) > 2:
        print(f"\n![two clouds parting]({Path(sys.argv[2]).name})")


if __name__ == "__main__":
    main()
