"""Texts that may be shipped, as the built-in models read them.

    python recipes/models/prepare.py FOLDER_OF_DATA OUT

Books become a file each, a paragraph a line with an empty line between; every twelfth chapter is
held back, in a folder of its own. Sentence pairs are split by the English sentence, so that none
of the held-back ones was seen in another translation. What is cut off from the books: the
header, the licence and the name of Project Gutenberg, as its terms ask for.
"""

import argparse
import csv
import gzip
import hashlib
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

HELD = 12  # every so many chapters one is held back
LONGEST, SHORT = 40, 12  # words of a sentence, and of one that is held back
TEST, VALID = 1000, 500  # English sentences that are

Chapters = list[str]


def read(path: Path) -> str:
    """A text file as it comes, packed or not."""
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return raw.decode("utf-8-sig").replace("\r\n", "\n")


def gutenberg(path: Path, chapter: str) -> Chapters:
    """The chapters between the marks of Project Gutenberg; a table of contents is too short."""
    text = re.split(r"\*\*\* ?(?:START|END) OF TH.*\n", read(path))[1]
    parts = re.split(rf"(?m)^{chapter}.*$", text)[1:]
    return [part.partition("End of the Project Gutenberg")[0] for part in parts if len(part) > 2000]


def shakespeare(path: Path) -> Chapters:
    """Stretches of a hundred speeches; a speech is one paragraph."""
    speeches = read(path).split("\n\n")
    return ["\n\n".join(speeches[at : at + 100]) for at in range(0, len(speeches), 100)]


def speeches(path: Path) -> Chapters:
    """An address each; there a line is a paragraph."""
    with zipfile.ZipFile(path) as packed:
        names = sorted(name for name in packed.namelist() if re.search(r"/\d{4}.*\.txt$", name))
        texts = [packed.read(name).decode("latin-1") for name in names]
    return [text.replace("\n", "\n\n") for text in texts]


BOOKS: dict[str, Callable[[Path], Chapters]] = {
    "alice": lambda data: gutenberg(data / "books/alice-in-wonderland.txt", "CHAPTER"),
    "sherlock": lambda data: gutenberg(
        data / "books/sherlock-holmes.txt.gz", r"(?:ADVENTURE )?[IVX]+\. "
    ),
    "war-and-peace": lambda data: gutenberg(data / "books/war-and-peace.txt.gz", "CHAPTER"),
    "shakespeare": lambda data: shakespeare(data / "tinyshakespeare/input.txt"),
    "speeches": lambda data: speeches(data / "state-of-the-union/state_union.zip"),
}


def paragraphs(chapters: Chapters) -> str:
    """Each paragraph on a line of its own, an empty line between."""
    found = (" ".join(part.split()) for text in chapters for part in re.split(r"\n\s*\n", text))
    return "\n\n".join(part for part in found if part and "Gutenberg" not in part) + "\n"


def books(data: Path, out: Path) -> None:
    """A file for each book, and one for the chapters of it that are held back."""
    for name, chapters_of in BOOKS.items():
        chapters = chapters_of(data)
        held = set(range(HELD - 1, len(chapters), HELD))
        for folder, kept in (("read", set(range(len(chapters))) - held), ("held", held)):
            (out / folder).mkdir(parents=True, exist_ok=True)
            text = paragraphs([chapters[at] for at in sorted(kept)])
            (out / folder / f"{name}.txt").write_text(text, "utf-8")


def pairs(data: Path, out: Path) -> None:
    """Sentences and their translations: train; valid and test, which are short."""
    folder = data / "tatoeba-en-de"
    both = (read(next(folder.glob(f"*.{code}.gz"))).splitlines() for code in ("eng", "deu"))
    kept = dict.fromkeys(pair for pair in zip(*both, strict=True) if within(pair, LONGEST))
    order = sorted({english for english, german in kept if within((english, german), SHORT)},
                   key=mixed)  # fmt: skip
    homes = {**dict.fromkeys(order[:TEST], "test"),
             **dict.fromkeys(order[TEST : TEST + VALID], "valid")}  # fmt: skip
    said = {german for english, german in kept if english in homes}
    for part in ("train", "valid", "test"):
        some = [(en, de) for en, de in kept if homes.get(en, "train") == part]
        some = [pair for pair in some if part != "train" or pair[1] not in said]
        for code, column in zip(("en", "de"), zip(*some, strict=True), strict=True):
            (out / f"{part}.{code}").write_text("".join(f"{line}\n" for line in column), "utf-8")


def within(pair: tuple[str, str], most: int) -> bool:
    """Whether both have something to say, and not too much."""
    return all(0 < len(text.split()) <= most for text in pair)


def mixed(text: str) -> str:
    """A fixed order of chance."""
    return hashlib.blake2b(text.encode()).hexdigest()


def intents(data: Path, out: Path) -> None:
    """What customers of a bank ask, and what they want."""
    for part in ("train", "test"):
        with (data / f"banking77/{part}.csv").open(encoding="utf-8", newline="") as file:
            rows = [
                (" ".join(row["text"].split()), row["category"]) for row in csv.DictReader(file)
            ]
        lines = [f"{text}\t{label}\n" for text, label in rows]
        (out / f"banking77.{part}.tsv").write_text("".join(["text\tlabel\n", *lines]), "utf-8")


def prepared(data: Path, out: Path) -> Iterator[str]:
    """Write all of it; says what is written."""
    out.mkdir(parents=True, exist_ok=True)
    for write in (books, pairs, intents):
        write(data, out)
        yield write.__name__


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    for what in prepared(given.data, given.out):
        print(what)


if __name__ == "__main__":
    main()
