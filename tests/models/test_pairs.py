"""Two texts that an encoder reads as one, and whether the second follows."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch
import zoo

import pellucid
from pellucid.errors import UsageError
from pellucid.models.model import Model
from pellucid.record.trace import Trace
from pellucid.views import terminal
from pellucid.views.choice import Choice

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FIRST, SECOND = "the seal slept", "a bank of the river"


@pytest.fixture(scope="module")
def model() -> Model:
    return zoo.build("encoder", next_sentence="pooled", head="masked")


@pytest.fixture(scope="module")
def trace(model: Model) -> Trace:
    return model.see([FIRST, "it"], pair=[SECOND, "the mouse"])


def test_the_model_is_told_which_text_a_piece_is_of(model: Model, trace: Trace) -> None:
    tokens = trace.texts["tokens"][0]
    assert tokens.text == f"{FIRST}\n{SECOND}"
    assert tokens.labels() == f"{FIRST} {SECOND}".split()
    assert trace["embed.segment_ids"][0].tolist() == [0, 0, 0, 1, 1, 1, 1, 1]
    ids = torch.tensor([tokens.ids])
    said = model(ids, segments=trace["embed.segment_ids"][:1]).next_sentence
    assert said is not None
    expected = said.softmax(-1)[0, 0].item()
    assert trace.follows()[0] == pytest.approx(expected, rel=1e-5)
    unlike = model(ids).next_sentence
    assert unlike is not None
    assert unlike.softmax(-1)[0, 0].item() != pytest.approx(expected, rel=1e-3)


def test_every_number_follows_from_its_formula(trace: Trace) -> None:
    assert trace.verify().worst.difference < 1e-5


def test_one_text_follows_nothing(model: Model) -> None:
    assert model.see(FIRST).follows() == []
    assert zoo.build("encoder").see(FIRST, pair=SECOND).follows() == []


def test_the_terminal_and_the_page_say_it(browser: "Browser", trace: Trace, tmp_path: Path) -> None:
    chance = trace.follows()[0]
    said = "\n".join(line.plain for line in terminal.draw(trace, Choice(0, 0), 100))
    assert "Does the second text follow the first?" in said
    assert f"it does      {chance:.3f}" in said
    assert "Likeliest words at each place" in said
    trace.save(tmp_path / "pair.html")
    with browser.new_page() as page:
        page.goto((tmp_path / "pair.html").as_uri())
        told = page.inner_text(".follows")
        assert told == f"The second text follows the first: {float(f'{chance:.3g}'):g}"
        assert page.inner_text("#answers h2").startswith("Likeliest instead of")


def test_the_page_begins_at_a_gap(browser: "Browser", tmp_path: Path) -> None:
    trace = pellucid.load("reader").see("She opened the [MASK] and went out.")
    trace.save(tmp_path / "gap.html")
    best = trace.answers(1)
    assert best is not None
    with browser.new_page() as page:
        page.goto((tmp_path / "gap.html").as_uri())
        assert page.inner_text("#answers h2").startswith("Likeliest instead of [MASK]")
        assert page.inner_text(".station.answer bdi") == best.words[0][4][0].piece


@pytest.mark.parametrize(
    ("name", "texts", "pair", "why"),
    [
        ("decoder", [FIRST], SECOND, "Two texts are read as one by encoders"),
        ("encoder", [[FIRST, SECOND]], SECOND, "2 texts came, and pairs to 1 of them"),
    ],
)
def test_what_has_no_pair_is_refused(name: str, texts: list, pair: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        zoo.build(name).see(*texts, pair=pair)


def test_a_pair_goes_with_one_stream_of_texts(model: Model) -> None:
    with pytest.raises(UsageError, match=r"takes 1 \(tokens\); 2 came"):
        model.see(FIRST, FIRST, pair=SECOND)
    with pytest.raises(UsageError, match="0 texts came"):
        model.see([], pair=[])
