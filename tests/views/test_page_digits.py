"""Every digit that the page prints is the trace's: 1,000 random cells of each kind of page."""

import random
from pathlib import Path
from typing import TYPE_CHECKING

import page_browser
import pytest
import torch
import zoo
from page_browser import Place
from torch import Tensor

import pellucid
from pellucid.record.trace import Trace
from pellucid.views import payload as packing
from pellucid.views.payload import payload

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CELLS, PLACES = 1_000, 40
PRINTED = """
(wanted) => Promise.all(wanted.map(([name, cells, which]) => pellucid.printed(name, cells, which)))
"""
TEXT = "The bank of the river was muddy, and the seal slept on the ice; by night a mouse sat there."


def check(browser: "Browser", trace: Trace, path: Path) -> list[int]:
    """Compare printed cells with the trace; how many digits each was printed in."""
    chance = random.Random(0)
    known, digits = dict[str, Tensor](), []
    with page_browser.opened(browser, trace.save(path)) as page:
        (stack, *_) = payload(trace).about["stacks"]
        wanted = [drawn(trace, stack, chance, known) for _ in range(PLACES)]
        for (place, value, cells), printed in zip(wanted, asked(page, wanted), strict=True):
            for cell, told in zip(cells, printed, strict=True):
                number = value[cell].item()
                assert told["text"] == as_printed(number, told), (place, cell, number)
                digits.append(told.get("digits", 0))
    return digits


def drawn(
    trace: Trace, stack: dict, chance: random.Random, known: dict[str, Tensor]
) -> tuple[Place, Tensor, list[tuple[int, int]]]:
    """A random step of a random head, and some of its cells."""
    steps = [n for n in chance.choice(stack["layers"])["steps"] if not n.endswith(".output")]
    head = chance.randrange(stack["heads"])
    place = Place(chance.choice(steps), 0, head, stack["heads"])
    value = page_browser.part(trace, place, known)
    rows, columns = value.shape
    each = range(CELLS // PLACES)
    return place, value, [(chance.randrange(rows), chance.randrange(columns)) for _ in each]


def asked(page: "Page", wanted: list) -> list:
    return page.evaluate(PRINTED, [[p.name, cells, {"head": p.head}] for p, _, cells in wanted])


def as_printed(value: float, told: dict) -> str:
    """The trace's number in as many digits, or as many decimals, as the page printed."""
    if "digits" in told:
        text = f"{value:.{told['digits']}g}"
    elif "places" not in told:  # not one digit is certain, and the page says so
        about = float(told["text"].removeprefix("≈ ").replace("−", "-"))
        return told["text"] if abs(about - value) <= abs(value) else str(value)
    else:
        text = f"{value:.{told['places']}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
        text = "0" if text == "-0" else text
    return {"inf": "∞", "-inf": "−∞"}.get(text, text.replace("-", "−"))


def typical(digits: list[int]) -> int:
    return sorted(digits)[len(digits) // 2]


def test_a_small_page_is_exact(browser: "Browser", tmp_path: Path) -> None:
    trace = zoo.build("decoder").see(zoo.SENTENCE)
    assert payload(trace).about["bits"] == 32
    assert typical(check(browser, trace, tmp_path / "see.html")) == 4


def test_minilm(browser: "Browser", tmp_path: Path, minilm: Path) -> None:
    trace = pellucid.load(minilm).see(TEXT)
    assert typical(check(browser, trace, tmp_path / "see.html")) == 4


@pytest.mark.parametrize(("bits", "least"), [(16, 3), (13, 2)])
@pytest.mark.parametrize("name", ["encoder", "llama", "relative"])
def test_a_large_page_prints_what_is_true(
    bits: int,
    least: int,
    name: str,
    *,
    browser: "Browser",
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(packing, "WHOLE", 0)
    monkeypatch.setattr(packing, "BITS", ((1e9, bits),))
    trace = zoo.build(name).see(zoo.SENTENCE)
    assert payload(trace).about["bits"] == bits
    assert typical(check(browser, trace, tmp_path / "see.html")) >= least


def test_half_precision_prints_few_digits(browser: "Browser", tmp_path: Path) -> None:
    trace = zoo.build("decoder").to(torch.bfloat16).see(zoo.SENTENCE)
    assert 1 <= typical(check(browser, trace, tmp_path / "see.html")) <= 3
