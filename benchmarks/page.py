"""The page: its size, how soon it is there, how soon another head is, beside BertViz's.

python benchmarks/page.py

The model has GPT-2 small's shape and random weights. Times are taken in a headless Chromium that
is cut off from every network, the median of several; the files come from a folder on this disk.
BertViz is `pip install bertviz`; its page loads its program from elsewhere, so that here it stays
blank, and only its size can be compared.
"""

import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import gpt2
import torch
from playwright.sync_api import Browser, Page, sync_playwright
from report import Row, results

import pellucid
from pellucid.models.model import Model

SIZES = {16: 1.5, 128: 10.0, 512: 35.0}  # MB to reach, by tokens
OPENING = {128: 100, 512: 400}  # ms to reach
FIRST_DRAW, NODES, MEMORY = 1000, 5000, 300  # ms at 128 tokens, elements, MB at 512 tokens
PEER_SIZES = (16, 128)  # BertViz's page at 512 tokens has 1.7 GB
ROUNDS = 5
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIETLY = ("--no-sandbox", "--disable-gpu", "--enable-precise-memory-info")
WORD = " seal"

DRAWN = "() => window.pellucid && document.querySelectorAll('.step').length > 5"
OPEN = """
async (to) => {
  const begun = performance.now();
  await pellucid.choose(to);
  await new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
  return performance.now() - begun;
}
"""


class Seen(NamedTuple):
    """What was measured of one page: milliseconds, elements, MB."""

    first: float
    head: float
    layer: float
    nodes: int
    memory: float


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        program = next(filter(None, map(shutil.which, PROGRAMS)), None)
        if program is None:
            raise SystemExit("No Chromium is installed here, and a page needs a browser.")
        model = pellucid.load(gpt2.build(Path(folder) / "gpt2"))
        pages = {tokens: written(model, tokens, Path(folder)) for tokens in SIZES}
        peers = {tokens: peer_size(tokens) for tokens in PEER_SIZES}
        with playwright.chromium.launch(executable_path=program, args=QUIETLY) as browser:
            seen = {tokens: measured(browser, pages[tokens]) for tokens in OPENING}
        print(results(rows(pages, peers, seen), peer="BertViz"))


def written(model: Model, tokens: int, folder: Path) -> Path:
    """The page of a text of so many tokens."""
    return model.see("the" + WORD * (tokens - 1)).save(folder / f"{tokens}.html")


def peer_size(tokens: int) -> float | None:
    """MB of BertViz's model view for attention weights of this shape; None where it is missing."""
    try:
        from bertviz import model_view
    except ImportError:
        return None
    weights = torch.rand(12, 1, 12, tokens, tokens).tril().softmax(-1)
    html = model_view(tuple(weights), [WORD] * tokens, html_action="return")
    return len(html.data.encode()) / 1e6


def measured(browser: Browser, path: Path) -> Seen:
    """Each figure the median of several visits."""
    visits = [visit(browser, path) for _ in range(ROUNDS)]
    return Seen(*(statistics.median(of) for of in zip(*visits, strict=True)))


def visit(browser: Browser, path: Path) -> Seen:
    with browser.new_context(offline=True, viewport={"width": 1280, "height": 720}) as context:
        page, begun = context.new_page(), time.perf_counter()
        page.goto(path.as_uri(), wait_until="commit")
        page.wait_for_function(DRAWN)
        first = (time.perf_counter() - begun) * 1e3
        page.evaluate("() => pellucid.painted")
        head, layer = opened(page)
        nodes = page.evaluate("() => document.querySelectorAll('*').length")
        return Seen(first, head, layer, nodes, memory(page))


def opened(page: Page) -> tuple[float, float]:
    """Milliseconds until another head of the layer, and one of another layer, is painted."""
    heads = [page.evaluate(OPEN, {"layer": 5, "head": head}) for head in range(1, 6)]
    layers = [page.evaluate(OPEN, {"layer": layer, "head": 3}) for layer in range(6, 11)]
    return statistics.median(heads), statistics.median(layers)


def memory(page: Page) -> float:
    """MB of the page's heap after everything was looked at, and of what stands beside it."""
    session: Any = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    used = session.send("Runtime.getHeapUsage")
    return (used["usedSize"] + used.get("backingStorageSize", 0)) / 1e6


def rows(
    pages: dict[int, Path], peers: dict[int, float | None], seen: dict[int, Seen]
) -> Iterator[Row]:
    for tokens, most in SIZES.items():
        size, peer = pages[tokens].stat().st_size / 1e6, peers.get(tokens)
        there = f"{peer:.3g} MB" if peer else "–"
        yield Row(f"file, {tokens} tokens", f"{size:.3g} MB", f"≤ {most} MB", size <= most, there)
    first = seen[128].first
    yield Row("first draw, 128 tokens", f"{first:.0f} ms", f"< {FIRST_DRAW} ms", first < FIRST_DRAW)
    for tokens, most in OPENING.items():
        for what in ("head", "layer"):
            taken = getattr(seen[tokens], what)
            name = f"another {what}, {tokens} tokens"
            yield Row(name, f"{taken:.0f} ms", f"< {most} ms", taken < most)
    nodes, used = seen[512].nodes, seen[512].memory
    yield Row("elements, 512 tokens", f"{nodes:,.0f}", f"< {NODES:,}", nodes < NODES)
    yield Row("memory, 512 tokens", f"{used:.0f} MB", f"< {MEMORY} MB", used < MEMORY)


if __name__ == "__main__":
    main()
