"""What a student keeps of its teacher on a test set that neither has seen: quality, size, speed.

    python benchmarks/students.py         # after make models, which trains the teachers, too

The classifier is the one that comes with Pellucid, before it is written small. The translator's
student is made here, if it is not there yet: half the layers, from the teacher's own translations.
"""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from report import Row, results
from side_by_side import in_turn

from pellucid.decode.many import best_texts
from pellucid.train.examples import Examples
from pellucid.train.run import Run, measure
from pellucid.train.translation import TranslationScore
from recipes import pellucid

HERE = Path(__file__).resolve().parent
HALF = ["--layers", "2", "--level", "both", "--epochs", "15", "--rate", "2e-3", "--warmup", "200"]
HALF += ["--smoothing", "0.1", "--dropout", "0.2", "--tokens", "2048", "--schedule", "cosine"]
ROUNDS, BEAMS = 3, 4


class Pair(NamedTuple):
    """A teacher and its student; `score` is the figure of each, `answer` does all texts once.

    The shares to reach: of the figure at `least`, of the parameters at `most`, and how much
    `faster`; None is only stated.
    """

    name: str
    figure: str
    least: float
    most: float | None
    faster: float | None
    teacher: Any
    student: Any
    score: Callable[[Any], float]
    answer: Callable[[Any], object]


def classifiers(folder: Path) -> Pair:
    lines = (folder / "banking77.test.tsv").read_text(encoding="utf-8").splitlines()[1:]
    test = Examples(*zip(*(line.split("\t") for line in lines), strict=True))

    def score(learner: Any) -> float:
        return 100 * measure(learner, test).accuracy

    def answer(learner: Any) -> list[object]:
        return list(learner.guess(test.texts))

    teacher, student = (Run.load(folder / name).model for name in ("banking77-minilm", "banking"))
    return Pair("banking77", "accuracy", 0.97, 0.25, 3, teacher, student, score, answer)


def translators(folder: Path) -> Pair:
    half = folder / "translator-half"
    if not half.is_dir():
        data = ["train.en", "train.de", "--valid", "valid.en", "--valid", "valid.de"]
        pellucid("distill", "translator", *data, *HALF, "--out", half, where=folder)
    sources, targets = (
        (folder / f"test.{code}").read_text(encoding="utf-8").splitlines() for code in ("en", "de")
    )

    def answer(learner: Any) -> list[str]:
        return best_texts(learner.model, sources, beams=BEAMS)

    def score(learner: Any) -> float:
        return TranslationScore.of(targets, answer(learner)).figures["chrF"].score

    teacher, student = (Run.load(folder / name).model for name in ("translator", "translator-half"))
    return Pair("Tatoeba", "chrF", 0.95, None, None, teacher, student, score, answer)


def rows(pair: Pair) -> list[Row]:
    both = {"teacher": pair.teacher, "student": pair.student}
    figure = {name: pair.score(learner) for name, learner in both.items()}
    size = {name: sum(x.numel() for x in each.model.parameters()) for name, each in both.items()}
    taken = in_turn({name: partial(pair.answer, each) for name, each in both.items()}, ROUNDS)
    kept = figure["student"] / figure["teacher"]
    share = size["student"] / size["teacher"]
    faster = median(a / b for a, b in zip(taken["teacher"], taken["student"], strict=True))
    depth = " of ".join(str(both[name].model.config.layers) for name in ("student", "teacher"))
    return [
        Row(
            f"{pair.name}: {pair.figure} of the student over its teacher's",
            f"{kept:.1%} ({figure['student']:.1f} of {figure['teacher']:.1f})",
            f"≥ {pair.least:.0%}",
            kept >= pair.least,
        ),
        Row(
            f"{pair.name}: parameters, with {depth} layers",
            f"{share:.1%} ({size['student']:,} of {size['teacher']:,})",
            f"≤ {pair.most:.0%}" if pair.most else "stated",
            share <= pair.most if pair.most else None,
        ),
        Row(
            f"{pair.name}: texts a second over the teacher's",
            f"{faster:.2f} ×",
            f"≥ {pair.faster:g} ×" if pair.faster else "stated",
            faster >= pair.faster if pair.faster else None,
        ),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=Path, default=HERE.parent / "build" / "models")
    folder = (parser.parse_args().runs / "texts").resolve()
    pairs = classifiers(folder), translators(folder)
    print(results([row for pair in pairs for row in rows(pair)], "peer"))


if __name__ == "__main__":
    main()
