"""What if, where heads share keys and values: the page follows a change as Python's edit does."""

from pathlib import Path
from typing import TYPE_CHECKING

import page_browser
import pytest
import torch
import zoo
from torch import Tensor

from pellucid.record.trace import Trace
from pellucid.study.edits import Edit, edit, silence, silence_heads

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

KINDS = ("llama", "alibi decoder")  # two groups of heads, and one
PLACE = "decoder.0.attention"
HEAD = 1  # of the first group, but not its first
NOW = """
(names) => {
  const { head, reading } = pellucid.head, { heads } = pellucid.stack;
  const plain = ({ rows, columns, data }) => [rows, columns, Array.from(data)];
  const all = (name) => [reading.whole(name)].flat().map(plain);
  const alone = (name) => Array.from({ length: heads }, (_, h) => plain(reading.head(name, h)));
  return names.map((name) => [all(name), alone(name)]);
}
"""


def opened(browser: "Browser", kind: str, folder: Path) -> tuple[Trace, Path]:
    trace = zoo.build(kind).double().see(zoo.SENTENCE)
    trace.about["shown"] = {"layer": 0, "head": HEAD}
    return trace, trace.save(folder / "see.html")


def agree(page: "Page", trace: Trace, changed: Trace) -> None:
    """Every value that a change reaches is what Python's edit makes of it, as all heads see it."""
    names = [
        name
        for name in trace.nodes
        if not torch.equal(trace[name], changed[name]) and trace.node(name).axes.startswith("B")
    ]
    assert f"{PLACE}.mixed" in names
    assert "head.logits" in names
    for name, (whole, alone) in zip(names, page.evaluate(NOW, names), strict=True):
        own = changed[name][0]
        heads = own if own.ndim == 3 else own[None]
        assert len(whole) == len(heads), name
        for at, each in enumerate(whole):
            assert close(each, heads[at]), (name, at)
        for head, each in enumerate(alone):
            assert close(each, heads[head * len(heads) // len(alone)]), (name, head)


def close(found: list, own: Tensor) -> bool:
    rows, columns, data = found
    numbers = torch.tensor([float(x) for x in data], dtype=torch.float64).view(rows, columns)
    return torch.allclose(numbers, own.reshape(rows, columns), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_every_change_is_followed(browser: "Browser", kind: str, tmp_path: Path) -> None:
    """A head falls silent, then a token, then a key is another number."""
    trace, path = opened(browser, kind, tmp_path)
    with page_browser.opened(browser, path) as page:
        page.uncheck("text=head speaks")
        page.wait_for_selector(".back")
        agree(page, trace, edit(trace, silence_heads(trace, 0, [HEAD])))
        again(page)
        page.select_option("select[aria-label^=silence]", index=2)
        page.wait_for_selector(".back")
        every = slice(None)
        agree(page, trace, edit(trace, silence(f"{PLACE}.v", (every, every, 1))))
        again(page)
        page.locator(".step[data-step=k] canvas").click()
        row, column = page.evaluate("Object.values(pellucid.steps.pinned.cell)")
        page.fill("#readout input", "−2,5")
        page.press("#readout input", "Enter")
        page.wait_for_selector(".back")
        group = HEAD * trace.shape(f"{PLACE}.k")[1] // trace.shape(f"{PLACE}.q")[1]
        agree(page, trace, edit(trace, typed(f"{PLACE}.k", (0, group, row, column), -2.5)))


def again(page: "Page") -> None:
    page.click(".back")
    page.wait_for_selector(".back", state="hidden")


def typed(name: str, at: tuple[int, ...], number: float) -> Edit:
    """One number put in place of another."""

    def change(value: Tensor) -> dict[str, Tensor]:
        kept, added = torch.ones_like(value), torch.zeros_like(value)
        kept[at], added[at] = 0, number
        return {"kept": kept, "added": added}

    return Edit(name, "typed in", change)
