"""The workbook: every cell a formula, recalculated from nothing, true to the model."""

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
import zoo
from torch import Tensor
from workbook_reading import WRONG, Read, apart, blanked, exactly, layout, typed

import pellucid
from pellucid import Trace
from pellucid.decode.seen import see_generated
from pellucid.formula.sheet import LOWEST
from pellucid.views.workbook.layout import Layout
from pellucid.views.workbook.places import Block

MOUSE = "cat and mouse are friends"
RIVER = "The bank of the river was muddy, and the seal slept on it."  # 16 tokens
PARTS = {
    "head of minilm": {"layer": 3, "head": 5},
    "layer of t5": {"layer": 0},
    "head of llama": {"layer": 0, "head": 3},
    "head of relative decoder": {"layer": 0, "head": 2},
    "head of alibi decoder": {"layer": 0, "head": 1},
    "head of part rotary": {"layer": 0, "head": 2},
}
NAMES = ("mouse", "mouse-weights", "decoder", "sinusoidal", *PARTS)
CHANGED = ("mouse", "E", "D7", 0.25)  # the animal in "mouse"


@dataclass(frozen=True)
class Book:
    """A workbook as it was written, and as LibreOffice has it after computing all afresh."""

    trace: Trace
    layout: Layout
    path: Path
    stored: Read
    blank: Read
    found: Read


Written = dict[str, tuple[Trace, dict[str, int], Path]]


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory, minilm: Path) -> Written:
    """All workbooks of these tests, by name."""
    folder = tmp_path_factory.mktemp("workbooks")

    def write(name: str) -> tuple[Trace, dict[str, int], Path]:
        part = PARTS.get(name, {})
        trace = traced(name.rpartition(" of ")[2], minilm)
        return trace, part, trace.save(folder / f"{name.replace(' ', '_')}.xlsx", **part)

    return {name: write(name) for name in NAMES}


@cache
def traced(name: str, minilm: Path) -> Trace:
    if name.startswith("mouse"):
        return pellucid.load(name).see(MOUSE)
    if name == "minilm":
        return pellucid.load(minilm).see(RIVER)
    model = zoo.build(name, layers=1)
    return model.see(*(texts[0] for texts in zoo.texts(model)))


@pytest.fixture(scope="session")
def books(
    written: Written,
    recalculate: Callable[..., list[Path]],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Any]:
    """All of them recalculated from nothing, in one visit to LibreOffice."""
    folder = tmp_path_factory.mktemp("blank")
    blank = {name: blanked(path, folder / path.name) for name, (_, _, path) in written.items()}
    beside = (changed(blank, folder), searched(folder))
    found = recalculate(*blank.values(), *beside)
    return {
        name: Book(trace, layout(trace, **part), path, Read(path), Read(blank[name]), Read(after))
        for (name, (trace, part, path)), after in zip(written.items(), found, strict=False)
    } | {"changed": Read(found[-2]), "searched": Read(found[-1])}


def changed(blank: dict[str, Path], folder: Path) -> Path:
    """A workbook in which somebody has typed another number."""
    name, sheet, cell, number = CHANGED
    return typed(blank[name], folder / "changed.xlsx", sheet, cell, number)


def searched(folder: Path) -> Path:
    """The workbook of a search, in which the model's own sum of the first candidate is wrong."""
    model = zoo.build("decoder", layers=1, dropout=0.0, attention_dropout=0.0)
    trace = see_generated(model, "the seal", {}, beams=2, best=2, max_new_tokens=2)
    first = 4 + len(trace.about["generation"]["answers"]) + 2
    path = blanked(trace.save(folder / "search.xlsx"), folder / "blank_search.xlsx")
    return typed(path, folder / "searched.xlsx", "search", f"H{first + 1}", 1000.0)


@pytest.fixture(params=NAMES)
def book(request: pytest.FixtureRequest, books: dict[str, Any]) -> Book:
    return books[request.param]


def results(book: Book) -> Iterator[tuple[str, int, Block]]:
    """Names, heads and blocks of everything that is computed."""
    for name, blocks in book.layout.blocks.items():
        for head, block in enumerate(blocks):
            if block.own:
                yield name, head, block


