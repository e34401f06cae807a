"""BertViz and CircuitsVis in the same browser: bytes, first draw, another layer, elements.

Both are given weights of GPT-2 small's shape. BertViz's pages ask elsewhere for three libraries,
without which they stay blank; here they come from npm, at once and from this machine, so what is
measured is its own work. CircuitsVis brings its program along and draws one layer. A peer that is
not installed is left out (`pip install bertviz circuitsvis`).
"""

import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import torch
from playwright.sync_api import Browser, Page, Route
from torch import Tensor

LAYERS = HEADS = 12
WORD = " seal"
PATIENCE = 600_000  # ms
# what BertViz asks for by name, and where npm's packages have it; jQuery 2.0.0 is not there
LIBRARIES = {
    "require.min.js": ("requirejs@2.3.6", "requirejs/require.js"),
    "d3.min.js": ("d3@5.7.0", "d3/dist/d3.min.js"),
    "jquery.min.js": ("jquery@2.2.4", "jquery/dist/jquery.min.js"),
}
ELSEWHERE = "https://cdnjs.cloudflare.com/**"
DRAWN = "() => document.querySelectorAll('svg line, svg rect, canvas, img').length > 0"
COUNT = "() => document.querySelectorAll('*').length"
FRAME = "() => new Promise((go) => requestAnimationFrame(() => setTimeout(go)))"
SWITCH = """
async () => {
  const select = document.querySelector("#layer"), begun = performance.now();
  select.value = "5";
  select.dispatchEvent(new Event("change", { bubbles: true }));
  await new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
  return performance.now() - begun;
}
"""


class Seen(NamedTuple):
    """MB of the file, ms until it is drawn, ms until another layer is, elements."""

    size: float
    first: float
    layer: float | None
    nodes: int


def attention(tokens: int) -> Tensor:
    """Causal weights, L H T S."""
    return torch.rand(LAYERS, HEADS, tokens, tokens).tril().softmax(-1)


def model_view_size(tokens: int) -> float | None:
    """MB of BertViz's view of all layers and heads."""
    try:
        from bertviz import model_view
    except ImportError:
        return None
    layers = tuple(attention(tokens)[:, None])
    return len(model_view(layers, [WORD] * tokens, html_action="return").data.encode()) / 1e6


def bertviz(tokens: int) -> str:
    """Its view of one layer at a time, with weights of all."""
    from bertviz import head_view

    html = head_view(tuple(attention(tokens)[:, None]), [WORD] * tokens, html_action="return")
    return str(html.data)


def circuitsvis(tokens: int) -> str:
    """Its view of the heads of one layer."""
    from circuitsvis.attention import attention_heads

    drawn = attention_heads(attention=attention(tokens)[0], tokens=[WORD] * tokens)
    return str(drawn.local_src)


PEERS: dict[str, Callable[[int], str]] = {"BertViz": bertviz, "CircuitsVis": circuitsvis}


def seen(browser: Browser, folder: Path, tokens: int) -> dict[str, Seen | None]:
    """What was measured of each; nothing where it or its libraries are missing."""
    found = libraries(folder)
    return {name: measured(browser, folder / f"{name}.html", found, tokens) for name in PEERS}


def measured(
    browser: Browser, path: Path, found: dict[str, Path] | None, tokens: int
) -> Seen | None:
    if path.stem == "BertViz" and found is None:
        return None
    try:
        html = PEERS[path.stem](tokens)
    except ImportError:
        return None
    path.write_text(f"<!doctype html><meta charset='utf-8'>{html}", "utf-8")
    with browser.new_context(viewport={"width": 1280, "height": 720}) as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.route("http*://**", lambda route: route.abort())
        page.route(ELSEWHERE, lambda route: fulfil(route, found or {}))
        begun = time.perf_counter()
        page.goto(path.as_uri(), wait_until="commit")
        page.wait_for_function(DRAWN)
        page.evaluate(FRAME)
        first = (time.perf_counter() - begun) * 1e3
        return Seen(path.stat().st_size / 1e6, first, switched(page), page.evaluate(COUNT))


def switched(page: Page) -> float | None:
    """Milliseconds until another layer is drawn, where one can be chosen."""
    chosen: float | None = page.evaluate(SWITCH) if page.query_selector("#layer") else None
    return chosen


def fulfil(route: Route, found: dict[str, Path]) -> None:
    name = route.request.url.rpartition("/")[2]
    if name in found:
        route.fulfill(path=found[name], content_type="text/javascript")
    else:
        route.abort()


def libraries(folder: Path) -> dict[str, Path] | None:
    """The libraries by the names that BertViz asks for; None where npm cannot bring them."""
    if (npm := shutil.which("npm")) is None:
        return None
    packages = [package for package, _ in LIBRARIES.values()]
    command = [npm, "install", "--silent", "--no-audit", "--prefix", str(folder), *packages]
    if subprocess.run(command, capture_output=True, check=False, timeout=300).returncode:
        return None
    return {name: folder / "node_modules" / path for name, (_, path) in LIBRARIES.items()}
