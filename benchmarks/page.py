"""The page: its size, how soon it is there, how soon another head is, beside its peers' pages.

python benchmarks/page.py

The model has GPT-2 small's shape and random weights. Times are taken in a headless Chromium that
is cut off from every network, the median of several; the files come from a folder on this disk.
BertViz and CircuitsVis are measured in the same browser (page_peers.py); of BertViz's view of all
layers and heads only the size, since to draw it takes minutes.
"""

import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import gpt2
import page_peers
from playwright.sync_api import Browser, Page, sync_playwright
from report import Row, results

import pellucid
from pellucid.models.model import Model

SIZES = {16: 1.5, 128: 10.0, 512: 35.0}  # MB to reach, by tokens
OPENING = {128: 100, 512: 400}  # ms to reach
FIRST_DRAW, NODES, MEMORY = 1000, 5000, 300  # ms at 128 tokens, elements, MB at 512 tokens
PEER_SIZES = (16, 128)  # BertViz's model view at 512 tokens has 1.7 GB
ROUNDS = 5
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIETLY = ("--no-sandbox", "--disable-gpu", "--enable-precise-memory-info")
WORD = page_peers.WORD

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
        sizes = {tokens: page_peers.model_view_size(tokens) for tokens in PEER_SIZES}
        with playwright.chromium.launch(executable_path=program, args=QUIETLY) as browser:
            seen = {tokens: measured(browser, pages[tokens]) for tokens in OPENING}
            peers = page_peers.seen(browser, Path(folder), min(OPENING))
        print(results(rows(pages, Peers(sizes, peers), seen), peer=" / ".join(peers)))


def written(model: Model, tokens: int, folder: Path) -> Path:
    """The page of a text of so many tokens."""
    return model.see("the" + WORD * (tokens - 1)).save(folder / f"{tokens}.html")


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


class Peers(NamedTuple):
    """What was measured of the peers: sizes by tokens, and pages of the fewest tokens."""

    sizes: dict[int, float | None]
    seen: dict[str, page_peers.Seen | None]

    def each(self, what: str, written: str) -> str:
        """Of BertViz's page and of CircuitsVis's, a dash where there is nothing."""
        found = [getattr(each, what, None) for each in self.seen.values()]
        return " / ".join("–" if x is None else written.format(x) for x in found)


def rows(pages: dict[int, Path], peers: Peers, seen: dict[int, Seen]) -> Iterator[Row]:
    for tokens, most in SIZES.items():
        size, peer = pages[tokens].stat().st_size / 1e6, peers.sizes.get(tokens)
        there = f"{peer:.3g} MB / –" if peer else "–"
        yield Row(f"file, {tokens} tokens", f"{size:.3g} MB", f"≤ {most} MB", size <= most, there)
    fewest = min(OPENING)
    first, drawn = seen[fewest].first, peers.each("first", "{:,.0f} ms")
    what, reached = f"first draw, {fewest} tokens", first < FIRST_DRAW
    yield Row(what, f"{first:.0f} ms", f"< {FIRST_DRAW} ms", reached, drawn)
    for tokens, most in OPENING.items():
        for what in ("head", "layer"):
            taken = getattr(seen[tokens], what)
            peer = peers.each("layer", "{:,.0f} ms") if (tokens, what) == (fewest, "layer") else "–"
            name = f"another {what}, {tokens} tokens"
            yield Row(name, f"{taken:.0f} ms", f"< {most} ms", taken < most, peer)
    for tokens in OPENING:
        nodes, peer = seen[tokens].nodes, peers.each("nodes", "{:,}") if tokens == fewest else "–"
        name = f"elements, {tokens} tokens"
        yield Row(name, f"{nodes:,.0f}", f"< {NODES:,}", nodes < NODES, peer)
    most = max(OPENING)
    used = seen[most].memory
    yield Row(f"memory, {most} tokens", f"{used:.0f} MB", f"< {MEMORY} MB", used < MEMORY)


if __name__ == "__main__":
    main()
