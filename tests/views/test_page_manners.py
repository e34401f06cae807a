"""What a page lets a person do: read a table, save a picture, fill in, follow a link."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import page_browser
import pytest
import torch
import zoo
from PIL import Image

import pellucid
from pellucid.cli import main
from pellucid.errors import PellucidError
from pellucid.formula.operation import number
from pellucid.record.stream import stations, strongest
from pellucid.record.trace import Trace
from pellucid.views import payload as packing

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WEIGHTS = "[data-step=weights]"
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def mouse() -> Trace:
    return pellucid.load("mouse").see("cat and mouse are friends")


@pytest.fixture
def page(browser: "Browser", mouse: Trace, tmp_path: Path) -> "Iterator[Page]":
    with page_browser.opened(browser, mouse.save(tmp_path / "see.html")) as page:
        yield page


def tool(page: "Page", label: str) -> None:
    page.locator(WEIGHTS).hover()
    page.click(f"{WEIGHTS} [title='{label}']")


def test_a_table_says_the_same(page: "Page", mouse: Trace) -> None:
    tool(page, "as a table")
    weights = mouse["encoder.0.attention.weights"][0, 0]
    cells = page.locator(f"{WEIGHTS} td").all_inner_texts()[1:]
    assert cells == [number(x) for x in weights.flatten().tolist()]
    rows = page.locator(f"{WEIGHTS} tbody th").all_inner_texts()
    assert rows == "cat and mouse are friends".split()
    tool(page, "as a table")
    assert page.locator(f"{WEIGHTS} canvas").is_visible()


def test_a_picture_says_in_words_where_each_token_looks(page: "Page", mouse: Trace) -> None:
    told = page.get_attribute(f"{WEIGHTS} canvas", "aria-label")
    best = mouse["encoder.0.attention.weights"][0, 0, 2].max().item()
    assert f"mouse looks at mouse most, {number(float(f'{best:.2g}'))}" in told


def test_pictures_are_saved(page: "Page", tmp_path: Path) -> None:
    for label in ("save as PNG", "save as SVG"):
        with page.expect_download() as download:
            tool(page, label)
        download.value.save_as(tmp_path / download.value.suggested_filename)
    png, svg = sorted(tmp_path.glob("encoder.0.attention.weights.*"))
    assert png.read_bytes().startswith(PNG)
    drawing = ElementTree.fromstring(svg.read_text())
    texts = [each.text for each in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert texts.count("mouse") == 2
    assert len(list(drawing.iter("{http://www.w3.org/2000/svg}rect"))) == 1 + 25


@pytest.mark.parametrize(
    ("view", "said", "shapes"),
    [
        ("#overview", {"0"}, {"image": 1}),
        ("#answers", {"mouse", "cosine"}, {"image": 0}),
        ("#stage", {"weights", "where each row looks"}, {"image": 7, "stop": 5}),
    ],
)
def test_a_view_is_saved_as_it_looks(
    page: "Page", view: str, said: set[str], shapes: dict[str, int], tmp_path: Path
) -> None:
    page.evaluate("() => pellucid.painted")
    png, svg = page_browser.saved(page, view, tmp_path)
    drawing = ElementTree.fromstring(svg.read_text(encoding="utf-8"))
    with Image.open(png) as painted:
        assert painted.size == tuple(2 * int(drawing.attrib[side]) for side in ("width", "height"))
        assert len(painted.convert("RGB").getcolors(1 << 24) or []) > 20
    parts = list(drawing.iter())
    assert said <= {part.text for part in parts}
    for tag, least in shapes.items():
        assert sum(part.tag == f"{{http://www.w3.org/2000/svg}}{tag}" for part in parts) >= least
    for button in ("PNG", "What if"):
        assert button not in {part.text for part in parts}
    assert page.locator("#stage .switches").is_visible()


def test_hostile_labels_stay_text_in_drawings(
    browser: "Browser", mouse: Trace, tmp_path: Path
) -> None:
    (text,) = mouse.texts["tokens"]
    hostile = type(text).from_json(
        text.to_json() | {"text": '<b>"& x', "offsets": [(0, 3), (3, 4), (4, 5), (5, 6), (6, 7)]}
    )
    trace = Trace(mouse.nodes, mouse.held, mouse.weights, {"tokens": [hostile]}, mouse.about)
    trace.piece = mouse.piece
    with (
        page_browser.opened(browser, trace.save(tmp_path / "see.html")) as page,
        page.expect_download() as download,
    ):
        tool(page, "save as SVG")
        download.value.save_as(tmp_path / "a.svg")
    texts = [each.text for each in ElementTree.fromstring((tmp_path / "a.svg").read_text()).iter()]
    assert {"<b>", '"', "&"} <= set(texts)


def test_a_matrix_is_filled_in_by_its_reader(page: "Page", mouse: Trace) -> None:
    tool(page, "hide it, and fill it in yourself")
    page.focus(f"{WEIGHTS} canvas")
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#readout .value") == "?"
    assert "e^" not in page.inner_text("#readout")
    right = mouse["encoder.0.attention.weights"][0, 0, 0, 0].item()
    for guess, answer in ((right + 0.3, "✗ not yet"), (right + 0.01, "✓ close enough")):
        page.fill("#readout input", f"{guess:.3f}")
        page.press("#readout input", "Enter")
        assert page.inner_text("#readout .told") == answer
    assert page.inner_text("#readout .value") == number(right)
    page.focus(f"{WEIGHTS} canvas")
    page.keyboard.press("ArrowRight")
    page.click("text=show it")
    assert page.inner_text("#readout .value") != "?"


def test_a_link_leads_back(browser: "Browser", tmp_path: Path) -> None:
    trace = zoo.build("encoder").see(zoo.SENTENCES)
    with page_browser.opened(browser, trace.save(tmp_path / "see.html")) as page:
        page.select_option("select >> nth=0", index=2)
        page.click("[title='Encoder, layer 0, head 2']")
        page.click("[data-step=scores] [title=larger]")
        page.locator("[data-step=scores] canvas").click()
        where, link = page.inner_text("#readout .where"), page.url
    with browser.new_page() as page:
        page.goto(link)
        page.wait_for_function(page_browser.READY)
        assert page.inner_text("#stage .title h2") == "Encoder, layer 0, head 2"
        assert page.inner_text("h1") == zoo.SENTENCES[2]
        assert page.inner_text("#readout .where") == where
        assert page.locator(".step.large").get_attribute("data-step") == "scores"


@pytest.mark.parametrize("link", ["#layer=99&head=99", "#if={", "#stage=no&pin=q 9 9", "#x"])
def test_a_wrong_link_opens_all_the_same(
    link: str, browser: "Browser", mouse: Trace, tmp_path: Path
) -> None:
    path = mouse.save(tmp_path / "see.html")
    with browser.new_page() as page:
        page.goto(path.as_uri() + link)
        page.wait_for_function(page_browser.READY)
        assert page.locator("#message").is_hidden()
        assert page.locator(".station").count() == 5


def test_german(browser: "Browser", mouse: Trace, tmp_path: Path) -> None:
    path = mouse.save(tmp_path / "see.html")
    with page_browser.opened(browser, path, locale="de-AT") as page:
        assert page.inner_text("#stage .title h2") == "Encoder, Schicht 0, Kopf 0"
        assert "Stücke" in page.inner_text("#road")


def test_an_old_browser_is_told_that_it_is_old(
    browser: "Browser", mouse: Trace, tmp_path: Path
) -> None:
    path = mouse.save(tmp_path / "see.html")
    with browser.new_page() as page:
        page.add_init_script("delete window.DecompressionStream")
        page.goto(path.as_uri())
        page.wait_for_selector("#message:visible")
        assert "too old" in page.inner_text("#message")


def test_stations_open_in_place(page: "Page", mouse: Trace) -> None:
    page.click(".station >> text=Pieces")
    assert page.locator("table.pieces tr").count() == 6
    page.click(".station >> text=Embedding")
    page.wait_for_selector("[data-step='embed.words']")
    page.click(".station >> text=Layer")
    page.wait_for_selector("h2 >> text=Encoder, layer 0")
    page.wait_for_selector("[data-step='encoder.stream.length']")


def test_the_stream_and_the_strongest_units_are_the_trace_s(
    browser: "Browser", tmp_path: Path
) -> None:
    trace = zoo.build("llama").see(zoo.SENTENCE)
    (road,) = stations(trace, {}).values()
    units, _ = strongest(trace, "decoder.1.feedforward.activated", {})
    with page_browser.opened(browser, trace.save(tmp_path / "see.html")) as page:
        places = ["decoder.stream.length", "decoder.stream.turn"]
        length, turn = page_browser.read(page, [page_browser.Place(name) for name in places])
        for at, station in enumerate(road):
            assert torch.allclose(length[at], trace[station.name][0].norm(dim=-1).double())
            assert torch.equal(turn[at].float(), station.turn[0])
        page.click(".station >> text=Layer")
        page.click("#stage summary")
        first = page.locator("details td small").all_inner_texts()[: units.shape[-1]]
        assert list(map(int, first)) == units[0, 0].tolist()


def test_drawing_a_word(browser: "Browser", tmp_path: Path) -> None:
    trace = zoo.build("decoder").see(zoo.SENTENCE)
    chances = trace["head.probabilities"][0, -1].double()
    with page_browser.opened(browser, trace.save(tmp_path / "see.html")) as page:
        page.click("summary >> text=draw a word")
        page.fill("[aria-label=k]", "3")
        page.fill("#answers [aria-label=temperature]", "0.5")
        warm = chances.topk(3).values.log().div(0.5).softmax(-1)
        shown = page.locator("#answers .score").all_inner_texts()
        assert [float(each) for each in shown] == pytest.approx(warm.tolist(), rel=1e-3)
        page.fill("[aria-label=p]", "0.05")
        assert page.locator("#answers .score").all_inner_texts() == ["1"]


def test_a_page_too_large_says_what_to_do(mouse: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "LARGEST", 10)
    with pytest.raises(PellucidError, match=r"about \d+ bytes, more than .*--layers"):
        packing.payload(mouse)


def test_fewer_layers_make_a_smaller_page(
    tmp_path: Path, minilm: Path, capsys: pytest.CaptureFixture
) -> None:
    command = ["see", "--model", str(minilm), "the bank", "--save"]
    assert main([*command, str(tmp_path / "all.html")]) == 0
    assert main([*command, str(tmp_path / "two.html"), "--layers", "2-3"]) == 0
    large, small = ((tmp_path / f"{name}.html").read_text() for name in ("all", "two"))
    assert len(small) < len(large)
    assert re.findall(r'data-part="(encoder\.\d)"', small) == ["encoder.2", "encoder.3"]
    for wrong in ("6", "3-2", "x", "-1"):
        assert main([*command, str(tmp_path / "no.html"), f"--layers={wrong}"]) == 2
    assert "layers 0 to 5" in capsys.readouterr().err
    assert not (tmp_path / "no.html").exists()
