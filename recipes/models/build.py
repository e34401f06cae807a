"""Train the built-in models, write them small into the package, and their cards from the reports.

    python recipes/models/build.py FOLDER_OF_DATA RUNS [NAME …]

RUNS/texts takes the prepared texts, and in there a run for each model; one that is finished is not
trained again, and one that was stopped goes on. Every number of a card comes from the model as it
is shipped, measured here on texts that were held back.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from prepare import prepared

from pellucid.cli import main as pellucid
from pellucid.decode.many import best_texts
from pellucid.models.builtin import ABOUT, CARD, HERE, size
from pellucid.models.load import load
from pellucid.models.precision import Precision
from pellucid.record.printed import in_words
from pellucid.train.job import Job
from pellucid.train.run import Run, scored, trained
from pellucid.train.translation import TranslationScore

RECIPES = Path(__file__).parent
PRECISION: Precision = "int8"
BEAMS = 4

Figures = Mapping[str, str]


@dataclass(frozen=True)
class Shipped:
    """A model: what its texts are and under which terms, what it is bad at, and its test files.

    `generation` is how it answers where nothing else is asked for. `after` is another recipe that
    must be done first, from the folder above.
    """

    texts: str
    licence: str
    limits: str
    test: Sequence[str]
    measures: Sequence[Callable[[Any, Any], Figures]]
    generation: Mapping[str, Any] = field(default_factory=dict)
    after: str = ""


def usual(learner: Any, data: Any) -> Figures:
    """What is measured of every run of this task."""
    figures = {"words": "nats a masked word", "next_sentence": "next sentence told right"}
    figures |= {"perplexity": "perplexity of a token", "bits_per_byte": "bits per byte"}
    figures |= {"accuracy": "accuracy", "macro_f1": "macro F1"}
    found = scored(learner, data).summary()
    return {figures[name]: f"{x:.3f}" for name, x in found.items() if name in figures}


def translated(learner: Any, data: Any) -> Figures:
    """BLEU and chrF of its own translations."""
    answers = best_texts(learner.model, data.sources, beams=BEAMS)
    found = TranslationScore.of(data.targets, answers).figures
    return {
        f"{name} ({each.signature.replace('|', ', ')})": f"{each.score:.1f}"
        for name, each in found.items()
    }


NOVELS = "Alice in Wonderland, Sherlock Holmes and War and Peace (public domain in the USA)"
SHIPPED = {
    "reader": Shipped(
        texts=f"{NOVELS}, tinyshakespeare (public domain), and the State of the Union addresses "
        "1945 to 2006 (public domain)",
        licence="Apache-2.0",
        limits="It has read about a million words, most of them from before 1930: it knows "
        "grammar and drawing rooms, and little of the world. Whether a sentence follows was "
        "learned against texts of another book, and is told mainly by style and subject.",
        test=[
            f"held/{name}.txt"
            for name in ("alice", "sherlock", "war-and-peace", "shakespeare", "speeches")
        ],
        measures=[usual],
    ),
    "writer": Shipped(
        texts=NOVELS,
        licence="Apache-2.0",
        limits="It writes sentences that sound like its books and mean nothing. It repeats the "
        "opinions of their time. Do not take anything that it says for true.",
        test=[f"held/{name}.txt" for name in ("alice", "sherlock", "war-and-peace")],
        measures=[usual],
        generation={"do_sample": True, "temperature": 0.7, "top_p": 0.9, "max_new_tokens": 60},
    ),
    "translator": Shipped(
        texts="16,000 pairs of sentences from tatoeba.org (CC BY 2.0 FR; the Tatoeba "
        "Challenge's test set v2021-08-07), split by the English sentence",
        licence="CC BY 2.0 FR for the texts, Apache-2.0 for the rest",
        limits="It has seen few words, and makes up the rest. Everyday sentences of up to twelve "
        "words are what it is for; anything longer or rarer comes out wrong, and fluently so.",
        test=["test.en", "test.de"],
        measures=[usual, translated],
        generation={"num_beams": BEAMS},
    ),
    "banking": Shipped(
        texts="BANKING77 (Casanueva et al. 2020, CC BY 4.0), and the answers of a MiniLM "
        "fine-tuned on it (all-MiniLM-L6-v2, Apache-2.0)",
        licence="CC BY 4.0 for the texts, Apache-2.0 for the rest",
        limits="It knows 77 wishes of a bank's customers and nothing else: any text gets one of "
        "them, with a probability that means little where no bank is concerned.",
        test=["banking77.test.tsv"],
        measures=[usual],
        after="banking77-minilm",
    ),
}

CARD_TEXT = """# {name}

