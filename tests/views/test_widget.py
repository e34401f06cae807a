"""The page within a notebook: a frame of its own, in a real browser."""

from typing import TYPE_CHECKING

import pytest

import pellucid
from pellucid.study.compare import compare
from pellucid.views.page import WEB

if TYPE_CHECKING:
    from playwright.sync_api import Browser

widget = pytest.importorskip("pellucid.views.widget", reason="anywidget is not installed")

NOTEBOOK = """
async ([source, html]) => {
  const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const { default: { render } } = await import(address);
  const state = { html, height: 500 };
  const listeners = {};
  window.change = (name, value) => { state[name] = value; listeners[`change:${name}`]?.(); };
  window.end = render({ el: document.body, model: {
    get: (name) => state[name],
    on: (event, act) => { listeners[event] = act; },
    off: (event) => { delete listeners[event]; },
  } });
}
"""


def test_a_cell_shows_the_page_and_follows(browser: "Browser") -> None:
    model = pellucid.load("mouse")
    shown = widget.Widget(model.see("cat and mouse"))
    source = (WEB / "widget.js").read_text()
    with browser.new_page() as page:
        page.evaluate(NOTEBOOK, [source, shown.html])
        frame = page.frame_locator("iframe")
        frame.locator(".step").first.wait_for()
        assert frame.locator(".token").all_inner_texts() == ["cat", "and", "mouse"]
        assert frame.locator("#message").is_hidden()
        shown.show(model.see("keyboard"))
        page.evaluate("(html) => window.change('html', html)", shown.html)
        frame.locator(".token", has_text="keyboard").wait_for()
        page.evaluate("window.change('height', 300)")
        assert page.locator("iframe").bounding_box()["height"] == 300
        two = compare(model, "cat and mouse", "keyboard and mouse", word="mouse")
        shown.show(two)
        page.evaluate("(html) => window.change('html', html)", shown.html)
        frame.locator(".text.second .word", has_text="mouse").wait_for()
        assert widget.Widget(two).html == shown.html
        page.evaluate("window.end()")


def test_the_frame_reaches_nothing(browser: "Browser") -> None:
    shown = widget.Widget(pellucid.load("mouse").see("cat"))
    with browser.new_page() as page:
        page.evaluate(NOTEBOOK, [(WEB / "widget.js").read_text(), shown.html])
        page.frame_locator("iframe").locator(".step").first.wait_for()
        (frame,) = page.main_frame.child_frames
        assert (
            frame.evaluate("() => { try { return parent.document.title } catch { return 0 } }") == 0
        )
