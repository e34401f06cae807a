"""`pellucid evaluate --beams`: what a run's translations are worth."""

import json
from pathlib import Path

import pytest
from sacrebleu import corpus_bleu, corpus_chrf

NUMBERS = "one two three four five six".split()
ENGLISH = [f"{a} and {b} or {c}" for a in NUMBERS for b in NUMBERS[:4] for c in NUMBERS[:3]]
TURNED = [" ".join(text.split()[::-1]).title() for text in ENGLISH]
SMALL = ("--width", "32", "--layers", "1", "--heads", "2", "--inner", "64", "--vocabulary", "320")
BRIEF = (
    "--steps",
    "120",
    "--warmup",
    "20",
    "--rows",
    "24",
    "--longest",
    "32",
    "--keep",
    "last",
    "--rate",
    "5e-3",
    "--dropout",
    "0",
)


@pytest.fixture
def trained(run, tmp_path: Path, unchecked: None) -> None:
    for name, lines in {
        "a.en": ENGLISH,
        "a.xx": TURNED,
        "b.en": ENGLISH[:9],
        "b.xx": TURNED[:9],
    }.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    assert run("train", "translate", "a.en", "a.xx", *SMALL, *BRIEF, "--out", "run").status == 0


@pytest.mark.usefixtures("trained")
def test_bleu_and_chrf_of_what_it_translates(run, tmp_path: Path) -> None:
    told = run("evaluate", "run", "b.en", "b.xx", "--beams", "2")
    assert (told.status, told.err) == (0, "")
    assert "perplexity" in told.out
    assert "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:" in told.out
    numbers = json.loads(run("evaluate", "run", "b.en", "b.xx", "--beams", "2", "--json").out)
    run("translate", "--model", "run", "--files", "b.en", "--beams", "2", "--out", "answers.txt")
    answers = (tmp_path / "answers.txt").read_text().splitlines()
    assert numbers["BLEU"] == pytest.approx(corpus_bleu(answers, [TURNED[:9]]).score)
    assert numbers["chrF"] == pytest.approx(corpus_chrf(answers, [TURNED[:9]]).score)
    assert numbers["BLEU lower-cased"] >= numbers["BLEU"]
    assert numbers["chrF"] > 40


def test_beams_are_for_translations(run, tmp_path: Path) -> None:
    lines = "the cat,x\nthe key,y\n" * 10
    (tmp_path / "c.csv").write_text(f"text,label\n{lines}")
    run("train", "classify", "c.csv", "--model", "tfidf", "--out", "classes")
    ran = run("evaluate", "classes", "c.csv", "--beams", "2")
    assert ran.status == 2
    assert ran.sentence == "--beams is for runs that translate; classes does not."
