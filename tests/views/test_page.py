"""The page as a file: what it holds, what it refuses, and what a person can do with it."""

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import page_browser
import pytest
import torch
import zoo

import pellucid
from pellucid.errors import UsageError
from pellucid.formula.operation import number
from pellucid.record.tokens import Tokens
from pellucid.record.trace import Trace
from pellucid.views.labels import label, spaced
from pellucid.views.page import packed_json, page
from pellucid.views.payload import Payload, payload

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HOSTILE = (
    "</script><script>window.hacked = 1</script>",
    "</noscript><img src=x onerror='window.hacked = 1'>",
    "<!--<script>",
    "]]>&amp;\"'`",
    "$payload ${title} \\u003c",
    "\0",
    "\ud83d",
    "👩‍👩‍👧",
    "🙂 1/2",
    "ضفة",
    "e\u0301",
    "\u0301",
    "\u202eabc",
    "\u2028\x1b[31m",
    "x" * 200,
    " ",
)
TITLE = "#stage .title h2"
SCRIPTS = len(["the program", "description", "all", "decoder.0", "decoder.1"])


@pytest.fixture
def mouse() -> Trace:
    return pellucid.load("mouse").see("cat and mouse are friends")


def hostile() -> Trace:
    """A trace whose tokens and answers are all hostile."""
    ids = torch.arange(len(HOSTILE))[None] % len(zoo.WORDS)
    _, trace = zoo.look(zoo.build("decoder", longest=len(HOSTILE)), ids=ids)
    ends = [sum(map(len, HOSTILE[:at])) for at in range(len(HOSTILE) + 1)]
    offsets = tuple(pairwise(ends))
    special = tuple(at == 1 for at in range(len(HOSTILE)))
    text = Tokens("".join(HOSTILE), tuple(ids[0].tolist()), HOSTILE, offsets, special)
    about = {"model": HOSTILE[0], "dtype": "float32"}
    hostile = Trace(trace.nodes, trace.held, trace.weights, {"tokens": [text]}, about)
    hostile.piece = lambda at: HOSTILE[at % len(HOSTILE)]
    return hostile


def test_no_text_is_ever_markup(browser: "Browser", tmp_path: Path) -> None:
    trace = hostile()
    with page_browser.opened(browser, trace.save(tmp_path / "see.html")) as opened:
        shown = opened.evaluate(
            "JSON.stringify([...document.querySelectorAll('.token')].map((x) => x.textContent))"
        )
        text = opened.evaluate("JSON.stringify(document.querySelector('h1').textContent)")
        words = opened.locator("#answers li bdi").all_inner_texts()
        assert json.loads(shown) == [label(one) for one in trace.texts["tokens"][0].labels()]
        assert json.loads(text) == "".join(HOSTILE)
        assert len(words) == 5
        assert HOSTILE[0] in opened.inner_text("#about")
        assert opened.evaluate("document.querySelectorAll('script').length") == SCRIPTS
        assert opened.evaluate("document.querySelectorAll('img, style + style').length") == 0
        assert opened.evaluate("window.hacked") is None


def test_without_javascript_the_tokens_are_a_table(browser: "Browser", tmp_path: Path) -> None:
    path = hostile().save(tmp_path / "see.html")
    with page_browser.opened(browser, path, java_script_enabled=False) as opened:
        assert opened.locator("noscript p").first.is_visible()
        rows = opened.locator("noscript tr").count()
        assert rows == len(HOSTILE) + 1
        assert opened.locator("noscript td").nth(0).inner_text() == spaced(HOSTILE[0])
        assert opened.locator("img").count() == 0


def test_only_the_page_s_own_script_and_style_may_run(
    browser: "Browser", tmp_path: Path, mouse: Trace
) -> None:
    path = mouse.save(tmp_path / "see.html")
    assert "unsafe" not in path.read_text().split("<title>")[0]
    with page_browser.opened(browser, path) as opened:
        opened.evaluate("""() => {
            window.refused = 0;
            addEventListener("securitypolicyviolation", () => window.refused++);
            const script = document.createElement("script");
            script.textContent = "window.hacked = 1";
            const style = document.createElement("style");
            style.textContent = "body { display: none }";
            document.body.append(script, style);
        }""")
        opened.wait_for_function("window.refused === 2")
        assert opened.evaluate("window.hacked") is None
        assert opened.locator("h1").is_visible()


