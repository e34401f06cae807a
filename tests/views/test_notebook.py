"""What a notebook, and Python itself, shows of a result at the end of a cell."""

from typing import TYPE_CHECKING

import pytest
import zoo

import pellucid
from pellucid.views import notebook
from pellucid.views.page import page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FRIENDS, HELPFUL = "cat and mouse are friends", "keyboard and mouse are helpful"


@pytest.fixture(scope="module")
def mouse() -> pellucid.Model:
    return pellucid.load("mouse")


def test_a_trace_is_its_page(browser: "Browser", mouse: pellucid.Model) -> None:
    trace = mouse.see(FRIENDS)
    shown = trace._repr_html_()
    with browser.new_page() as tab:
        tab.set_content(shown)
        frame = tab.frame_locator("iframe")
        frame.locator(".step").first.wait_for()
        assert frame.locator(".token").all_inner_texts() == FRIENDS.split()
    assert repr(trace) == f"<Trace of '{FRIENDS}': {len(trace)} names>"


def test_a_comparison_is_its_page_and_prints_as_lines(
    browser: "Browser", mouse: pellucid.Model
) -> None:
    found = pellucid.compare(mouse, FRIENDS, HELPFUL, word="mouse")
    with browser.new_page() as tab:
        tab.set_content(found._repr_html_())
        frame = tab.frame_locator("iframe")
        frame.locator(".text.second .word", has_text="mouse").wait_for()
    assert "How far apart after each layer" in repr(found)
    assert max(map(len, repr(found).splitlines())) <= notebook.WIDTH


def test_lines_keep_their_colours() -> None:
    found = pellucid.lens(zoo.build("decoder"), "the seal slept")
    told = found._repr_html_()
    assert told.startswith("<pre")
    assert "color:" in told
    assert "What each layer would answer at token 2" in repr(found)


def test_a_page_too_large_is_named(mouse: pellucid.Model, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = mouse.see(FRIENDS)
    monkeypatch.setattr(notebook, "LARGEST", len(page(trace).encode()) - 1)
    told = trace._repr_html_()
    assert "iframe" not in told
    assert "more than a notebook takes by itself" in told
    assert "KB" in told
