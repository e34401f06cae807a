"""Sparse vectors and the linear rival: speed against scikit-learn, memory, accuracy.

python benchmarks/vectors.py --shared FOLDER      writes VECTORS.md
"""

import argparse
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from report import Row, called, results, table
from side_by_side import Seconds, Spread, in_turn, memory, overhead
from sklearn.feature_extraction.text import TfidfVectorizer

from pellucid.text.formats import Document, Layout
from pellucid.text.sources import Corpus
from pellucid.text.vectors import Vectorizer
from pellucid.text.words import USUAL_STEPS, Analyzer
from pellucid.train.examples import Examples
from pellucid.train.linear import TfidfClassifier
from pellucid.train.run import measure
from pellucid.train.score import Score

HERE = Path(__file__)
OUT = HERE.with_name("VECTORS.md")
CHOICE = "## How the linear rival's settings were chosen"  # linear_defaults.py writes it
PEER = "TfidfVectorizer"
PACKAGES = "pellucid scikit-learn scipy numpy regex snowballstemmer PyStemmer simplemma".split()

ROUNDS = 9
LINES = 1_000_000
HASHED = 262_144
MOST_HELD = 1.5  # of the matrix and its vocabulary

Run = Callable[[], object]


def books(data: Path) -> list[str]:
    """The lines of three books, without the empty ones."""
    paths = [*(data / "books").glob("*.txt"), *(data / "books").glob("*.gz")]
    return [document.text for document in Corpus(sorted(paths))]


# Speed: each run starts from nothing, so that every stem is worked out anew.


def ours(texts: list[str], steps: tuple[str, ...] = USUAL_STEPS, longest: int = 1) -> Run:
    analyzer = {"steps": steps, "ngrams": (1, longest)}
    return lambda: Vectorizer(analyzer=Analyzer(**analyzer)).fit_transform(texts)


def theirs(texts: list[str], longest: int = 1) -> Run:
    return lambda: TfidfVectorizer(ngram_range=(1, longest)).fit_transform(texts)


def runs(texts: list[str]) -> dict[str, Run]:
    return {
        f"{PEER}, words": theirs(texts),
        f"{PEER}, words and pairs": theirs(texts, 2),
        "words": ours(texts),
        "words and pairs": ours(texts, longest=2),
        "Snowball stems": ours(texts, (*USUAL_STEPS, "snowball")),
        "Porter stems": ours(texts, (*USUAL_STEPS, "porter")),
        "lemmas": ours(texts, ("lemma", *USUAL_STEPS)),
    }


def speed_rows(taken: dict[str, Seconds]) -> Iterator[Row]:
    for name, plain, allowed in (
        ("words", "words", 0.1),
        ("words and pairs", "words and pairs", 0.1),
        ("Snowball stems", "words", 1.0),
        ("Porter stems", "words", 1.0),
        ("lemmas", "words", 1.0),
    ):
        cost = overhead(taken[f"{PEER}, {plain}"], taken[name])
        yield Row(
            what=f"TF-IDF of {name}, longer than TfidfVectorizer with {plain}",
            ours=f"{cost.middle:+.0%} ({cost.low:+.0%} to {cost.high:+.0%})",
            target=f"≤ {allowed:+.0%}",
            reached=cost.middle <= allowed,
            peer="0%",
        )


def speeds(taken: dict[str, Seconds], texts: list[str]) -> str:
    size = sum(len(text.encode()) for text in texts) / 1e6
    medians = {name: Spread.of(seconds).middle for name, seconds in taken.items()}
    cells = [
        [name, f"{seconds:.2f}", f"{size / seconds:.1f}", f"{len(texts) / seconds:,.0f}"]
        for name, seconds in medians.items()
    ]
    return table(["run", "seconds", "MB a second", "lines a second"], cells)


# Memory: a process of its own reads a file and tells how much it grew at most (Linux only).


def million(texts: list[str], path: Path) -> None:
    """Lines made of two stretches of the books each."""
    words = " ".join(texts).split()
    draw = random.Random(0)
    with path.open("w", encoding="utf-8") as file:
        for _ in range(LINES):
            starts = (draw.randrange(len(words) - 9) for _ in range(2))
            stretches = (words[start : start + draw.randrange(3, 9)] for start in starts)
            print(*(word for stretch in stretches for word in stretch), file=file)


def grow(path: Path, longest: int, passes: int, hashed: int) -> None:
    """Print how much the process grew, and how large what it made is; no passes is the peer's."""
    ours = Vectorizer(analyzer=Analyzer(ngrams=(1, longest)), hashed=hashed or None)
    vectorizer = ours if passes else TfidfVectorizer(ngram_range=(1, longest))
    vectorizer.fit_transform(["everything is imported", "and has run once"])
    before = memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    if passes == 2:
        vectorizer.fit(texts_of(path))
        matrix = vectorizer.transform(texts_of(path))
    else:
        matrix = vectorizer.fit_transform(texts_of(path))
    grown = memory("VmHWM") - before
    print(json.dumps({"grown": grown, "made": made(matrix, vectorizer.vocabulary_)}))


