"""Every example runs as a script, and tells what it is meant to tell."""

import runpy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch

EXAMPLES = Path(__file__).parent.parent / "examples"

# doc/stories260K.md of karpathy/llama2.c: what the author's C program says at temperature 0
PUBLISHED = """\
Once upon a time, there was a little girl named Lily. She loved to play outside in the park. \
One day, she saw a big, red ball. She wanted to play with it, but it was too high.
Lily's mom said, "Lily, let's go to the park." Lily was sad and didn't know what to do. \
She said, "I want to play with your ball, but I can't find it."
Lily was sad and didn't know what to do. She said, "I'm sorry, Lily. I didn't know what to do."
Lily didn't want to help her mom, so she said, "I'm sorry, mom. I didn't know what to do." \
Her mom said, "Don't worry, Lily. We can help you.
"""

Run = Callable[..., str]

pytestmark = pytest.mark.usefixtures("unchecked")  # hundreds of runs: types are checked elsewhere


@pytest.fixture
def one_thread() -> Iterator[None]:
    """So small a model is quickest alone."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`run("stories.py", …)`: what it prints."""

    def runs(name: str, *arguments: str | Path) -> str:
        monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
        return capsys.readouterr().out

    return runs


def test_all_are_run_here() -> None:
    told = Path(__file__).read_text()
    assert all(f'run("{example.name}"' in told for example in EXAMPLES.glob("*.py"))


@pytest.mark.usefixtures("one_thread")
def test_stories260k_tells_the_published_story_word_for_word(run: Run, shared: Path) -> None:
    assert run("stories.py", shared / "data" / "weights-stories260k") == PUBLISHED


def test_smollm2_knows_the_capital_of_france(run: Run, smollm2: Path) -> None:
    told = run("smollm2_answers.py").splitlines()
    assert told[-2:] == ["What is the capital of France?", "The capital of France is Paris."]


@pytest.mark.usefixtures("one_thread")
def test_induction_heads_are_found_and_confirmed(run: Run, smollm2: Path) -> None:
    lines = [line.rsplit(maxsplit=2) for line in run("induction.py").splitlines() if line]
    surprise = {name: float(last) for name, _, last in lines[4:]}
    assert surprise["all heads"] < 4
    assert surprise["without 8 induction"] > 10
    assert surprise["without 8 previous"] > 8
    assert [
        last for name, _, last in lines[4:] if name == "without 8 others" and float(last) > 5
    ] == []


def test_bart_says_words(run: Run, shared: Path) -> None:
    folder = shared / "data" / "weights-bart-g2p-us"
    told = run("letters_to_phonemes.py", folder, "transformer", "attention", "mouse")
    assert [line.split() for line in told.splitlines()] == [
        ["transformer", "tɹænsfˈɔɹməɹ"],
        ["attention", "ətˈɛnʃən"],
        ["mouse", "mˈWs"],
    ]


@pytest.mark.usefixtures("one_thread")
def test_bart_says_72_percent_of_its_dictionary(run: Run, shared: Path) -> None:
    told = run("letters_to_phonemes.py", shared / "data" / "weights-bart-g2p-us")
    assert told == "72.0% of 300 words as in the dictionary\n"


@pytest.mark.usefixtures("one_thread")
def test_norms_and_positions_are_exchanged(run: Run, tmp_path: Path) -> None:
    text, figure = tmp_path / "text.txt", tmp_path / "curves.svg"
    text.write_text("the seal slept on the ice, and the mouse by the sea.\n" * 40)
    sizes = ("--steps", "4", "--context", "16", "--width", "16")
    told = run("norms_and_positions.py", text, *sizes, "--save", figure)
    lines = [line.split() for line in told.splitlines() if line]
    assert [line[0] for line in lines] == [
        *("norm", "layer", "rms", "batch", "none"),
        *("positions", "none", "sinusoidal", "learned", "rotary", "relative", "alibi"),
        str(figure),
    ]
    losses = [float(line[1]) for line in lines if len(line) == 2]
    assert len(losses) == 10
    assert all(1 < loss < 5 for loss in losses)
    layer, learned = losses[0], losses[6]
    assert layer == learned  # one and the same model
    assert len(set(losses)) > 6
    assert "alibi" in figure.read_text()
