"""What if: changes on the page, what follows from them, and one way back."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import page_browser
import pytest
import torch
import zoo
from torch import Tensor

import pellucid
from pellucid.record.trace import Trace
from pellucid.views import payload as packing

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PLACE = "decoder.0.attention"
NOW = """
async (name) => {
  await pellucid.trace.open([name]);
  const { rows, columns, data } = pellucid.head.matrix(name);
  return { rows, columns, data: Array.from(data) };
}
"""


@pytest.fixture
def trace() -> Trace:
    return zoo.build("decoder").double().see(zoo.SENTENCE)


@pytest.fixture
def page(browser: "Browser", trace: Trace, tmp_path: Path) -> "Iterator[Page]":
    trace.about["shown"] = {"layer": 0, "head": 1}
    with page_browser.opened(browser, trace.save(tmp_path / "see.html")) as page:
        yield page


def now(page: "Page", name: str) -> Tensor:
    """A value of the head that is shown, as the page has it now."""
    found = page.evaluate(NOW, name)
    return torch.tensor(found["data"], dtype=torch.float64).reshape(found["rows"], found["columns"])


def close(a: Tensor, b: Tensor) -> bool:
    return torch.allclose(a, b, rtol=1e-9, atol=1e-12)


def again(page: "Page") -> None:
    page.click(".back")
    page.wait_for_selector(".back", state="hidden")


def test_scaling_off(page: "Page", trace: Trace) -> None:
    page.uncheck("text=scaled by √d")
    page.wait_for_selector(".back")
    allowed = trace[f"{PLACE}.allowed"][0, 0]
    masked = trace[f"{PLACE}.scores"][0, 1].masked_fill(~allowed, float("-inf"))
    assert close(now(page, f"{PLACE}.weights"), masked.softmax(-1))
    again(page)
    assert close(now(page, f"{PLACE}.weights"), trace[f"{PLACE}.weights"][0, 1])


def test_mask_off(page: "Page", trace: Trace) -> None:
    page.uncheck("label >> text=masked")
    page.wait_for_selector(".back")
    assert close(now(page, f"{PLACE}.weights"), trace[f"{PLACE}.scaled"][0, 1].softmax(-1))


def test_temperature(page: "Page", trace: Trace) -> None:
    page.fill(".whatif [type=range]", "0.5")
    page.wait_for_selector(".back")
    warm = (trace[f"{PLACE}.masked"][0, 1] / 0.5).softmax(-1)
    assert close(now(page, f"{PLACE}.weights"), warm)
    assert close(now(page, f"{PLACE}.mixed"), warm @ trace[f"{PLACE}.v"][0, 1])


def test_a_silent_head_is_followed_to_the_answers(page: "Page", trace: Trace) -> None:
    page.uncheck("text=head speaks")
    page.wait_for_selector(".back")
    held = dict(trace.held)
    held.pop("head.logits")
    mixed = trace[f"{PLACE}.mixed"].clone()
    mixed[:, 1] = 0
    follows = [n for n in trace.nodes if n in held and after(trace, n)]
    silent = Trace(
        trace.nodes,
        {n: x for n, x in held.items() if n not in follows} | {f"{PLACE}.mixed": mixed},
        trace.weights,
        trace.texts,
        trace.about,
    )
    assert close(now(page, "head.logits"), silent["head.logits"][0])
    assert not close(now(page, "head.logits"), trace["head.logits"][0])
    assert "computed anew" in page.inner_text("#answers")
    best = silent["head.probabilities"][0, -1].argmax().item()
    assert page.locator("#answers li bdi").first.inner_text() == trace.piece(best)


def after(trace: Trace, name: str) -> bool:
    """Whether a value follows from what the head mixed."""
    parents = trace.nodes[name].parents if name in trace.nodes else ()
    return any(each == f"{PLACE}.mixed" or after(trace, each) for each in parents)


def test_a_silent_token(page: "Page", trace: Trace) -> None:
    page.select_option("select[aria-label^=silence]", index=2)
    page.wait_for_selector(".back")
    v = trace[f"{PLACE}.v"][0, 1].clone()
    v[1] = 0
    assert close(now(page, f"{PLACE}.mixed"), trace[f"{PLACE}.weights"][0, 1] @ v)


def test_a_number_is_edited(page: "Page", trace: Trace) -> None:
    page.locator(".step canvas").first.click()
    row, column = page.evaluate("Object.values(pellucid.steps.pinned.cell)")
    page.fill("#readout input", "−2,5")
    page.press("#readout input", "Enter")
    page.wait_for_selector(".back")
    q = trace[f"{PLACE}.q"][0, 1].clone()
    q[row, column] = -2.5
    assert close(now(page, f"{PLACE}.scores"), q @ trace[f"{PLACE}.k"][0, 1].T)
    assert page.inner_text("#readout .value") == "−2.5"


def test_changes_are_part_of_the_link(
    browser: "Browser", page: "Page", trace: Trace, tmp_path: Path
) -> None:
    page.uncheck("text=scaled by √d")
    page.wait_for_selector(".back")
    page.wait_for_function("location.hash.includes('scaling')")
    with browser.new_page() as other:
        other.goto(page.url)
        other.wait_for_function(page_browser.READY)
        assert not other.is_checked("text=scaled by √d")
        assert close(now(other, f"{PLACE}.weights"), now(page, f"{PLACE}.weights"))


def test_a_large_page_says_where_the_road_ends(
    browser: "Browser", trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "WHOLE", 0)
    with page_browser.opened(browser, trace.save(tmp_path / "see.html")) as page:
        page.uncheck("text=scaled by √d")
        page.wait_for_selector(".back")
        notes = page.locator(".step .note").all_inner_texts()
        assert ["as recorded" in note for note in notes] == [False] * 8 + [True]
        assert "as recorded" in page.inner_text("#answers")


def test_the_mouse_leans_elsewhere(browser: "Browser", tmp_path: Path) -> None:
    """Without its neighbours' values the mouse is what it was."""
    trace = pellucid.load("mouse").see("cat and mouse are friends")
    with page_browser.opened(browser, trace.save(tmp_path / "see.html")) as page:
        before = now(page, "encoder.0.attention.mixed")
        page.select_option("select[aria-label^=silence]", label="cat")
        page.wait_for_selector(".back")
        animal = now(page, "encoder.0.attention.mixed")[2, 0]
        assert animal < before[2, 0]
