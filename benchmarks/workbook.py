"""Three workbooks: how large, how long to write, how long to recalculate, and how true.

LibreOffice computes every formula from nothing: the results in store are made wrong first. Each
cell is compared with float64, and with the model's own float32.

python benchmarks/workbook.py
"""

import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from report import Row, results

import pellucid
from pellucid import Trace

sys.path[:0] = [str(Path(__file__).parents[1] / "tests" / "views")]
from workbook_reading import Read, apart, blanked, exactly, layout  # noqa: E402

MOUSE = "cat and mouse are friends"
SENTENCE = "The bank of the river was muddy, and the seal slept there."  # 16 tokens of MiniLM
ALWAYS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
  <item oor:path="/org.openoffice.Office.Calc/Formula/Load">
    <prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop>
  </item>
</oor:items>
"""


@dataclass(frozen=True)
class Book:
    """A workbook to measure, and what is to be reached: bytes, seconds to write, to recalculate."""

    name: str
    trace: Trace
    part: dict[str, int]
    largest: float
    writing: float
    calculating: float | None = None


def books() -> list[Book]:
    """The three."""
    mouse = pellucid.load("mouse").see(MOUSE)
    trace = pellucid.load("minilm").see(SENTENCE)
    assert len(trace.texts["tokens"][0]) == 16
    return [
        Book("mouse", mouse, {}, 60e3, 2.0),
        Book("one head of MiniLM", trace, {"layer": 3, "head": 5}, 2e6, 2.0, 5.0),
        Book("one layer of MiniLM", trace, {"layer": 3}, 25e6, 30.0),
    ]


def measured(book: Book, folder: Path) -> Iterator[Row]:
    """Rows of the results for one workbook."""
    path = folder / f"{book.name.replace(' ', '_')}.xlsx"
    start = time.perf_counter()
    book.trace.save(path, **book.part)
    seconds, size = time.perf_counter() - start, path.stat().st_size
    yield Row(f"{book.name}, bytes", f"{size:,}", f"≤ {book.largest:,.0f}", size <= book.largest)
    written = seconds <= book.writing
    yield Row(f"{book.name}, to write", f"{seconds:.1f} s", f"< {book.writing:.0f} s", written)
    found, opened, taken = recalculated(path, folder)
    goal = "–" if book.calculating is None else f"< {book.calculating:.0f} s"
    reached = book.calculating is None or taken < book.calculating
    what = f"{book.name}, to recalculate (and {opened:.1f} s to open and save it)"
    yield Row(what, f"{taken:.1f} s", goal, reached)
    yield from compared(book, found)


def compared(book: Book, found: Read) -> Iterator[Row]:
    """How far any cell is from float64 and from the model."""
    plan = layout(book.trace, **book.part)
    truth = exactly(plan.plan)
    exact = own = 0.0
    for name, blocks in plan.blocks.items():
        for head, block in enumerate(blocks):
            if block.own is not None:
                numbers = found.matrix(block.cells)
                models = plan.plan.form(name).matrices(book.trace[name], plan.plan.boxes[name])
                exact = max(exact, apart(numbers, truth[name][head]))
                own = max(own, apart(numbers, models[head]))
    yield Row(f"{book.name}, from float64", f"{exact:.1e}", "≤ 1e-10", exact <= 1e-10)
    yield Row(f"{book.name}, from the model", f"{own:.1e}", "≤ 1e-5", own <= 1e-5)


def recalculated(path: Path, folder: Path) -> tuple[Read, float, float]:
    """What LibreOffice finds; the seconds without, and the seconds more with recalculation."""
    blank = blanked(path, folder / f"blank_{path.name}")
    _, opened = converted(blank, folder / "plain", "")
    out, both = converted(blank, folder / "always", ALWAYS)
    return Read(out), opened, max(0.0, both - opened)


def converted(path: Path, folder: Path, settings: str) -> tuple[Path, float]:
    """The workbook opened and saved again by LibreOffice."""
    profile = folder / "profile"
    (profile / "user").mkdir(parents=True, exist_ok=True)
    if settings:
        (profile / "user" / "registrymodifications.xcu").write_text(settings)
    command = ["soffice", f"-env:UserInstallation={profile.as_uri()}", "--headless"]
    command += ["--convert-to", "xlsx", "--outdir", str(folder), str(path)]
    subprocess.run([*command[:-1], str(warm(folder))], check=True, capture_output=True)
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return folder / path.name, time.perf_counter() - start


def warm(folder: Path) -> Path:
    """A small file, so that a new profile is made before anything is timed."""
    path = folder / "warm.csv"
    path.write_text("1\n")
    return path


def main() -> None:
    if shutil.which("soffice") is None:
        raise SystemExit("LibreOffice Calc is missing: apt-get install libreoffice-calc-nogui")
    with tempfile.TemporaryDirectory() as folder:
        rows = [row for book in books() for row in measured(book, Path(folder))]
    said = subprocess.run(["soffice", "--version"], capture_output=True, text=True, check=True)
    version = re.search(r"[\d.]+", said.stdout)
    print(results(rows, "–"))
    print(f"\nRecalculated by LibreOffice {version[0] if version else ''}.")


if __name__ == "__main__":
    main()