def test_what_grows_with_the_square_is_not_stored() -> None:
    model = zoo.build("encoder", longest=64)
    short, long = (payload(model.see(" ".join(["seal"] * n))) for n in (16, 64))
    assert not any(re.search(r"\.(scores|weights|masked)$", name) for name in short.about["values"])
    assert size(long) < 4 * size(short)


def size(made: Payload) -> int:
    return sum(part.bytes for part in made.parts.values())


def test_a_loaded_trace_makes_the_same_page(tmp_path: Path) -> None:
    """But for words: a file holds the best few answers and no vocabulary."""
    model = zoo.build("both")
    trace = model.see(*zoo.texts(model))
    loaded = Trace.load(trace.save(tmp_path / "t.safetensors"))
    ours, theirs = payload(trace), payload(loaded)
    assert ours.parts == theirs.parts
    words = {"answers", "vocabulary"}
    assert {k: v for k, v in ours.about.items() if k not in words} == {
        k: v for k, v in theirs.about.items() if k not in words
    }


def test_layers_that_were_not_kept_are_left_out() -> None:
    model = pellucid.load()
    trace = model.see("the bank", keep=["tokens.real", "encoder.2.*", "encoder.4.*"])
    (stack,) = payload(trace).about["stacks"]
    assert [layer["layer"] for layer in stack["layers"]] == [2, 4]


def test_a_trace_without_attention_is_refused(tmp_path: Path) -> None:
    trace = pellucid.load().see("the bank", keep="embed.*")
    with pytest.raises(UsageError, match="wider `keep`"):
        trace.save(tmp_path / "see.html")
    assert not list(tmp_path.iterdir())


def test_a_trace_without_texts_has_numbers_for_labels(browser: "Browser", tmp_path: Path) -> None:
    _, trace = zoo.look(zoo.build("encoder"), ids=torch.tensor([[3, 1, 2]]))
    with page_browser.opened(browser, trace.save(tmp_path / "see.html")) as opened:
        assert opened.locator(".step").count() == len(
            "q k scores scaled masked weights v mixed output".split()
        )
        assert opened.locator(".token").count() == 0


@pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
def test_a_damaged_page_says_so(
    share: float, browser: "Browser", tmp_path: Path, mouse: Trace
) -> None:
    whole = mouse.save(tmp_path / "see.html").read_bytes()
    start = whole.index(b'data-part="trace"')
    cut = tmp_path / "cut.html"
    cut.write_bytes(whole[: start + int((len(whole) - start) * share)])
    assert "damaged" in message(browser, cut)


@pytest.mark.parametrize("change", [{"format": 9}, {"values": {}}, {"stacks": 0}, {"nodes": []}])
def test_a_page_with_other_data_says_so(
    change: dict[str, object], browser: "Browser", tmp_path: Path, mouse: Trace
) -> None:
    html, changed = page(mouse), tmp_path / "changed.html"
    right, wrong = (packed_json(payload(mouse).about | each) for each in ({}, change))
    assert right.text in html
    changed.write_text(
        html.replace(right.text, wrong.text).replace(f'"{right.bytes}"', f'"{wrong.bytes}"')
    )
    assert "damaged" in message(browser, changed)


def message(browser: "Browser", path: Path) -> str:
    with browser.new_page() as opened:
        opened.goto(path.as_uri())
        opened.wait_for_selector("#message:visible")
        return opened.inner_text("#message")


def test_it_opens_where_it_was_asked_to(browser: "Browser", tmp_path: Path) -> None:
    trace = zoo.build("encoder").see(zoo.SENTENCE)
    trace.about["shown"] = {"layer": 0, "head": 1}
    with page_browser.opened(browser, trace.save(tmp_path / "see.html")) as opened:
        assert opened.inner_text(TITLE) == "Encoder, layer 0, head 1"


def test_arrow_keys_go_to_other_heads_and_layers(browser: "Browser", tmp_path: Path) -> None:
    trace = zoo.build("encoder").see(zoo.SENTENCE)
    with page_browser.opened(browser, trace.save(tmp_path / "see.html")) as opened:
        assert opened.inner_text(TITLE) == "Encoder, layer 1, head 0"
        for key, title in {
            "ArrowRight": "Encoder, layer 1, head 1",
            "ArrowUp": "Encoder, layer 0, head 1",
            "ArrowLeft": "Encoder, layer 0, head 0",
            "ArrowDown": "Encoder, layer 1, head 0",
        }.items():
            opened.keyboard.press(key)
            assert opened.inner_text(TITLE) == title
            assert opened.get_attribute("[aria-pressed=true][title]", "title") == title


