"""Data sets as they come, written as tables with the columns text and label; and plain texts.

    python recipes/prepare.py FOLDER_OF_DATA OUT

The plain texts, in small letters as SST-2 is, are for a model to read before it learns SST-2.
"""

import argparse
import csv
import gzip
import re
from collections.abc import Iterator
from pathlib import Path

Rows = Iterator[tuple[str, str]]


def sst2(path: Path) -> Rows:
    """`1 a stirring , funny film`"""
    for line in path.read_text("utf-8").splitlines():
        label, text = line.split(" ", 1)
        yield text, {"0": "negative", "1": "positive"}[label]


def trec(path: Path) -> Rows:
    """`DESC:manner How did serfdom develop ?`, of which the first part is one of six classes."""
    for line in path.read_text("latin-1").splitlines():
        label, text = line.split(" ", 1)
        yield text, label.partition(":")[0]


def banking77(path: Path) -> Rows:
    """Columns text and category; a text may have line ends."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield " ".join(row["text"].split()), row["category"]


SETS = {
    "sst2.train": (sst2, "sst2/stsa.binary.train"),
    "sst2.dev": (sst2, "sst2/stsa.binary.dev"),
    "sst2.test": (sst2, "sst2/stsa.binary.test"),
    "trec.train": (trec, "trec/TREC.train"),
    "trec.test": (trec, "trec/TREC.test"),
    "banking77.train": (banking77, "banking77/train.csv"),
    "banking77.test": (banking77, "banking77/test.csv"),
}


BOOKS = (
    "books/alice-in-wonderland.txt",
    "books/sherlock-holmes.txt.gz",
    "books/war-and-peace.txt.gz",
    "wikitext-2/valid.txt.gz",
    "wikitext-2/test.txt.gz",
)


def plain(path: Path) -> str:
    """A book in small letters, its paragraphs on lines of their own, an empty one between."""
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    paragraphs = re.split(r"\n\s*\n|(?<=\n) ", raw.decode("utf-8").lower())
    return "\n\n".join(" ".join(each.split()) for each in paragraphs if each.strip())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    given.out.mkdir(exist_ok=True)
    for name, (read, path) in SETS.items():
        lines = [f"{text}\t{label}\n" for text, label in read(given.data / path)]
        (given.out / f"{name}.tsv").write_text("".join(["text\tlabel\n", *lines]), "utf-8")
    for path in BOOKS:
        name = Path(path).name.removesuffix(".gz")
        (given.out / name).write_text(plain(given.data / path), "utf-8")
    reviews = [text for text, _ in sst2(given.data / SETS["sst2.train"][1])]
    (given.out / "reviews.txt").write_text("\n\n".join(reviews), "utf-8")


if __name__ == "__main__":
    main()
