"""The models that come along: every command answers with no argument but its text."""

import json

import pytest

import pellucid
from pellucid.models import builtin

MOST = 15_000_000  # bytes of all of them together
ANSWERS = {
    ("classify", "I lost my card"): "lost_or_stolen_card",
    ("translate", "Where is the station?"): "Wo ist der Bahnhof?",
    ("see", "--model", "reader", "The seal slept on the ice."): "Likeliest words at each place",
    ("why", "The prince looked at the"): "Integrated gradients, by token",
}
TOLD = {
    "reader": {"next sentence told right": 0.8},
    "writer": {"perplexity of a token": 1.0},
    "translator": {"bits per byte": 0.0},
    "banking": {"accuracy": 0.9},
}


@pytest.mark.parametrize("said", ANSWERS, ids=" ".join)
def test_a_command_answers(run, said: tuple[str, ...]) -> None:
    ran = run(*said)
    assert (ran.status, ANSWERS[said] in ran.out) == (0, True), ran.out + ran.err


def test_the_writer_goes_on(run) -> None:
    first = run("generate", "Once upon a time", "--seed", "1", "--max-new-tokens", "12")
    assert first.status == 0
    assert len(first.out.split()) > 3
    again = run("generate", "Once upon a time", "--seed", "1", "--max-new-tokens", "12")
    assert again.out == first.out


@pytest.mark.parametrize("name", builtin.BUILTIN)
def test_a_card_says_what_was_measured(run, name: str) -> None:
    card = run("models", name).out
    about = json.loads((builtin.HERE / name / builtin.ABOUT).read_text(encoding="utf-8"))
    for figure, value in about["figures"].items():
        assert f"| {figure} | {value} |" in card
    for figure, least in TOLD[name].items():
        assert float(about["figures"][figure]) > least
    assert "| licence |" in card
    parameters = sum(each.numel() for each in pellucid.load(name).parameters())
    assert about["parameters"] == f"{parameters:,}"


def test_all_together_are_small() -> None:
    assert sum(map(builtin.size, builtin.BUILTIN)) < MOST


def test_the_reader_fills_a_gap_and_tells_what_follows() -> None:
    reader = pellucid.load("reader")
    trace = reader.see("She opened the [MASK] and went out.")
    at = trace.texts["tokens"][0].pieces.index("[MASK]")
    answers = trace.answers(5)
    assert answers is not None
    assert "door" in {guess.piece for guess in answers.words[0][at]}
    first = (
        "Tonight I come to the Congress to report on the state of the Union. "
        "Our economy is growing, and our people are at work."
    )
    chances = reader.see(
        [first] * 2,
        pair=[
            "We must now give every child a good school, "
            "and every worker the skills for a better job.",
            "The countess rose with a smile, gave the prince her hand, and went out.",
        ],
    ).follows()
    assert chances[0] > 0.5 > chances[1]
