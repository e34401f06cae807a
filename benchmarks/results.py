"""Runs every benchmark, one after the other, and writes RESULTS.md.

python benchmarks/results.py --shared FOLDER
"""

import argparse
import os
import platform
import subprocess
import sys
from datetime import date
from pathlib import Path

import torch
from report import called

HERE = Path(__file__).parent
RESULTS = HERE / "RESULTS.md"
PARTS = {
    "recording.py": "Recording everything",
    "verify_sentences.py": "Every value against its formula in float64",
    "starting.py": "Starting",
    "loading.py": "Loading",
}
PACKAGES = "pellucid torch transformers transformer-lens tokenizers safetensors numpy".split()


def part(script: str, title: str) -> str:
    """One benchmark, in a process of its own."""
    run = subprocess.run([sys.executable, HERE / script], stdout=subprocess.PIPE, check=True)
    return f"## {title}\n\n`python benchmarks/{script}`\n\n{run.stdout.decode().strip()}"


def machine() -> str:
    """What the numbers were measured on."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return "\n".join(
        [
            f"- measured on {date.today():%d %B %Y}",
            f"- {processor()}, {torch.backends.cpu.get_cpu_capability()}, "
            f"{os.cpu_count()} cores, {memory:.0f} GB of memory",
            f"- {system()}, Python {platform.python_version()}",
            f"- {', '.join(map(called, PACKAGES))}",
        ]
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


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--shared", default=os.environ.get("PELLUCID_SHARED", ""))
    os.environ |= {"PELLUCID_SHARED": arguments.parse_args().shared, "HF_HUB_OFFLINE": "1"}
    parts = [part(script, title) for script, title in PARTS.items()]
    introduction = "Written by `python benchmarks/results.py`; how to read it is in README.md."
    RESULTS.write_text("\n\n".join(["# Results", introduction, machine(), *parts]) + "\n")


if __name__ == "__main__":
    main()
