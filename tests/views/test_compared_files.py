"""A comparison as a workbook, a figure, numbers, and a smaller page."""

import json
import re
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import torch
import zoo
from test_plots import overlaps
from test_workbook_files import FUNCTIONS, formulas
from workbook_reading import Read, blanked, typed

import pellucid
from pellucid.errors import PellucidError, UsageError
from pellucid.study.compare import Comparison, compare
from pellucid.views import payload
from pellucid.views.plots import comparison

FRIENDS, HELPFUL = "cat and mouse are friends", "keyboard and mouse are helpful"
RIVER, MOUSE = "a bank of the river was muddy", "the mouse slept on a bank"
PAIRS = ("the seal slept", RIVER), ("a bank sat", MOUSE)
CHANGED = ("vectors", "B8", 3.0)  # of the first text after layer 1
NAMES = ("mouse", "post", "both", "unlike")


@pytest.fixture(scope="module")
def found() -> dict[str, Comparison]:
    post = zoo.build("post")
    return {
        "mouse": compare(pellucid.load("mouse"), FRIENDS, HELPFUL, word="mouse"),
        "post": compare(post, RIVER, MOUSE, word="bank"),
        "both": compare(zoo.build("both"), *PAIRS, word=("river", "mouse")),
        "unlike": compare(post, RIVER, MOUSE, word="bank", other=zoo.build("encoder")),
        "same": compare(post, RIVER, RIVER, word="bank"),
    }


@pytest.fixture(scope="module")
def books(
    found: dict[str, Comparison],
    recalculate: Callable[..., list[Path]],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Read]:
    """All workbooks with wrong results in store, recalculated; one with a number typed anew."""
    folder = tmp_path_factory.mktemp("compared")
    blank = {
        name: blanked(each.save(folder / f"{name}.xlsx"), folder / f"blank_{name}.xlsx")
        for name, each in found.items()
    }
    blank["changed"] = typed(blank["post"], folder / "changed.xlsx", *CHANGED)
    return dict(zip(blank, map(Read, recalculate(*blank.values())), strict=True))


def rows(read: Read, title: str, heading: str) -> dict[str, tuple[Any, ...]]:
    """The rows below a block's title, by their words."""
    values = read.values(title)
    first = next(at for at, row in enumerate(values) if row[0] == heading)
    below = values[first + 3 :]  # captions, headings of columns
    block = takewhile(lambda row: row[0] is not None, below)
    return {row[0]: row[1:] for row in block}


@pytest.mark.parametrize("name", NAMES)
def test_the_road_follows_from_the_vectors(
    name: str, books: dict[str, Read], found: dict[str, Comparison]
) -> None:
    road = rows(books[name], "road", "distance, angle in degrees, and sizes")
    assert list(road) == [step.name for step in found[name].layers]
    for step in found[name].layers:
        own = [step.distance, step.relative, step.angle, *step.sizes]
        assert road[step.name][:5] == pytest.approx(own, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("name", NAMES[:3])
def test_the_account_sums_to_the_whole(
    name: str, books: dict[str, Read], found: dict[str, Comparison]
) -> None:
    for title, parts in (("account", "parts"), ("neighbours", "taken")):
        shares = rows(books[name], title, "share")
        assert sum(row[0] for row in shares.values()) == pytest.approx(1)
        assert rows(books[name], title, "together")["sum"][0] == pytest.approx(1)
        whole = found[name].account.whole.tolist()
        summed = rows(books[name], parts, "the sum of all")["sum"]
        assert summed[: len(whole)] == pytest.approx(whole, rel=1e-10)
    heads = rows(books[name], "account", "share")
    for (place, head), share in found[name].heads.items():
        assert heads[f"{place}, head {head}"][0] == pytest.approx(share, rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("name", [*NAMES, "same"])
def test_one_cell_tells_the_largest_difference(name: str, books: dict[str, Read]) -> None:
    told = {row[0]: row[1] for row in books[name].values("contents") if row[0]}
    assert 0 <= told["largest difference"] <= 1e-5


def test_a_changed_number_flows_on(books: dict[str, Read], found: dict[str, Comparison]) -> None:
    steps = found["post"].layers
    places = found["post"].a, found["post"].b
    vectors = [place.vector(steps[2].name, {}).clone() for place in places]
    vectors[0][0] = CHANGED[-1]
    road = rows(books["changed"], "road", "distance, angle in degrees, and sizes")
    distance = (vectors[0] - vectors[1]).norm().item()
    assert road[steps[2].name][0] == pytest.approx(distance, rel=1e-10)
    angle = torch.cosine_similarity(*vectors, dim=0).acos().rad2deg().item()
    assert road[steps[2].name][2] == pytest.approx(angle, rel=1e-8)


def test_formulas_are_what_all_spreadsheets_understand(
    found: dict[str, Comparison], tmp_path: Path
) -> None:
    shared = FUNCTIONS | {"ATAN2", "SUMSQ"}
    path = found["post"].save(tmp_path / "a.xlsx")
    for where, text in formulas(path).items():
        assert set(re.findall(r"[A-Z][A-Z0-9]+(?=\()", text)) <= shared, where
    said = [cell.value for (cell,) in openpyxl.load_workbook(path)["contents"].iter_rows(max_col=1)]
    assert {"first text", "second word"} <= set(said)


@pytest.mark.parametrize("name", [*NAMES, "same"])
def test_no_word_meets_another(name: str, found: dict[str, Comparison]) -> None:
    figure = comparison(found[name])
    assert not overlaps(figure)
    told = [text.get_text() for text in figure.texts]
    assert found[name].a.text in told
    assert any("cannot be said" in text for text in told) == (name == "unlike")


def test_the_figure_shows_the_numbers(found: dict[str, Comparison]) -> None:
    parts, first, second, angle, _ = comparison(found["post"]).axes
    assert angle.lines[0].get_ydata().tolist() == [step.angle for step in found["post"].layers]
    assert parts.images[0].get_array().sum() == pytest.approx(100)
    heads = sum(found["post"].heads.values())
    taken = sum(axes.images[0].get_array()[:, -1].sum() for axes in (first, second))
    assert taken == pytest.approx(100 * heads)


def test_every_ending_has_its_file(found: dict[str, Comparison], tmp_path: Path) -> None:
    begins = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF", ".html": b"<!doctype"}
    for ending, start in begins.items():
        assert found["post"].save(tmp_path / f"a{ending}").read_bytes().startswith(start)
    data = json.loads(found["post"].save(tmp_path / "a.json").read_text())
    assert data == json.loads(json.dumps(found["post"].to_json()))
    with pytest.raises(UsageError, match="exists already"):
        found["post"].save(tmp_path / "a.json")
    with pytest.raises(UsageError, match=r"a comparison is saved as \.json"):
        found["post"].save(tmp_path / "a.txt")


def test_fewer_layers_make_a_smaller_page(
    found: dict[str, Comparison], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(payload, "WHOLE", 0)
    whole = found["post"].save(tmp_path / "all.html")
    one = found["post"].save(tmp_path / "one.html", layers=[1])
    assert one.stat().st_size < whole.stat().st_size
    monkeypatch.setattr(payload, "LARGEST", 1000)
    with pytest.raises(PellucidError, match=r"B a text, more than .* layers=\[3\]"):
        found["post"].save(tmp_path / "no.html")
