"""Models trained by the recipes: what each gets on its test set, over seeds where a run is short.

    python benchmarks/recipes.py --shared FOLDER [--runs build/recipes] [--only trec-minilm ...]

A run stays in its folder: one that was stopped goes on, one that has ended is only measured again.
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import mean, stdev
from typing import NamedTuple

from report import Row, results

from pellucid.decode.many import best_texts
from pellucid.train.run import Run
from pellucid.train.translation import TranslationScore

HERE = Path(__file__).resolve().parent
RECIPES = HERE.parent / "recipes"
RUN = "import sys; from pellucid.cli import main; sys.argv[0] = 'pellucid'; main()"
Figures = dict[str, float]


class Recipe(NamedTuple):
    """Where a recipe's files lie, how it is measured, what was to be reached, and by whom."""

    test: str
    figure: str
    target: float
    peer: str
    folder: str = ""  # of the data; else what recipes/prepare.py makes
    seeds: int = 3
    after: str = ""  # the recipe whose run it begins with


LOWER = "BLEU lower-cased, tokenized"
FLICKR = "test_2016_flickr.en.gz test_2016_flickr.de.gz"
WU, FOLDER = "41.02, Wu et al. 2021", "multi30k-en-de"
TABLE = {
    "sst2-scratch": Recipe("sst2.test.tsv", "accuracy", 82.0, "81.2, TF-IDF"),
    "sst2-read": Recipe("sst2.test.tsv", "accuracy", 82.0, "81.2, TF-IDF", after="reading"),
    "sst2-minilm": Recipe("sst2.test.tsv", "accuracy", 90.0, "85.9, BERT-mini"),
    "trec-minilm": Recipe("trec.test.tsv", "accuracy", 96.0, "89.8, frozen MiniLM"),
    "banking77-minilm": Recipe("banking77.test.tsv", "accuracy", 93.5, "93.2, frozen MiniLM"),
    "multi30k": Recipe(FLICKR, LOWER, 41.0, WU, FOLDER, seeds=1),
    "multi30k-on": Recipe(FLICKR, LOWER, 41.0, WU, FOLDER, seeds=1, after="multi30k"),
}


def pellucid(*said: str | Path, where: Path) -> str:
    """What a command prints."""
    env = os.environ | {"OMP_NUM_THREADS": "2"}
    command = [sys.executable, "-c", RUN, *map(str, said)]
    return subprocess.run(
        command, cwd=where, env=env, check=True, stdout=subprocess.PIPE
    ).stdout.decode()


def trained(name: str, seed: int, runs: Path, where: Path) -> Path:
    """The folder of a run, which is begun, or goes on, if need be."""
    out = runs / f"{name}-{seed}"
    if (out / "settings.toml").is_file():
        pellucid("train", "--resume", out, where=where)
        return out
    told = ["--settings", RECIPES / f"{name}.toml", "--out", out, "--set", f"seed={seed}"]
    if name in TABLE and (before := TABLE[name].after):
        told += ["--set", f"start={trained(before, 0, runs, where)}"]
    pellucid("train", *told, where=where)
    return out


def measured(name: str, runs: Path, data: Path) -> list[Figures]:
    """The figures of every seed on the test set."""
    recipe, prepared = TABLE[name], runs / "prepared"
    if not prepared.is_dir():
        script = RECIPES / "prepare.py"
        subprocess.run([sys.executable, script, data, prepared], check=True)
    where = data / recipe.folder if recipe.folder else prepared
    found = []
    for seed in range(recipe.seeds):
        run = trained(name, seed, runs, where)
        measure = translated if recipe.figure == LOWER else classified
        found.append(measure(run, recipe.test.split(), where))
        print(f"{name}, seed {seed}: {found[-1]}", file=sys.stderr)
    return found


def classified(run: Path, files: list[str], where: Path) -> Figures:
    """Accuracy and macro F1, in percent."""
    found = json.loads(pellucid("evaluate", run, *files, "--json", where=where))
    return {name: 100 * value for name, value in found.items()}


def translated(run: Path, files: list[str], where: Path) -> Figures:
    """BLEU and chrF of a beam search of 5; tokenized is by Moses' rules, as the papers do it."""
    from sacremoses import MosesTokenizer

    moses = MosesTokenizer("de")
    source, target = (gzip.decompress((where / name).read_bytes()).decode() for name in files)
    answers = best_texts(Run.load(run).model.model, source.splitlines(), beams=5)

    def tokenize(text: str) -> str:
        return str(moses.tokenize(text, return_str=True, escape=False))

    return TranslationScore.of(target.splitlines(), answers, tokenize).summary()


def row(name: str, found: list[Figures]) -> Row:
    """The mean over seeds, and the standard deviation."""
    recipe = TABLE[name]
    values = [each[recipe.figure] for each in found]
    spread = f" ± {stdev(values):.1f}, {len(values)} seeds" if len(values) > 1 else ", seed 0"
    others = [f"{key} {value:.1f}" for key, value in found[0].items() if key != recipe.figure]
    return Row(
        f"`{name}.toml`: {recipe.figure} on the test set",
        f"{mean(values):.1f}{spread}; {', '.join(others)}",
        f"≥ {recipe.target}",
        mean(values) >= recipe.target,
        recipe.peer,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--shared", default=os.environ.get("PELLUCID_SHARED", ""))
    parser.add_argument("--runs", type=Path, default=HERE.parent / "build" / "recipes")
    parser.add_argument("--only", nargs="+", choices=TABLE, default=list(TABLE))
    said = parser.parse_args()
    runs, data = said.runs.resolve(), (Path(said.shared) / "data").resolve()
    runs.mkdir(parents=True, exist_ok=True)
    print(results([row(name, measured(name, runs, data)) for name in said.only], "peer"))


if __name__ == "__main__":
    main()