def test_arrow_keys_go_from_number_to_number_in_a_matrix(
    browser: "Browser", tmp_path: Path, mouse: Trace
) -> None:
    with page_browser.opened(browser, mouse.save(tmp_path / "see.html")) as opened:
        opened.locator(".step canvas").first.focus()
        opened.keyboard.press("ArrowDown")
        opened.keyboard.press("ArrowDown")
        assert opened.inner_text("#readout .where") == "and, animal"
        assert opened.inner_text("#readout .value") == "0.1"
        opened.keyboard.press("Escape")
        assert not opened.locator("#readout").is_visible()


def test_a_clicked_number_stays_while_heads_change(browser: "Browser", tmp_path: Path) -> None:
    trace = zoo.build("encoder").see(zoo.SENTENCE)
    with page_browser.opened(browser, trace.save(tmp_path / "see.html")) as opened:
        opened.locator(".step canvas").nth(5).click()
        where = opened.inner_text("#readout .where")
        for head in (1, 2):
            opened.mouse.move(1, 1)
            opened.keyboard.press("ArrowRight")
            assert opened.inner_text("#readout .where") == where
            row, column = (trace.texts["tokens"][0].find(word)[0] for word in where.split(" → "))
            told = trace.explain("encoder.1.attention.weights", row=row, column=column, head=head)
            assert opened.inner_text("#readout .value") == number(told.value)


def test_a_step_grows_and_shrinks_again(browser: "Browser", tmp_path: Path, mouse: Trace) -> None:
    with page_browser.opened(browser, mouse.save(tmp_path / "see.html")) as opened:
        canvas, button = (
            opened.locator(".step canvas").nth(5),
            opened.locator("figcaption .tool").nth(5),
        )
        sizes = [canvas.bounding_box()["width"]]
        for _ in range(2):
            button.click()
            sizes.append(canvas.bounding_box()["width"])
        assert sizes[0] == sizes[2] < sizes[1]


def test_colours_follow_the_system(browser: "Browser", tmp_path: Path, mouse: Trace) -> None:
    with page_browser.opened(browser, mouse.save(tmp_path / "see.html")) as opened:
        canvas = "document.querySelector('.step canvas').toDataURL()"
        light = opened.evaluate(canvas)
        opened.emulate_media(color_scheme="dark")
        opened.wait_for_function(f"(light) => {canvas} !== light", arg=light)
        opened.emulate_media(color_scheme="light")
        opened.wait_for_function(f"(light) => {canvas} === light", arg=light)


def test_a_sentence_of_several_is_chosen(browser: "Browser", tmp_path: Path) -> None:
    trace = zoo.build("encoder").see(zoo.SENTENCES)
    with page_browser.opened(browser, trace.save(tmp_path / "see.html")) as opened:
        assert opened.inner_text("h1") == zoo.SENTENCES[0]
        opened.select_option("select", index=1)
        assert opened.inner_text("h1") == zoo.SENTENCES[1]
        assert opened.locator(".token").all_inner_texts() == zoo.SENTENCES[1].split()


def test_pointing_at_a_token_says_what_it_is(browser: "Browser", tmp_path: Path) -> None:
    trace = pellucid.load("mouse").see("cat and mouse")
    with page_browser.opened(browser, trace.save(tmp_path / "see.html")) as opened:
        opened.locator(".token").nth(2).hover()
        assert opened.inner_text("#readout .where") == "mouse"
        assert opened.inner_text("#readout .line") == "id 1, characters 8 to 13"


def test_a_long_text_stays_light_and_fits(browser: "Browser", tmp_path: Path) -> None:
    trace = pellucid.load().see(" ".join(["river"] * 126))
    path = trace.save(tmp_path / "see.html")
    assert len(trace.texts["tokens"][0]) == 128
    for width in (1280, 390):
        with page_browser.opened(browser, path, viewport={"width": width, "height": 720}) as opened:
            opened.evaluate("pellucid.painted")
            assert opened.evaluate("document.querySelectorAll('*').length") < 5000
            assert opened.evaluate("document.documentElement.scrollWidth") <= width


def test_answers_are_those_of_the_trace(browser: "Browser", tmp_path: Path) -> None:
    model = zoo.build("decoder")
    trace = model.see(zoo.SENTENCE)
    with page_browser.opened(browser, trace.save(tmp_path / "see.html")) as opened:
        for at in (-1, 2):
            if at >= 0:
                opened.locator(".token").nth(at).click()
            best = trace.answers().words[0][at]
            assert opened.locator("#answers li bdi").all_inner_texts() == [
                spaced(word.piece) for word in best
            ]
