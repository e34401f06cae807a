"""Where a model is written: nothing is lost, nothing is half-written, nothing stale stays."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
import zoo
from models_answers import answer

import pellucid
from pellucid import PellucidError, UsageError
from pellucid.models import saving

Specimen = Callable[[str], Path]

WRITTEN = {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}
STALE = {
    "pytorch_model.bin",
    "model.safetensors.index.json",
    "model-00001-of-00002.safetensors",
    "generation_config.json",
    "special_tokens_map.json",
    "vocab.txt",
    "merges.txt",
    "spiece.model",
    "chat_template.jinja",
}
OF_THE_PERSON = {"notes.txt", "run.log", "vocabulary.pdf", "my-model.py"}


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*.*")}


def test_an_existing_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(UsageError, match="there exists already; choose another name"):
        zoo.build("decoder").save(tmp_path / "there")
    assert not list((tmp_path / "there").iterdir())


def test_a_file_is_not_replaced_by_a_folder(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("mine")
    with pytest.raises(UsageError, match="there exists already"):
        zoo.build("decoder").save(tmp_path / "there", existing="replace")
    assert (tmp_path / "there").read_text() == "mine"


def test_a_folder_in_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no does not exist; make it first"):
        zoo.build("decoder").save(tmp_path / "no" / "there")
    assert not list(tmp_path.iterdir())


def test_of_a_replaced_checkpoint_nothing_stays(tmp_path: Path) -> None:
    folder = tmp_path / "there"
    zoo.build("t5").save(folder)
    for name in STALE | OF_THE_PERSON:
        (folder / name).write_text("old")
    (folder / "logs").mkdir()
    model = zoo.build("decoder")
    model.save(folder, existing="replace")
    assert {file.name for file in folder.iterdir()} == WRITTEN | OF_THE_PERSON | {"logs"}
    assert torch.equal(answer(model), answer(pellucid.load(folder)))


def test_a_tokenizer_of_before_does_not_stay(tmp_path: Path) -> None:
    zoo.build("decoder").save(tmp_path / "there")
    model = zoo.build("decoder")
    model._tokenizer = None
    model.save(tmp_path / "there", existing="replace")
    assert not pellucid.load(tmp_path / "there").has_tokenizer


def test_a_model_is_saved_over_the_files_it_is_mapped_from(tmp_path: Path) -> None:
    folder = zoo.build("decoder").save(tmp_path / "there")
    model = pellucid.load(folder)
    before = answer(model)
    with torch.no_grad():
        model.heads.head.words.weight.mul_(2)
    after = answer(model)
    model.save(folder, existing="replace")
    assert torch.equal(answer(model), after)
    assert torch.equal(answer(pellucid.load(folder)), after)
    assert not torch.equal(before, after)


def full(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("step", ["save_file", "settle"])
@pytest.mark.parametrize("existing", ["refuse", "replace"])
def test_what_fails_in_the_middle_leaves_what_was(
    step: str, existing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "there"
    if existing == "replace":
        zoo.build("t5").save(folder)
    before = contents(tmp_path)
    monkeypatch.setattr(saving, step, full)
    with pytest.raises(PellucidError, match=r"there could not be written: .*No space left"):
        zoo.build("decoder").save(folder, existing=existing)
    assert contents(tmp_path) == before
    assert bool(before) == folder.exists()


LIMITED = """
import resource, sys, zoo
from pellucid import PellucidError
model = zoo.build("decoder", width=64)
resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
try:
    model.save(sys.argv[1], existing="replace")
except PellucidError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits are those of Unix")
def test_a_disk_that_is_full(tmp_path: Path) -> None:
    zoo.build("decoder").save(tmp_path / "there")
    before = contents(tmp_path)
    ran = subprocess.run(
        [sys.executable, "-c", LIMITED, tmp_path / "there"],
        env=os.environ | {"PYTHONPATH": str(Path(zoo.__file__).parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "there could not be written" in ran.stdout
    assert contents(tmp_path) == before


@pytest.fixture
def unwritable(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed").chmod(0o500)
    yield tmp_path / "closed"
    (tmp_path / "closed").chmod(0o700)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(unwritable: Path) -> None:
    with pytest.raises(PellucidError, match="could not be written"):
        zoo.build("decoder").save(unwritable / "there")


@pytest.mark.parametrize("mask", [0o022, 0o027, 0o077])
def test_rights_are_those_of_any_new_file(mask: int, tmp_path: Path) -> None:
    before = os.umask(mask)
    try:
        folder = zoo.build("decoder").save(tmp_path / "there")
    finally:
        os.umask(before)
    rights = {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}
    assert rights == dict.fromkeys(WRITTEN, 0o666 & ~mask)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o777 & ~mask


def test_what_config_json_said_is_kept(specimen: Specimen, tmp_path: Path) -> None:
    before = json.loads((specimen("BERT, classes") / "config.json").read_text())
    saved = pellucid.load(specimen("BERT, classes")).save(tmp_path / "saved")
    after = json.loads((saved / "config.json").read_text())
    assert {name: after[name] for name in before} == before
