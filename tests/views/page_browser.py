"""A trace's page in a real browser: cut off from every network, and watched."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor

from pellucid.record.trace import Trace
from pellucid.record.verify import exact

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

VALUES = """
(wanted) => Promise.all(wanted.map(async ([name, which]) => {
  const { rows, columns, data } = await pellucid.value(name, which);
  return { rows, columns, data: Array.from(data) };
}))
"""
READY = "() => window.pellucid?.painted || !document.getElementById('message')?.hidden"
OWN = "blob:"  # what the page itself has made
REFUSED = "Content Security Policy"


class Place(NamedTuple):
    """A value of one head in one sentence, and how many heads there are."""

    name: str
    sentence: int = 0
    head: int = 0
    heads: int = 1


@contextmanager
def opened(browser: "Browser", path: Path, **settings: Any) -> "Iterator[Page]":
    """The page of a file; it may ask for nothing else, and nothing may be said in the console."""
    with browser.new_context(offline=True, **settings) as context:
        page, trouble = context.new_page(), []
        page.on("request", lambda asked: asked.url.startswith(OWN) or trouble.append(asked.url))
        page.on("console", lambda said: trouble.append(said.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.goto(path.as_uri())
        if settings.get("java_script_enabled", True):
            page.wait_for_function(READY)
        yield page
        assert [each for each in trouble if REFUSED not in each] == [path.as_uri()]


def read(page: "Page", places: list[Place]) -> list[Tensor]:
    """What the page makes of these values."""
    wanted = [[each.name, {"sentence": each.sentence, "head": each.head}] for each in places]
    return [
        torch.tensor(each["data"], dtype=torch.float64).reshape(each["rows"], each["columns"])
        for each in page.evaluate(VALUES, wanted)
    ]


def in_float64(trace: Trace) -> Trace:
    """The same causes in float64, so that effects are as exact as the browser's."""
    held = {name: exact(tensor).detach() for name, tensor in trace.held.items()}
    weights = {name: exact(tensor).detach() for name, tensor in trace.weights.items()}
    return Trace(trace.nodes, held, weights, trace.texts, trace.about | {"dtype": "float64"})


def part(trace: Trace, place: Place, known: dict[str, Tensor]) -> Tensor:
    """One head's matrix in one sentence; grouped heads share theirs."""
    value, axes = trace.value(place.name, known), trace.node(place.name).axes.split()
    index = {"B": place.sentence, "H": place.head, "1": 0}
    if "G" in axes:
        index["G"] = place.head * value.shape[axes.index("G")] // place.heads
    return value[tuple(index.get(axis, slice(None)) for axis in axes)]


def saved(page: "Page", within: str, folder: Path) -> tuple[Path, Path]:
    """What the two buttons beside a title save: a PNG and an SVG."""
    paths = []
    for which in ("PNG", "SVG"):
        with page.expect_download() as download:
            page.click(f"{within} .savers >> text={which}")
        paths.append(folder / download.value.suggested_filename)
        download.value.save_as(paths[-1])
    return paths[0], paths[1]
