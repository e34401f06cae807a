"""A trace on disk: nothing lost, nothing overwritten, nothing half-written."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import zoo
from record_traces import TRACES, traced
from safetensors import safe_open

import pellucid
from pellucid import PellucidError, Trace, UsageError
from pellucid.record import store


def saved(trace: Trace, path: Path, **choices: str) -> Path:
    return trace.save(path / "trace.safetensors", **choices)


def same(one: Trace, other: Trace, near: float = 0.0) -> None:
    """All names; what was recorded to the bit, and what is derived as near as that."""
    assert list(one) == list(other)
    assert one.nodes == other.nodes
    known, again = {}, {}
    for name in one:
        value, copy = one.value(name, known), other.value(name, again)
        allowed = 0.0 if name in one.held else near
        torch.testing.assert_close(value, copy, rtol=allowed, atol=allowed)


@pytest.mark.parametrize("source", TRACES)
def test_with_all_weights_a_trace_is_whole(
    source: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    trace = traced(source, request)
    copy = Trace.load(saved(trace, tmp_path, weights="all"))
    # MiniLM's weights are mapped, so they lie otherwise in memory than a copy: the last bit differs
    same(trace, copy, near=1e-6 if source == "encoded" else 0.0)
    assert copy.texts == trace.texts
    assert copy.size == trace.size
    assert copy.answers() == trace.answers()
    assert str(copy.tree()) == str(trace.tree())


def test_with_its_models_weights_a_trace_is_whole(encoded: Trace, tmp_path: Path) -> None:
    path = saved(encoded, tmp_path)
    same(encoded, Trace.load(path, pellucid.load("minilm").weights()))


@pytest.mark.parametrize("change", [{"layers": 1}, {"width": 8}, {}])
def test_weights_of_another_model_are_refused(change: dict[str, int], tmp_path: Path) -> None:
    path = saved(zoo.build("post").see(zoo.SENTENCE), tmp_path)
    other = zoo.build("post", **change)
    zoo.randomise(other, seed=1)
    with pytest.raises(UsageError, match="give those of the model that the trace is of"):
        Trace.load(path, other.weights())


def test_a_trace_gives_as_many_answers_as_it_has(tmp_path: Path) -> None:
    model = zoo.build("decoder")
    trace = model.see(zoo.SENTENCE)
    path = saved(trace, tmp_path)
    copy = Trace.load(path)
    assert copy.answers(1) == trace.answers(1)
    assert copy.answers(9) == trace.answers(5)
    assert Trace.load(path, model.weights(), trace.piece).answers(9) == trace.answers(9)
    for each in (trace, copy):
        with pytest.raises(UsageError, match="best 0 words"):
            each.answers(0)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_precision_survives(dtype: torch.dtype, tmp_path: Path) -> None:
    trace = zoo.build("sinusoidal").to(dtype).see(zoo.SENTENCE)
    copy = Trace.load(saved(trace, tmp_path))
    same(trace, copy)
    kinds = {value.dtype for value in copy.values() if value.is_floating_point()}
    assert kinds == {dtype}


def test_without_large_weights_what_needs_them_says_so(encoded: Trace, tmp_path: Path) -> None:
    path = saved(encoded, tmp_path)
    copy = Trace.load(path)
    assert path.stat().st_size < 3e6
    kinds = {row.name: row.kind for row in copy.tree()}
    missing = {name for name, kind in kinds.items() if kind == "missing"}
    assert {"embed.words", "encoder.0.feedforward.hidden"} <= missing
    assert not [name for name in missing if ".attention." in name and not name.endswith("stream")]
    for name in missing:
        with pytest.raises(UsageError, match=r"Trace\.load\(path, model\.weights\(\)\)"):
            copy[name]
    for name in copy.names("encoder.3.attention.*"):
        assert copy[name].equal(encoded[name])
    assert copy.answers() == encoded.answers()
    checks = copy.verify()
    assert checks.left_out
    assert checks.worst.difference <= 1e-5
    told = copy.explain("encoder.3.attention.weights", head=5, row="bank", column="river")
    assert str(told) == str(
        encoded.explain("encoder.3.attention.weights", head=5, row="bank", column="river")
    )


def test_what_is_shared_is_stored_once(decoded: Trace, tmp_path: Path) -> None:
    """Among it the embedding's table, which is the head's too."""
    path = saved(decoded, tmp_path, weights="all")
    table = decoded.weights["embed.words.weight"]
    assert table.data_ptr() == decoded.weights["head.words.weight"].data_ptr()
    weights = {tensor.data_ptr(): tensor.nbytes for tensor in decoded.weights.values()}
    assert path.stat().st_size < 1.05 * (sum(weights.values()) + decoded.size) + 500_000
    copy = Trace.load(path)
    names = ("embed.words.weight", "head.words.weight")
    assert len({copy.weights[name].data_ptr() for name in names}) == 1


def test_other_tools_can_read_it(tmp_path: Path) -> None:
    trace = zoo.build("post").see(zoo.SENTENCE)
    with safe_open(saved(trace, tmp_path), framework="pt") as file:
        description = json.loads(file.metadata()["pellucid"])
        for name, tensor in trace.held.items():
            assert file.get_tensor(description["tensors"][name]).equal(tensor)
    assert description["texts"]["tokens"][0]["text"] == zoo.SENTENCE


def test_saving_leaves_the_trace_alone(tmp_path: Path) -> None:
    trace = zoo.build("post").see(zoo.SENTENCE)
    held, about = dict(trace.held), dict(trace.about)
    saved(trace, tmp_path)
    assert trace.about == about
    assert all(trace.held[name] is held[name] for name in held)


def test_an_existing_file_is_refused_unless_asked(tmp_path: Path) -> None:
    trace = zoo.build("post").see(zoo.SENTENCE)
    path = tmp_path / "trace.safetensors"
    path.write_text("precious")
    with pytest.raises(UsageError, match="exists already; choose another name, or replace it"):
        trace.save(path)
    assert path.read_text() == "precious"
    with path.open() as reader:  # who is reading the old one goes on reading it
        trace.save(path, existing="replace")
        assert reader.read() == "precious"
    assert list(Trace.load(path)) == list(trace)
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_has_the_usual_rights(tmp_path: Path) -> None:
    path = saved(zoo.build("post").see(zoo.SENTENCE), tmp_path)
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("trace.pt", r"has the ending '\.pt'; a trace is saved as \.safetensors, "),
        ("trace", r"has the ending ''; a trace is saved as \.safetensors, "),
        ("nowhere/trace.safetensors", r"nowhere does not exist; make it first\."),
        ("folder.safetensors", r"folder\.safetensors is a folder; give a file name"),
    ],
)
def test_a_wrong_path_is_refused(name: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "folder.safetensors").mkdir()
    with pytest.raises(UsageError, match=sentence):
        zoo.build("post").see(zoo.SENTENCE).save(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["folder.safetensors"]


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failing_write_leaves_the_old_file(
    fault: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace, path = zoo.build("post").see(zoo.SENTENCE), tmp_path / "trace.safetensors"
    path.write_text("precious")

    def fail(_tensors: object, beside: Path, **_: object) -> None:
        beside.write_bytes(b"half")
        raise fault

    monkeypatch.setattr(store, "save_file", fail)
    expected = PellucidError if isinstance(fault, OSError) else KeyboardInterrupt
    with pytest.raises(expected, match="could not be written: No space" if fault.args else None):
        trace.save(path, existing="replace")
    assert path.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [path]


FULL = """
import resource, sys
sys.path.insert(0, sys.argv[1])
import zoo, pellucid
trace = zoo.build("post").see(zoo.SENTENCE)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
try:
    trace.save(sys.argv[2], existing="replace")
except pellucid.PellucidError as error:
    print(error)
"""


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    """A real one, as far as the process can tell: no file of it may grow beyond 2000 bytes."""
    path = tmp_path / "trace.safetensors"
    path.write_text("precious")
    tests = str(Path(zoo.__file__).parent)
    run = [sys.executable, "-c", FULL, tests, str(path)]
    done = subprocess.run(run, capture_output=True, text=True, timeout=120, check=True)
    assert "could not be written" in done.stdout
    assert done.stdout.count("\n") == 1
    assert path.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [path]
