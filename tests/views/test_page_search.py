"""The tree of a search on the page, step by step."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import page_browser
import pytest
import zoo

from pellucid.decode.seen import see_generated
from pellucid.formula.operation import number
from pellucid.record.trace import Trace

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def trace() -> Trace:
    model = zoo.build("decoder", longest=40)
    return see_generated(model, "the seal slept", {}, beams=3, best=3, max_new_tokens=4)


@pytest.fixture
def page(browser: "Browser", trace: Trace, tmp_path: Path) -> "Iterator[Page]":
    with page_browser.opened(browser, trace.save(tmp_path / "see.html")) as page:
        page.click(".station >> text=Search")
        page.wait_for_selector(".tree svg")
        yield page


def candidates(trace: Trace) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = trace.about["generation"]["tree"]["candidates"]
    return found


def texts(page: "Page") -> list[str]:
    """What is written in the tree, without what is told under the pointer."""
    return page.evaluate(
        "() => [...document.querySelectorAll('.tree text')].map((x) => x.firstChild.data)"
    )


def written(each: dict[str, Any]) -> str:
    value = float(f"{each['value']:.3g}")
    return f"{each['piece']} {number(value)}"


def test_every_candidate_is_in_the_tree(page: "Page", trace: Trace) -> None:
    assert sorted(texts(page)) == sorted(map(written, candidates(trace)))
    fates = [each["fate"] for each in candidates(trace)]
    for fate in ("kept", "cut", "ended"):
        assert page.locator(f".tree text.{fate}").count() == fates.count(fate) > 0
    branches = sum(each["parent"] >= 0 for each in candidates(trace))
    assert page.locator(".tree path").count() == branches


def test_all_of_the_tree_is_saved(page: "Page", trace: Trace, tmp_path: Path) -> None:
    page.set_viewport_size({"width": 400, "height": 300})
    png, svg = page_browser.saved(page, ".panel", tmp_path)
    assert png.read_bytes().startswith(b"\x89PNG")
    drawn = [each.text for each in ElementTree.parse(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert sorted(filter(None, drawn)) == sorted(map(written, candidates(trace)))


def test_the_answers_stand_above(page: "Page", trace: Trace) -> None:
    answers = trace.about["generation"]["answers"]
    assert page.locator(".said .score").all_inner_texts() == [number(a["score"]) for a in answers]
    assert page.locator(".said bdi").all_inner_texts() == [a["text"] for a in answers]


def test_step_by_step(page: "Page", trace: Trace) -> None:
    for until in (1, 2, 4):
        page.fill(".steps input", str(until))
        shown = [each for each in candidates(trace) if each["step"] <= until]
        assert len(texts(page)) == len(shown)


def test_why_is_told_under_the_pointer(page: "Page", trace: Trace) -> None:
    told = page.evaluate(
        "() => [...document.querySelectorAll('.tree title')].map((x) => x.textContent)"
    )
    for each in candidates(trace):
        assert any(each["why"] in line and f"id {each['id']})" in line for line in told)


def test_hostile_words_stay_text(browser: "Browser", trace: Trace, tmp_path: Path) -> None:
    rows = [each | {"piece": "<img src=x>\u202e"} for each in candidates(trace)]
    told = trace.about["generation"]
    generation = told | {"tree": told["tree"] | {"candidates": rows}}
    about = trace.about | {"generation": generation}
    hostile = Trace(trace.nodes, trace.held, trace.weights, trace.texts, about)
    with page_browser.opened(browser, hostile.save(tmp_path / "see.html")) as page:
        page.click(".station >> text=Search")
        page.wait_for_selector(".tree svg")
        assert page.locator("img").count() == 0
        assert "\u202e" not in "".join(texts(page))


def many(trace: Trace, beams: int = 60, steps: int = 40) -> Trace:
    """The same with thousands of candidates: each step has two for each that goes on."""
    (first, *_), rows = candidates(trace), []
    for step in range(1, steps + 1):
        kept = [at for at, row in enumerate(rows) if row["step"] == step - 1][::2] or [-1] * beams
        for parent in kept[:beams]:
            for fate in ("kept", "cut"):
                word = f"w{len(rows)}"
                total = -float(len(rows))
                row = {"step": step, "parent": parent, "piece": word, "fate": fate, "why": fate}
                rows.append(first | row | {"total": total, "score": None})
    told = trace.about["generation"]
    generation = told | {"tree": told["tree"] | {"candidates": rows}}
    about = trace.about | {"generation": generation}
    return Trace(trace.nodes, trace.held, trace.weights, trace.texts, about)


SEEN = """
async () => {
  const tree = document.querySelector(".tree"), seen = new Set();
  let most = 0;
  for (let top = 0; top < tree.scrollHeight; top += tree.clientHeight) {
    for (let left = 0; left < tree.scrollWidth; left += tree.clientWidth) {
      tree.scrollTo(left, top);
      await new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
      for (const each of tree.querySelectorAll("text")) seen.add(each.firstChild.data);
      most = Math.max(most, document.querySelectorAll("*").length);
    }
  }
  return [[...seen], most];
}
"""


def test_thousands_can_all_be_seen(browser: "Browser", trace: Trace, tmp_path: Path) -> None:
    large = many(trace)
    with page_browser.opened(browser, large.save(tmp_path / "see.html")) as page:
        page.click(".station >> text=Search")
        page.wait_for_selector(".tree svg text")
        seen, elements = page.evaluate(SEEN)
        assert len(candidates(large)) == 4800
        assert set(seen) == set(map(written, candidates(large)))
        assert elements < 5000