def texts_of(path: Path) -> Iterator[str]:
    return (document.text for document in Corpus([path]))


def made(matrix: Any, vocabulary: dict[str, int]) -> int:
    """Bytes of a matrix, and of a vocabulary with its strings and numbers."""
    strings = sum(sys.getsizeof(term) + sys.getsizeof(at) for term, at in vocabulary.items())
    parts = (matrix.data, matrix.indices, matrix.indptr)
    return sum(part.nbytes for part in parts) + sys.getsizeof(vocabulary) + strings


def grown(path: Path, *how: int) -> tuple[float, float]:
    """Of a process of its own: its peak as a multiple of what it made, and the MB of that."""
    command = [sys.executable, HERE, "--grow", path, *map(str, how)]
    told = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return told["grown"] / told["made"], told["made"] / 1e6


READ = {"once": (1, 0), "twice": (2, 0), "once, hashed": (1, HASHED)}  # passes, and columns


def memory_rows(path: Path) -> Iterator[Row]:
    for longest, terms in enumerate(("words", "words and pairs"), 1):
        peer, size = grown(path, longest, 0, 0)
        for read, how in READ.items():
            share, own = grown(path, longest, *how)
            yield Row(
                what=f"{LINES:,} lines read {read}, {terms}: peak memory, of what was made",
                ours=f"{share:.2f} × {own:.0f} MB",
                target=f"≤ {MOST_HELD} ×",
                reached=share <= MOST_HELD,
                peer=f"{peer:.2f} × {size:.0f} MB",
            )


# Accuracy: the usual settings, learned from the training set and measured on the test set.

SPACED = Layout(delimiter=" ", columns=("label", "text"), label="label")
LATIN = Layout(delimiter=" ", columns=("label", "text"), label="label", encoding="latin-1")
SETS = {
    "SST-2": ("sst2/stsa.binary.train", "sst2/stsa.binary.test", SPACED, 0.812),
    "TREC-6": ("trec/TREC.train", "trec/TREC.test", LATIN, 0.892),
    "banking77": ("banking77/train.csv", "banking77/test.csv", Layout(label="category"), 0.871),
}


def coarse(document: Document) -> Document:
    """LOC:city is of the class LOC."""
    return document._replace(label=document.label.partition(":")[0])


def score(data: Path, train: str, test: str, layout: Layout) -> Score:
    known, new = (Examples.of(map(coarse, Corpus([data / name], layout))) for name in (train, test))
    return measure(TfidfClassifier().fit(known), new)


def accuracy_rows(data: Path) -> Iterator[Row]:
    for name, (train, test, layout, least) in SETS.items():
        found = score(data, train, test, layout)
        yield Row(
            what=f"{name}: test accuracy (macro F1) of `train classify --model tfidf`",
            ours=f"{found.accuracy:.1%} ({found.macro_f1:.1%})",
            target=f"≥ {least:.1%}",
            reached=found.accuracy >= least,
        )


INTRODUCTION = f"""# Sparse vectors and the linear rival

Written by `python benchmarks/vectors.py --shared FOLDER`.

- **Speed**: the lines of three books, in turn in one process, every other round backwards, each run
  from nothing: every stem is worked out anew (of lemmas, simplemma itself remembers some). Shown
  is the median of {ROUNDS} rounds and the quartiles. `TfidfVectorizer` has its usual settings; it
  leaves out words of one letter, which Pellucid's vectorizer counts: a tenth more words. It makes
  float64, Pellucid float32.
- **Accuracy**: the usual settings, learned from the training set, measured on the test set.
  They were chosen by cross-validation on the training sets; the whole table is at the end.
- **Memory**: {LINES:,} lines made of stretches of the books, read from a file by a process of its
  own. Its peak, less what it held before, as a multiple of what it made: the float32 matrix, and
  the vocabulary with its strings."""


def main(shared: str) -> None:
    data = Path(shared, "data")
    texts = books(data)
    taken = in_turn(runs(texts), ROUNDS)
    rows = [*speed_rows(taken), *accuracy_rows(data)]
    with TemporaryDirectory() as folder:
        path = Path(folder, "million.txt")
        million(texts, path)
        rows += memory_rows(path)
    versions = ", ".join(map(called, PACKAGES))
    parts = (INTRODUCTION, results(rows, PEER), speeds(taken, texts), versions, how_chosen())
    OUT.write_text("\n\n".join(parts).rstrip() + "\n", encoding="utf-8")
    print(OUT.read_text(encoding="utf-8"))


def how_chosen() -> str:
    """The part that is written by linear_defaults.py."""
    _, heading, table = (OUT.read_text("utf-8") if OUT.exists() else "").partition(CHOICE)
    return heading + table


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", default=os.environ.get("PELLUCID_SHARED"))
    parser.add_argument("--grow", nargs=4, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    given = arguments()
    if given.grow:
        grow(Path(given.grow[0]), *map(int, given.grow[1:]))
    elif given.shared:
        main(given.shared)
    else:
        raise SystemExit("Texts are missing: give --shared FOLDER, or PELLUCID_SHARED.")
