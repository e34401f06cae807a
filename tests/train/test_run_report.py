"""The curves of a run: read from its log, drawn in the terminal, as a figure, for TensorBoard."""

import json
import math
from pathlib import Path

import pytest
from train_texts import examples

from pellucid import PellucidError, UsageError
from pellucid.train.history import Curve, panels, read
from pellucid.train.rivals.classifier import NetworkClassifier
from pellucid.train.settings import usual
from pellucid.views.curves import ROWS, draw, plot
from pellucid.views.events import save_events
from pellucid.views.figures import save_curves

ENTRIES = [
    {"step": 1, "loss": 2.5, "entropy": 2.0, "rate": 0.1, "norm": 3.0},
    {"step": 2, "loss": 2.0, "entropy": 1.5, "rate": 0.2, "norm": 2.0},
    {"step": 2, "valid": {"loss": 1.8, "wrong": 0.5}},
    {"step": 3, "loss": 1.5, "entropy": 1.0, "rate": 0.1, "norm": 1.0},
    {"step": 3, "valid": {"loss": 1.2, "wrong": 0.25}},
]


def write_log(run: Path, *further: str) -> Path:
    run.mkdir()
    lines = [*map(json.dumps, ENTRIES), *further]
    (run / "log.jsonl").write_text("\n".join(lines) + ("" if further else "\n"))
    return run


def test_curves_of_a_log(tmp_path: Path) -> None:
    drawn = panels(read(write_log(tmp_path / "run")))
    assert list(drawn) == ["loss", "share wrong", "learning rate", "gradient norm"]
    assert drawn["loss"] == {
        "train": Curve([1, 2, 3], [2.0, 1.5, 1.0]),
        "valid": Curve([2, 3], [1.8, 1.2]),
        "train, smoothed": Curve([1, 2, 3], [2.5, 2.0, 1.5]),
    }
    assert drawn["gradient norm"] == {"before clipping": Curve([1, 2, 3], [3, 2, 1])}


def test_what_has_no_numbers_is_not_drawn() -> None:
    entries = [{**entry, "loss": entry.get("entropy")} for entry in ENTRIES if "rate" in entry]
    drawn = panels(entries)
    assert list(drawn) == ["loss", "learning rate", "gradient norm"]
    assert list(drawn["loss"]) == ["train"]
    assert panels([]) == {}


def test_a_torn_line_was_being_written(tmp_path: Path) -> None:
    assert read(write_log(tmp_path / "run", '{"step": 4, "lo')) == read(
        write_log(tmp_path / "whole")
    )


def test_a_broken_log(tmp_path: Path) -> None:
    run = write_log(tmp_path / "run", "{]", "")
    with pytest.raises(PellucidError, match=r"log\.jsonl cannot be read"):
        read(run)
    with pytest.raises(UsageError, match=r"has no log\.jsonl"):
        read(tmp_path)


def test_the_loop_writes_what_is_drawn() -> None:
    small = {"width": 16, "longest": 32, "rows": 20, "steps": 6, "measure": 3, "vocabulary": 400}
    model = NetworkClassifier("gru", usual(**small, smoothing=0.1))
    drawn = panels(model.fit(examples(60), examples(30, 1)).journal)
    assert drawn["loss"]["train"].steps == [1, 2, 3, 4, 5, 6]
    assert drawn["loss"]["valid"].steps == [3, 6]
    assert all(norm > 0 for norm in drawn["gradient norm"]["before clipping"].values)


def lines(curve: Curve, *others: Curve, width: int = 40) -> list[str]:
    panel = {"train": curve} | {f"valid {at}": each for at, each in enumerate(others)}
    return [line.plain for line in plot("loss", panel, width)]


def test_a_falling_line() -> None:
    head, *rows, steps = lines(Curve([1, 1000], [4.0, 1.0]), width=51)
    assert head.startswith("loss ─")
    assert head.endswith("─ train")
    assert len(rows) == ROWS
    assert rows[0].lstrip().startswith("4│⠉⠒⠤⢄⡀  ")
    assert rows[-1].lstrip().startswith("1│")
    assert steps.split() == ["1", "step", "1,000"]
    inked = [[at for at, sign in enumerate(row[11:]) if sign != " "] for row in rows]
    middles = [sum(row) / len(row) for row in inked]
    assert middles == sorted(middles)
    assert {at for row in inked for at in row} == {*range(40)}


def test_other_curves_are_marks() -> None:
    head, *rows, _ = lines(Curve([1, 9], [2.0, 1.0]), Curve([5, 9], [1.5, 1.0]))
    assert "● valid 0" in head
    assert sum(row.count("●") for row in rows) == 2
    assert rows[-1].endswith("●")


def test_what_is_no_number_is_left_out() -> None:
    values = [2.0, math.nan, math.inf, 1.0]
    assert lines(Curve([1, 2, 3, 4], values)) == lines(Curve([1, 4], [2.0, 1.0]))
    assert lines(Curve([1], [math.nan]))[-1] == "nothing to draw"


def test_one_point_alone() -> None:
    *_, steps = lines(Curve([7], [0.0]))
    assert steps.split() == ["7", "step", "7"]


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_as_wide_as_the_terminal(width: int) -> None:
    drawn = list(draw(panels(ENTRIES), width))
    assert max(line.cell_len for line in drawn) < max(width, 40)


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_figure(tmp_path: Path, ending: str) -> None:
    path = save_curves(panels(ENTRIES), tmp_path / f"curves.{ending}", columns=2)
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending]
    assert path.read_bytes().startswith(start)
    if ending == "svg":
        assert "gradient norm" in path.read_text()
    with pytest.raises(UsageError, match="exists already"):
        save_curves(panels(ENTRIES), path)
    with pytest.raises(UsageError, match="is no figure; name it"):
        save_curves(panels(ENTRIES), tmp_path / "curves.doc")
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_tensorboard_reads_what_is_written_for_it(tmp_path: Path) -> None:
    accumulator = pytest.importorskip(
        "tensorboard.backend.event_processing.event_accumulator", exc_type=ImportError
    )
    drawn = panels(ENTRIES)
    save_events(drawn, tmp_path / "events")
    events = accumulator.EventAccumulator(str(tmp_path / "events")).Reload()
    names = {f"{title}/{name}": curve for title in drawn for name, curve in drawn[title].items()}
    assert set(events.Tags()["scalars"]) == set(names)
    for name, curve in names.items():
        points = events.Scalars(name)
        assert [point.step for point in points] == curve.steps
        assert [point.value for point in points] == pytest.approx(curve.values)
    with pytest.raises(UsageError, match="exists already"):
        save_events(drawn, tmp_path / "events")
