"""Two texts on one page: where a word's roads part, and what parted them."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import page_browser
import pytest
import zoo

import pellucid
from pellucid.study.compare import Comparison, compare
from pellucid.views.compared import page as written
from pellucid.views.page import page as of_one

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FRIENDS, HELPFUL = "cat and mouse are friends", "keyboard and mouse are helpful"
RIVER, MOUSE = "a bank of the river was muddy", "the mouse slept on a bank"
NARROW = {"width": 400, "height": 800}
SHOWN = """
(title) => [...document.querySelectorAll(".side h2")].every((each) => each.textContent === title)
"""  # by both texts
KINDS = ("post", "encoder", "llama")


@pytest.fixture(scope="module")
def mice() -> Comparison:
    return compare(pellucid.load("mouse"), FRIENDS, HELPFUL, word="mouse")


@pytest.fixture(scope="module")
def banks() -> Comparison:
    return compare(zoo.build("post"), RIVER, MOUSE, word="bank")


@pytest.fixture
def page(browser: "Browser", banks: Comparison, tmp_path: Path) -> "Iterator[Page]":
    banks.save(tmp_path / "bank.html")
    with page_browser.opened(browser, tmp_path / "bank.html") as page:
        yield page


def percent(share: float) -> str:
    text = f"{abs(share):.1%}"
    return ("" if text == "0.0%" else "−" if share < 0 else "+") + text.replace(
        "%", "\N{NO-BREAK SPACE}%"
    )


def test_the_word_is_marked_in_both_texts(page: "Page", banks: Comparison) -> None:
    assert page.locator("h1").all_inner_texts() == [RIVER, MOUSE]
    assert page.locator("h1 mark").all_inner_texts() == ["bank", "bank"]
    for name, place in (("first", banks.a), ("second", banks.b)):
        chips = page.locator(f".text.{name} .token")
        marked = chips.evaluate_all("(all) => all.map((each) => each.classList.contains('word'))")
        assert [at for at, is_word in enumerate(marked) if is_word] == list(place.pieces)


def test_both_roads_have_every_station(page: "Page", banks: Comparison) -> None:
    angles, distances = page.locator(".fork").all()
    assert angles.locator(".much").all_text_contents() == [f"{s.angle:.1f}°" for s in banks.layers]
    far = [float(text) for text in distances.locator(".much").all_text_contents()]
    assert far == pytest.approx([step.distance for step in banks.layers], rel=1e-2)
    assert distances.locator("path.road").count() == 2


def test_a_fork_is_saved(page: "Page", banks: Comparison, tmp_path: Path) -> None:
    png, svg = page_browser.saved(page, "#road figure:first-child", tmp_path)
    assert png.read_bytes().startswith(b"\x89PNG")
    texts = {each.text for each in ElementTree.parse(svg).iter()}
    assert {f"{step.angle:.1f}°" for step in banks.layers} <= texts


def test_heads_and_neighbours_are_ranked(page: "Page", banks: Comparison) -> None:
    heads, neighbours = page.locator("#answers section").all()
    by_size = sorted(banks.heads.items(), key=lambda each: -abs(each[1]))
    shown = heads.locator("li").all_inner_texts()
    (place, head), share = by_size[0]
    layer = place.split(".")[1]
    assert shown[0].split("\n") == [f"layer {layer}, head {head}", percent(share)]
    assert len(shown) == sum(abs(share) >= 0.0005 for _, share in by_size)
    first = max(banks.neighbours, key=lambda each: abs(banks.neighbours[each]))
    told = neighbours.locator("li").first.inner_text().split("\n")
    assert told == [f"{first[0] + 1} {banks.neighbour(*first)}", percent(banks.neighbours[first])]


def test_a_head_opens_for_both_texts(page: "Page", banks: Comparison) -> None:
    page.click("[title^='Encoder, layer 0, head 2']")
    page.wait_for_function(SHOWN, arg="Encoder, layer 0, head 2")
    for name, place in (("first", banks.a), ("second", banks.b)):
        weights = f".side.{name} [data-step=weights]"
        page.locator(weights).hover()
        page.click(f"{weights} [title='as a table']")
        own = place.trace["encoder.0.attention.weights"][0, 2]
        cells = page.locator(f"{weights} tbody td").all_inner_texts()
        read = [float(cell.replace("−", "-")) for cell in cells]
        assert read == pytest.approx(own.flatten().tolist(), rel=1e-3, abs=1e-4)
    shares = page.locator(".text.second .share").all_inner_texts()
    account = banks.account.by(
        lambda part: (part.head, part.token) if part.text and "0.attention" in part.place else None
    )
    for at, told in enumerate(shares):
        share = account[2, at]
        assert told == (percent(share) if abs(share) >= 0.0005 else "·")


def test_keys_and_links_lead_from_head_to_head(
    page: "Page", browser: "Browser", banks: Comparison
) -> None:
    page.click("[title^='Encoder, layer 1, head 0']")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    page.wait_for_function(SHOWN, arg="Encoder, layer 0, head 1")
    page.wait_for_url("**layer=0&head=1*")
    link = page.url
    with browser.new_page() as other:
        other.goto(link)
        other.wait_for_function(SHOWN, arg="Encoder, layer 0, head 1")


def test_what_is_large_in_one_is_large_in_both(page: "Page") -> None:
    page.click(".side.first [data-step=scores] [title=larger]")
    assert page.locator(".step.large").count() == 2
    page.locator(".side.second [data-step=scores] canvas").click()
    assert page.locator("#readout .value").is_visible()
    page.locator(".side.first [data-step=scores] canvas").click()
    assert page.locator("#readout").get_attribute("data-owner") == "first"


def test_a_change_stays_with_its_text(page: "Page") -> None:
    page.locator(".side.first .whatif >> text=scaled").click()
    page.wait_for_selector(".side.first .back:visible")
    assert page.locator(".side.second .back").is_hidden()


def test_a_link_brings_all_of_it_back(page: "Page", browser: "Browser") -> None:
    page.locator(".side.second .whatif >> text=scaled").click()
    page.wait_for_selector(".side.second .back:visible")
    page.click(".side.first [data-step=scores] [title=larger]")
    page.locator(".side.second [data-step=scores] canvas").click()
    page.wait_for_url("**large=scores*pin2=scores*if2=*")
    with browser.new_page() as other:
        other.goto(page.url)
        other.wait_for_selector(".side.second .back:visible")
        assert other.locator(".side.first .back").is_hidden()
        assert other.locator(".step.large").count() == 2
        pins = other.evaluate("pellucid.sides.map(({ steps }) => steps.pinned?.short ?? null)")
        assert pins == [None, "scores"]


def test_the_mice_are_parted_by_cat_and_keyboard(
    browser: "Browser", mice: Comparison, tmp_path: Path
) -> None:
    mice.save(tmp_path / "mice.html")
    with page_browser.opened(browser, tmp_path / "mice.html", locale="de-AT") as page:
        rows = page.locator("#answers section >> nth=1").locator("li").all_inner_texts()
        assert {row.split("\n")[0] for row in rows[:2]} == {"1 cat", "2 keyboard"}
        assert page.inner_text("#answers h2 >> nth=0").startswith("Die Köpfe, die sie trennten")


def test_a_source_and_a_target(browser: "Browser", tmp_path: Path) -> None:
    pairs = ("the seal slept", RIVER), ("a mouse sat", MOUSE)
    found = compare(zoo.build("both"), *pairs, word="bank")
    found.save(tmp_path / "both.html")
    with page_browser.opened(browser, tmp_path / "both.html") as page:
        assert page.locator(".text .strip").count() == 4
        page.click("[title^='Decoder → source, layer 1, head 3']")
        page.wait_for_function(SHOWN, arg="Decoder → source, layer 1, head 3")
        row = page.locator("#answers li button[title^='Decoder → source']").first
        assert row.inner_text().endswith("→")
        row.click()
        page.wait_for_function(SHOWN, arg=row.get_attribute("title"))


def test_models_that_are_not_alike_are_compared_all_the_same(
    browser: "Browser", tmp_path: Path
) -> None:
    models = zoo.build("post"), zoo.build("encoder", layers=3)
    compare(models[0], RIVER, MOUSE, word="bank", other=models[1]).save(tmp_path / "a.html")
    with page_browser.opened(browser, tmp_path / "a.html") as page:
        assert "cannot be said: the models differ in their place" in page.inner_text("#answers")
        assert page.locator(".side h2").count() == 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_of_two_is_no_larger_than_two_pages(kind: str) -> None:
    found = compare(zoo.build(kind), RIVER, MOUSE, word="bank")
    alone = [len(of_one(place.trace).encode()) for place in (found.a, found.b)]
    assert len(written(found).encode()) < sum(alone)


def test_hostile_texts_stay_text(browser: "Browser", minilm: Path, tmp_path: Path) -> None:
    hostile = "a <script>alert(1)</script> \u202e\x00 </h1> bank"
    found = compare(pellucid.load(minilm), hostile, MOUSE, word="bank")
    found.save(tmp_path / "a.html")
    with page_browser.opened(browser, tmp_path / "a.html") as page:
        assert page.inner_text("h1 >> nth=0") == "a <script>alert(1)</script> <202E>␀ </h1> bank"
        assert page.inner_text("h1 mark >> nth=0") == "bank"


def test_a_word_late_in_a_long_text_is_in_sight(
    browser: "Browser", minilm: Path, tmp_path: Path
) -> None:
    late = "The seal slept on the ice by the river for a long time. " * 6 + "Then a bank opened."
    compare(pellucid.load(minilm), late, MOUSE, word="bank").save(tmp_path / "a.html")
    with page_browser.opened(browser, tmp_path / "a.html", viewport=NARROW) as page:
        assert page.inner_text("h1 >> nth=0").startswith("…")
        assert page.inner_text("h1 mark >> nth=0") == "bank"
        strip = page.locator(".text.first .strip").bounding_box()
        chip = page.locator(".text.first .word").bounding_box()
        assert strip["y"] <= chip["y"] < strip["y"] + strip["height"]
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
