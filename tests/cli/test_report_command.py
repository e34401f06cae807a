"""`pellucid report`: how a run went."""

import json
from pathlib import Path

import pytest

ENTRIES = [
    {"step": step, "loss": 2 / step, "entropy": 2 / step, "rate": 0.1, "norm": 1.0}
    for step in range(1, 30)
]


@pytest.fixture(autouse=True)
def trained(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "report.txt").write_text("model  small\n")
    (folder / "log.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in ENTRIES))
    return folder


def test_the_report_and_the_curves(run) -> None:
    ran = run("report", "run")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith("model  small\n")
    assert [line.split(" ─")[0] for line in ran.out.splitlines() if "──" in line] == [
        " loss",
        " learning rate",
        " gradient norm",
    ]


def test_figures(run, tmp_path: Path) -> None:
    ran = run("report", "run", "--save", "curves.svg", "--save", "curves.png")
    assert ran.err == "saved: curves.svg\nsaved: curves.png\n"
    assert "learning rate" in (tmp_path / "curves.svg").read_text()
    again = run("report", "run", "--save", "curves.svg")
    assert again.status == 2
    assert "curves.svg exists already" in again.sentence
    assert run("report", "run", "--save", "curves.svg", "--force").status == 0


def test_a_run_without_curves(run, trained: Path) -> None:
    (trained / "log.jsonl").unlink()
    ran = run("report", "run")
    assert (ran.status, ran.out, ran.err) == (0, "model  small\n\n", "")
    assert "run has no log.jsonl" in run("report", "run", "--save", "curves.svg").sentence
    (trained / "log.jsonl").touch()
    assert "has no step yet" in run("report", "run", "--save", "curves.svg").sentence


def test_for_programs(run) -> None:
    ran = run("report", "run", "--json")
    told = json.loads(ran.out)
    assert told["loss"]["train"]["values"] == [entry["entropy"] for entry in ENTRIES]
    assert ran.err == ""


def test_tensorboard(run, tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    assert run("report", "run", "--tensorboard", "events").status == 0
    assert [path.name[:6] for path in (tmp_path / "events").iterdir()] == ["events"]
    assert "events exists already" in run("report", "run", "--tensorboard", "events").sentence


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (["report", "no"], 2, "no has no log.jsonl"),
        (["report", "run", "--save", "curves.doc"], 2, "curves.doc is no figure"),
        (["report", "run", "--save", "no/curves.svg"], 2, "The folder no does not exist"),
        (["report"], 2, "Missing argument 'RUN'"),
    ],
)
def test_bad_input(run, arguments: list[str], status: int, sentence: str) -> None:
    ran = run(*arguments)
    assert ran.status == status
    assert ran.sentence.startswith(sentence)
