"""Predict, then reveal: the page's answers as an exercise."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import page_browser
import pytest
import zoo

from pellucid.record.trace import Trace

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PREDICT = "[title='hide them, and predict']"
FIELD = "[aria-label='what will it be?']"
BEFORE = -2  # a position before the last


@pytest.fixture
def trace() -> Trace:
    return zoo.build("decoder").see(zoo.SENTENCE)


@pytest.fixture
def page(browser: "Browser", trace: Trace, tmp_path: Path) -> "Iterator[Page]":
    with page_browser.opened(browser, trace.save(tmp_path / "see.html")) as page:
        page.click(PREDICT)
        yield page


def is_seen(page: "Page") -> bool:
    return page.locator("#answers li").first.is_visible()


def best(trace: Trace, position: int) -> list[str]:
    order = trace["head.probabilities"][0, position].argsort(descending=True)
    return [zoo.WORDS[at] for at in order.tolist()]


def test_answers_are_covered_everywhere(page: "Page", trace: Trace) -> None:
    assert not is_seen(page)
    assert not page.locator(".station.answer bdi").is_visible()
    page.click(".station >> text=Answer")
    page.wait_for_selector(".everywhere caption")
    assert not page.locator(".everywhere td").first.is_visible()


def test_a_right_prediction_reveals(page: "Page", trace: Trace) -> None:
    page.fill(FIELD, "no such word")
    page.press(FIELD, "Enter")
    assert page.inner_text("#answers .told") == "✗ not among them"
    assert not is_seen(page)
    page.fill(FIELD, f" {best(trace, -1)[1].upper()} ")
    page.press(FIELD, "Enter")
    assert page.inner_text("#answers .told") == "✓ number 2"
    assert is_seen(page)
    assert page.locator(FIELD).is_hidden()


def test_another_position_is_covered_again(page: "Page", trace: Trace) -> None:
    page.click("text=show them")
    assert is_seen(page)
    page.locator(".token").nth(BEFORE).click()
    assert not is_seen(page)
    page.fill(FIELD, best(trace, BEFORE)[0])
    page.press(FIELD, "Enter")
    assert page.inner_text("#answers .told") == "✓ number 1"


def test_it_can_be_left(page: "Page") -> None:
    assert page.get_attribute(PREDICT, "aria-pressed") == "true"
    page.click(PREDICT)
    assert is_seen(page)
    assert page.locator(FIELD).is_hidden()
    assert page.locator(".station.answer bdi").is_visible()
