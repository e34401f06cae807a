"""A run that was stopped, killed or refused by the disk goes on as if nothing had been."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from train_tasks import TASKS, rows

from pellucid import PellucidError, UsageError
from pellucid.train import checkpoint
from pellucid.train.checkpoint import weights
from pellucid.train.loop import CHECKPOINT, Learning
from pellucid.train.objectives import Language, Objective
from pellucid.train.settings import usual
from pellucid.train.stopping import Stopped

HERE = Path(__file__).parent
SETTINGS = {"rows": 4, "steps": 9, "accumulate": 2, "measure": 4, "save": 3}


def learning(folder: Path | None, objective: Objective | None = None, **settings) -> Learning:
    model, usual_objective = TASKS["language"](dropout=0.2)
    chosen = usual(**{**SETTINGS, **settings})
    return Learning(
        model, objective or usual_objective, chosen, valid=usual_objective, folder=folder
    )


def stop_at(found: Learning, step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person stops it while it takes this step."""
    take = found._step

    def stopped(batches) -> None:
        if found.state.step + 1 == step:
            os.kill(os.getpid(), signal.SIGINT)
        take(batches)

    monkeypatch.setattr(found, "_step", stopped)


def entries(folder: Path) -> list[dict]:
    lines = (folder / "log.jsonl").read_text().splitlines()
    return [{k: v for k, v in json.loads(line).items() if k != "seconds"} for line in lines]


@pytest.mark.parametrize("step", [1, 4, 6])
def test_stopped_and_taken_up_again(tmp_path: Path, monkeypatch, step: int) -> None:
    (tmp_path / "whole").mkdir()
    (tmp_path / "cut").mkdir()
    whole = learning(tmp_path / "whole")
    whole.run()
    first = learning(tmp_path / "cut")
    stop_at(first, step, monkeypatch)
    with pytest.raises(Stopped, match=f"after step {step}.*Go on with: pellucid train --resume"):
        first.run()
    torch.manual_seed(99)  # what others draw in the meantime changes nothing
    second = learning(tmp_path / "cut")
    second.run()
    for name, tensor in weights(whole.model).items():
        assert torch.equal(tensor, weights(second.model)[name])
    assert entries(tmp_path / "whole") == entries(tmp_path / "cut")
    assert second.state.targets == whole.state.targets


def test_workers_change_nothing() -> None:
    alone, helped = learning(None), learning(None, workers=3)
    alone.run()
    helped.run()
    for name, tensor in weights(alone.model).items():
        assert torch.equal(tensor, weights(helped.model)[name])


def test_the_log_is_on_the_disk_when_a_checkpoint_counts_it(tmp_path: Path, monkeypatch) -> None:
    settled, counted = set(), []
    sync, save = os.fsync, checkpoint.save

    def synced(handle: int) -> None:
        sync(handle)
        settled.add((os.fstat(handle).st_ino, os.fstat(handle).st_size))

    def saved(path: Path, tensors: dict, about: dict) -> None:
        if size := about.get("state", {}).get("log"):
            counted.append(size)
            assert ((tmp_path / "log.jsonl").stat().st_ino, size) in settled
        save(path, tensors, about)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(checkpoint, "save", saved)
    learning(tmp_path).run()
    assert len(counted) == 4  # of steps 3, 6, 9, and the last


@pytest.mark.parametrize("cut", [1, 300, None])
def test_what_is_left_of_a_log_is_gone_on_with(tmp_path: Path, cut: int | None) -> None:
    learning(tmp_path).run()
    log = tmp_path / "log.jsonl"
    left = log.read_bytes()[: -cut if cut else 0]
    whole = left[: left.rfind(b"\n") + 1]
    log.write_bytes(left)
    if cut is None:
        log.unlink()
    with pytest.warns(UserWarning, match="steps was 9, is 11"):
        learning(tmp_path, steps=11).run()
    assert log.read_bytes().startswith(whole)
    added = entries(tmp_path)[whole.count(b"\n") :]
    assert [entry["step"] for entry in added] == [10, 11, 11]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system copies no processes")
def test_killed_at_many_moments(tmp_path: Path) -> None:
    script = [sys.executable, str(HERE / "train_killed.py"), str(tmp_path), "6"]
    ran = subprocess.run(script, capture_output=True, text=True, timeout=600, check=False)
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stdout.split()[1]) >= 2


def test_a_full_disk_leaves_the_last_checkpoint(tmp_path: Path, monkeypatch) -> None:
    found = learning(tmp_path)
    write = checkpoint.save_file

    def full(tensors, path, header) -> None:
        if found.state.step == 6 and "optimizer.step.heads.head.bias" not in tensors:
            Path(path).write_bytes(b"half")
            raise OSError(28, "No space left on device")
        write(tensors, path, header)

    monkeypatch.setattr(checkpoint, "save_file", full)
    with pytest.raises(PellucidError, match="could not be written: No space left on device"):
        found.run()
    monkeypatch.setattr(checkpoint, "save_file", write)
    _, about = checkpoint.load(tmp_path / CHECKPOINT)
    assert about["state"]["step"] == 3
    assert not list(tmp_path.rglob(".*"))
    again, whole = learning(tmp_path), learning(None)
    again.run()
    whole.run()
    for name, tensor in weights(whole.model).items():
        assert torch.equal(tensor, weights(again.model)[name])


def test_other_data_are_refused(tmp_path: Path) -> None:
    learning(tmp_path).run()
    other = Language(rows(24, seed=5), context=8)
    with pytest.raises(PellucidError, match="The data are not those that this run began with"):
        learning(tmp_path, other, steps=12).run()


def test_other_settings_are_told(tmp_path: Path) -> None:
    learning(tmp_path).run()
    with pytest.warns(UserWarning, match=r"Settings changed.*steps was 9, is 12.*rate was 0.001"):
        learning(tmp_path, steps=12, rate=0.01).run()


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("change", [{"rows": 8}, {"seed": 1}, {"width": 4}])
def test_a_run_cannot_become_another(tmp_path: Path, change: dict) -> None:
    learning(tmp_path).run()
    (name,) = change
    with pytest.raises(UsageError, match=f"A run that goes on cannot be another: {name} was"):
        learning(tmp_path, **change).run()


def test_a_checkpoint_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / CHECKPOINT
    path.parent.mkdir()
    path.write_bytes(b"\x80\x04pickle")
    with pytest.raises(PellucidError, match="is no checkpoint of a training"):
        learning(tmp_path).run()
    checkpoint.save(path, {"model.a": torch.zeros(1)}, {"version": 99})
    with pytest.raises(PellucidError, match="is of another version than 1"):
        learning(tmp_path).run()


def test_tied_weights_are_stored_once_and_stay_tied(tmp_path: Path) -> None:
    found = learning(tmp_path)
    found.run()
    tensors, _ = checkpoint.load(tmp_path / CHECKPOINT)
    assert not any("heads.head.words" in name for name in tensors)
    model = learning(tmp_path).model
    checkpoint.put(model, weights(found.model))
    assert model.heads.head.words.weight.data_ptr() == model.entrance.embed.words.weight.data_ptr()
