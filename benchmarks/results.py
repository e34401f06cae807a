"""Runs benchmarks, one after the other, and writes RESULTS.md; what is not run stays as it was.

    python benchmarks/results.py --shared FOLDER              # all of them: some hours
    python benchmarks/results.py --shared FOLDER --short      # those of a few minutes: make results
    python benchmarks/results.py --shared FOLDER page workbook

At the end it says which claims held when they were written down and do not hold now.
"""

import argparse
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import NamedTuple

import torch
from report import called

HERE = Path(__file__).parent
RESULTS = HERE / "RESULTS.md"
INTRODUCTION = """# Results

Every number that the project claims, each with the command that makes it, the day and the machine.
Written by `python benchmarks/results.py`; how to read it is in README.md. `make results` measures
the short ones again and says which no longer hold."""


class Part(NamedTuple):
    """A benchmark: its heading, its minutes on two cores, what it measures beside Pellucid."""

    title: str
    minutes: int
    packages: str
    arguments: str = ""


PARTS = {
    "recording": Part("Recording everything", 6, "transformers transformer-lens"),
    "verify_sentences": Part("Every value against its formula in float64", 2, "numpy"),
    "starting": Part("Starting", 1, "transformer-lens"),
    "loading": Part("Loading", 3, "transformers tokenizers safetensors"),
    "page": Part("The page", 5, "bertviz circuitsvis playwright"),
    "workbook": Part("The workbook", 4, "xlsxwriter"),
    "study": Part("Asking a model", 12, "transformer-lens", "{shared}/data"),
    "decoding": Part(
        "Generating, translating, scoring",
        30,
        "transformers ctranslate2 sentence-transformers",
        "--rounds 2",
    ),
    "precision": Part("What bf16 and int8 weights change", 8, "transformers"),
    "training_speed": Part("A training step", 15, "transformers x-transformers"),
    "shakespeare": Part("Training beside nanoGPT", 10, "numpy"),
    "students": Part("Students and their teachers", 20, "sacrebleu"),
    "recipes": Part(
        "Models trained by the recipes",
        90,
        "sacrebleu scikit-learn",
        "--only multi30k multi30k-on sst2-minilm sst2-scratch",
    ),
}
SHORT = 4  # minutes
Sections = dict[str, str]  # by heading


def section(name: str, shared: str) -> str:
    """One benchmark, in a process of its own."""
    part, script = PARTS[name], f"benchmarks/{name}.py"
    given = part.arguments.format(shared=shared or "shared").split()
    run = subprocess.run(
        [sys.executable, HERE.parent / script, *given], stdout=subprocess.PIPE, check=False
    )
    if run.returncode:
        raise SystemExit(f"{script} failed; what was measured before it is written down.")
    shown = " ".join(["python", script, *part.arguments.format(shared="FOLDER").split()])
    told = [f"`{shown}`", conditions(part.packages)]
    return "\n\n".join([*told, run.stdout.decode().strip()])


def conditions(packages: str) -> str:
    """When, on what, with what."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    libraries = ["pellucid", "torch", *packages.split()]
    return (
        f"{date.today().day} {date.today():%B %Y}; {processor()}, "
        f"{torch.backends.cpu.get_cpu_capability()}, {os.cpu_count()} cores, {memory:.0f} GB; "
        f"{system()}, Python {platform.python_version()}; {', '.join(map(called, libraries))}"
    )


def processor() -> str:
    """Linux says it only in a file."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text().splitlines() if told.is_file() else []
    names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return f"{platform.system()} {platform.release()}"


def read() -> Sections:
    """What the file says now, by heading."""
    text = RESULTS.read_text("utf-8") if RESULTS.is_file() else ""
    found = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)[1:]
    return {title: body.strip() for title, body in zip(found[::2], found[1::2], strict=True)}


def write(sections: Sections) -> None:
    """The file, in the order of the table above."""
    titles = [part.title for part in PARTS.values() if part.title in sections]
    parts = [f"## {title}\n\n{sections[title]}" for title in titles]
    RESULTS.write_text("\n\n".join([INTRODUCTION, *parts]) + "\n", "utf-8")


def claims(body: str) -> dict[str, bool]:
    """What was to be reached, and whether it was."""
    rows = [line.strip("| ").split(" | ") for line in body.splitlines() if line.startswith("|")]
    said = {"yes": True, "**no**": False}
    return {row[0]: said[row[-1]] for row in rows if row[-1] in said}


def lost(before: Sections, now: Sections) -> Iterable[str]:
    """What held before and does not now."""
    for title, body in now.items():
        held, holds = claims(before.get(title, "")), claims(body)
        yield from (
            f"{title}: {what}" for what, kept in holds.items() if held.get(what) and not kept
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("only", nargs="*", metavar="BENCHMARK", help=", ".join(PARTS))
    parser.add_argument("--shared", default=os.environ.get("PELLUCID_SHARED", ""))
    parser.add_argument("--short", action="store_true", help=f"those of {SHORT} minutes at most")
    said = parser.parse_args()
    if unknown := set(said.only) - set(PARTS):
        parser.error(f"there is no benchmark {unknown.pop()!r}; there are {', '.join(PARTS)}")
    os.environ |= {"PELLUCID_SHARED": said.shared, "HF_HUB_OFFLINE": "1"}
    names = said.only or [n for n in PARTS if not said.short or PARTS[n].minutes <= SHORT]
    before, now = read(), read()
    for name in names:
        print(f"{name}: about {PARTS[name].minutes} minutes", file=sys.stderr)
        now[PARTS[name].title] = section(name, said.shared)
        write(now)
    gone = list(lost(before, now))
    print("\n".join(["No longer reached:", *gone] if gone else ["All that was reached still is."]))
    raise SystemExit(bool(gone))


if __name__ == "__main__":
    main()