{task}.

    {example}

| | |
| --- | --- |
| made of | {facts} |
| learned from | {texts} |
| recipe | `recipes/models/{name}.toml`, seed {seed}: {steps:,} steps in {minutes:.1f} minutes |
| written as | {precision}, {bytes} with its tokenizer |
| licence | {licence} |

Measured as it is shipped, on texts that were held back ({test}):

| | |
| --- | --- |
{figures}

{limits}
"""


def build(name: str, prepared_texts: Path) -> None:
    """Train, write small, measure, write the card."""
    os.chdir(prepared_texts)
    for recipe in filter(None, (SHIPPED[name].after and RECIPES.parent / SHIPPED[name].after,
                                RECIPES / name)):  # fmt: skip
        learn(recipe.with_suffix(".toml"), Path(recipe.name).resolve())
    run = Path(name).resolve()
    made: Any = Run.load(run).model
    made.model.generation = dict(SHIPPED[name].generation)
    made.model.save(HERE / name, existing="replace", precision=PRECISION)
    describe(name, run)


def learn(recipe: Path, run: Path) -> None:
    """Do what a recipe says; or go on, or leave it at that."""
    finished = (run / "run.json").is_file() and json.loads((run / "run.json").read_text())[
        "finished"
    ]
    if finished:
        return
    how = ("--resume", run) if run.exists() else ("--settings", recipe, "--out", run)
    if status := pellucid(["train", *map(str, how)]):
        raise SystemExit(status)


def describe(name: str, run: Path) -> None:
    """The card, and what a list says of it."""
    from pellucid.models.builtin import BUILTIN

    shipped, job = SHIPPED[name], Job.read(run / "settings.toml")
    kind = trained(job.settings.task, "transformer")
    learner: Any = kind.load(HERE / name)
    data = job_data(job, shipped.test)
    figures = {k: v for measure in shipped.measures for k, v in measure(learner, data).items()}
    last = json.loads((run / "log.jsonl").read_text().splitlines()[-2])
    model = load(HERE / name)
    count = sum(parameter.numel() for parameter in model.parameters())
    told = {
        "name": name,
        "task": BUILTIN[name].task[0].upper() + BUILTIN[name].task[1:],
        "example": BUILTIN[name].example,
        "facts": "; ".join(f"{what}: {told}" for what, told in learner.facts().items()),
        "seed": job.settings.seed,
        "steps": int(last["step"]),
        "minutes": last["seconds"] / 60,
        "precision": PRECISION,
        "test": ", ".join(shipped.test),
        "figures": "\n".join(f"| {figure} | {value} |" for figure, value in figures.items()),
        **{key: getattr(shipped, key) for key in ("texts", "licence", "limits")},
    }
    about = {"parameters": f"{count:,}", "licence": shipped.licence, "figures": figures}
    text = json.dumps(about, ensure_ascii=False, indent=1)
    (HERE / name / ABOUT).write_text(f"{text}\n", encoding="utf-8")
    card = CARD_TEXT.format(**told, bytes=in_words(size(name)))
    (HERE / name / CARD).write_text(card, encoding="utf-8")


def job_data(job: Job, files: Sequence[str]) -> Any:
    """The data of these files, read as those it learned from."""
    from dataclasses import replace

    return replace(job, files=tuple(files), valid=()).data()[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("runs", type=Path)
    parser.add_argument("names", nargs="*", choices=[*SHIPPED, []], default=[])
    given = parser.parse_args()
    texts = given.runs.resolve() / "texts"
    for what in prepared(given.data.resolve(), texts):
        print(f"prepared: {what}")
    for name in given.names or SHIPPED:
        build(name, texts)
        print((HERE / name / CARD).read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