def test_every_result_is_true_to_float64(book: Book) -> None:
    truth = exactly(book.layout.plan)
    for name, head, block in results(book):
        assert apart(book.found.matrix(block.cells), truth[name][head]) <= 1e-10, name


def test_every_result_is_true_to_the_model(book: Book) -> None:
    plan = book.layout.plan
    for name, head, block in results(book):
        own = plan.form(name).matrices(plan.trace[name], plan.boxes[name])[head]
        assert apart(book.found.matrix(block.cells), own) <= 1e-5, name


def test_nothing_is_left_that_nobody_recalculated(book: Book) -> None:
    for name, _, block in results(book):
        assert (book.blank.matrix(block.cells) == float(WRONG)).all(), name
        assert not (book.found.matrix(block.cells) == float(WRONG)).any(), name


def test_what_is_in_store_is_the_models_own(book: Book) -> None:
    plan = book.layout.plan
    for name, head, block in results(book):
        own = plan.form(name).matrices(plan.trace[name], plan.boxes[name])[head]
        stored = unhidden(book.stored.matrix(block.cells)).to(own.dtype)
        lost = 1e-15 if own.dtype == torch.float64 else 0.0  # of 17 digits a file holds 16
        assert torch.allclose(stored, own, rtol=lost, atol=0), name


def test_one_cell_tells_the_largest_difference(book: Book) -> None:
    worst = largest(book.found)
    truth = max(
        apart(book.found.matrix(block.cells), unhidden(book.found.matrix(block.own)))
        for _, _, block in results(book)
    )
    assert worst == pytest.approx(truth, rel=1e-6)
    assert 0 < worst <= 1e-5
    assert largest(book.stored) == "not recalculated yet"


def test_that_cell_looks_at_the_search_too(books: dict[str, Any]) -> None:
    assert largest(books["searched"]) == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("name", PARTS)
def test_a_second_engine_finds_the_same(
    name: str, books: dict[str, Any], gnumeric: str, tmp_path: Path
) -> None:
    book = books[name]
    blank = blanked(book.path, tmp_path / "blank.xlsx")
    command = [gnumeric, "--recalc", str(blank), str(tmp_path / "found.xlsx")]
    subprocess.run(command, check=True, capture_output=True, timeout=100)
    found, truth = Read(tmp_path / "found.xlsx"), exactly(book.layout.plan)
    for value, head, block in results(book):
        assert apart(found.matrix(block.cells), truth[value][head]) <= 1e-10, value


def unhidden(x: Tensor) -> Tensor:
    """Minus infinity where the lowest number stands for it."""
    return x.masked_fill(x <= float(LOWEST), float("-inf"))


def largest(read: Read) -> object:
    return next(row[1] for row in read.values("contents") if row[0] == "largest difference")


def test_a_changed_number_flows_on_as_in_pytorch(books: dict[str, Any]) -> None:
    model = pellucid.load("mouse").double()
    with torch.no_grad():
        model.entrance.embed.words.weight[1, 0] = CHANGED[-1]
    last = books["mouse"].layout.blocks["encoder.0.attention.merged"][0].cells
    follows = books["changed"].matrix(last)
    assert apart(follows, model.see(MOUSE)["encoder.output"][0]) <= 1e-10
    assert apart(follows, books["mouse"].trace["encoder.output"][0]) > 0.1


def test_a_decoder_ends_in_real_words(books: dict[str, Any]) -> None:
    book = books["decoder"]
    best = book.trace["head.probabilities"][0, -1].topk(len(zoo.WORDS))
    words = [book.trace.piece(at) for at in best.indices.tolist()]
    for read in (book.stored, book.found):
        shown = read.values("next word")[4:]
        assert [row[1] for row in shown] == words
        assert [row[2] for row in shown] == pytest.approx(best.values.tolist(), rel=1e-5)


def test_a_slope_is_a_quarter_turn_and_a_shift_is_a_rotation(books: dict[str, Any]) -> None:
    book = books["sinusoidal"]

    def wave(name: str) -> Tensor:
        return book.found.matrix(book.layout.blocks[f"waves.{name}"][0].cells)

    assert apart(wave("slope"), wave("quarter_turn")) <= 1e-6
    assert apart(wave("moved_wave"), wave("turned_wave")) <= 1e-14
    assert apart(wave("moved_wave"), wave("wave")) > 0.5
