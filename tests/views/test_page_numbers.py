"""The page's numbers are the trace's."""

import random
import re
from pathlib import Path
from typing import TYPE_CHECKING

import page_browser
import pytest
import torch
import zoo
from page_browser import Place
from torch import Tensor

import pellucid
from pellucid.formula.operation import number
from pellucid.models.mouse import MICE
from pellucid.record.trace import Trace
from pellucid.record.verify import apart
from pellucid.views.attentions import STEPS
from pellucid.views.modules import inline
from pellucid.views.page import WEB
from pellucid.views.payload import payload

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

EXACT, OWN = 1e-12, 1e-5  # against float64 from the same causes, and against the model's own
SENTENCE = "The bank of the river was muddy."


def places(trace: Trace) -> list[Place]:
    """Every step of every head in every sentence."""
    return [
        Place(name, sentence, head, stack["heads"])
        for stack in payload(trace).about["stacks"]
        for layer in stack["layers"]
        for name in layer["steps"]
        for head in range(stack["heads"])
        for sentence in range(len(next(iter(trace.texts.values()))))
    ]


def check(page: "Page", trace: Trace, wanted: list[Place]) -> None:
    exactly = page_browser.in_float64(trace)
    known, own = dict[str, Tensor](), dict[str, Tensor]()
    for place, value in zip(wanted, page_browser.read(page, wanted), strict=True):
        assert apart(value, page_browser.part(exactly, place, known)) < EXACT, place
        assert apart(value, page_browser.part(trace, place, own)) < OWN, place


@pytest.mark.parametrize("name", zoo.ZOO)
def test_every_step_of_every_kind_of_model(name: str, browser: "Browser", tmp_path: Path) -> None:
    model = zoo.build(name)
    trace = model.see(*zoo.texts(model))
    with page_browser.opened(browser, trace.save(tmp_path / "see.html")) as page:
        check(page, trace, places(trace))


@pytest.mark.parametrize("name", MICE)
def test_every_step_of_every_mouse(name: str, browser: "Browser", tmp_path: Path) -> None:
    trace = pellucid.load(name).see(MICE[name].sentence)
    with page_browser.opened(browser, trace.save(tmp_path / "see.html")) as page:
        check(page, trace, places(trace))


def test_minilm(browser: "Browser", tmp_path: Path, minilm: Path) -> None:
    trace = pellucid.load(minilm).see(SENTENCE)
    with page_browser.opened(browser, trace.save(tmp_path / "see.html")) as page:
        check(page, trace, random.Random(0).sample(places(trace), 120))


def test_a_model_in_half_precision_is_recorded_exactly(browser: "Browser", tmp_path: Path) -> None:
    model = zoo.build("decoder").to(torch.bfloat16)
    trace = model.see(zoo.SENTENCE)
    with page_browser.opened(browser, trace.save(tmp_path / "see.html")) as page:
        (query,) = page_browser.read(page, [Place("decoder.0.attention.query")])
        assert torch.equal(query, trace["decoder.0.attention.query"][0].double())
        assert "bfloat16" in page.inner_text("#about")


def test_what_was_not_kept_is_derived_from_small_weights(
    browser: "Browser", tmp_path: Path
) -> None:
    model = zoo.build("encoder")
    trace = model.see(zoo.SENTENCE, keep=["tokens.*", "embed.segment_ids"])
    assert not any("query" in name for name in trace.held)
    with page_browser.opened(browser, trace.save(tmp_path / "see.html")) as page:
        check(page, trace, places(trace))


@pytest.mark.parametrize("name", ["decoder", "relative", "both"])
def test_the_number_under_the_pointer(name: str, browser: "Browser", tmp_path: Path) -> None:
    """Printed digits and written arithmetic, at a random cell of each step of a random head."""
    model, chance = zoo.build(name).double(), random.Random(name)
    trace = model.see(*zoo.texts(model, 1))
    stack = payload(trace).about["stacks"][-1]
    layer, head = stack["layers"][-1], chance.randrange(stack["heads"])
    with page_browser.opened(browser, trace.save(tmp_path / "see.html")) as page:
        page.click(f"[title='{page_title(stack, layer, head)}']")
        for which, step in enumerate(layer["steps"]):
            rows, columns = trace[step].shape[-2:]
            row, column = chance.randrange(rows), chance.randrange(columns)
            point(page, which, row, column)
            of = {"head": head} if {"H", "G"} & set(trace.node(step).axes) else {}
            told = trace.explain(step, row=row, column=column, **of)
            assert page.inner_text("#readout .value") == number(told.value), step
            lines = page.locator("#readout .line").all_inner_texts()
            assert lines[0] == f"{step.rpartition('.')[2]} = {told.formula}"
            assert lines[1:-1] in ([], [f"= {told.arithmetic}"]), step
            assert lines[1:-1] or step.endswith((".q", ".k", ".v", ".bias")), step
            assert re.match(r"nn/\w+\.py:\d+ ", lines[-1]), step


def page_title(stack: dict, layer: dict, head: int) -> str:
    titles = {"attention": stack["stack"].capitalize(), "cross": "Decoder → source"}
    return f"{titles[stack['part']]}, layer {layer['layer']}, head {head}"


def point(page: "Page", step: int, row: int, column: int) -> None:
    page.locator(".step canvas").nth(step).scroll_into_view_if_needed()
    middle = "([step, cell]) => pellucid.steps.steps[step].picture.middle(cell)"
    at = page.evaluate(middle, [step, {"row": row, "column": column}])
    page.mouse.move(at["x"], at["y"])


def test_the_steps_are_those_of_attention() -> None:
    trace = zoo.build("relative").see(zoo.SENTENCE)
    (stack,) = payload(trace).about["stacks"]
    assert [name.rpartition(".")[2] for name in stack["layers"][0]["steps"]] == STEPS


def test_numbers_are_printed_as_in_the_terminal(browser: "Browser") -> None:
    chance = random.Random(0)
    numbers = [chance.choice([-1, 1]) * chance.random() * 10.0**power for power in range(-9, 9)]
    numbers += [0.0, 1.0, -1.0, 9999.6, 99994.0, 0.00012345, 1e-5, 123456.0, 1e300]
    numbers += [2.0625, 2.1875, -2.0625, 1234.5, 1235.5, 0.00048828125]
    numbers += [float("inf"), float("-inf"), float("nan")]
    script = (
        f"(all) => {{ {inline(WEB / 'number.js')} return all.map((x) => module_number.number(x)) }}"
    )
    with browser.new_page() as page:
        assert page.evaluate(script, numbers) == [number(x) for x in numbers]
