"""A file may be anything: what is no trace is refused, in one sentence, whatever it holds."""

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import zoo
from safetensors.torch import load_file, save_file

from pellucid import PellucidError, Trace, UsageError
from pellucid.record.node import Node, sort

pytestmark = pytest.mark.usefixtures("unchecked")

Change = Callable[[dict[str, Any]], None]


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("honest") / "trace.safetensors"
    return zoo.build("encoder").see(zoo.SENTENCES).save(path, weights="all")


def refused(path: Path) -> str:
    with pytest.raises(PellucidError) as error:
        Trace.load(path)
    sentence = str(error.value)
    assert str(path) in sentence
    assert "\n" not in sentence
    return sentence


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def header(text: str | bytes, length: int | None = None) -> bytes:
    raw = text.encode() if isinstance(text, str) else text
    return struct.pack("<Q", len(raw) if length is None else length) + raw


BYTES: dict[str, bytes] = {
    "empty": b"",
    "short": b"\x00\x01",
    "text": b"Not a safetensors file at all, only words.",
    "a header longer than the file": header("{}", 1000),
    "a huge header": header("{}", 2**40),
    "the hugest header": header("{}", 2**64 - 1),
    "no JSON": header("{nonsense"),
    "a list": header("[1, 2]"),
    "bytes": header(b"\xff\xfe\xfd\xfc"),
    "offsets beyond the file": header('{"a":{"dtype":"F32","shape":[9],"data_offsets":[0,36]}}'),
    "offsets that cross": header('{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}'),
    "an unknown precision": header('{"a":{"dtype":"F9","shape":[1],"data_offsets":[0,4]}}'),
    "a shape that overflows": header(
        '{"a":{"dtype":"F32","shape":[4294967296,4294967296,4294967296],"data_offsets":[0,4]}}'
    ) + b"1234",
}  # fmt: skip


@pytest.mark.parametrize("data", BYTES.values(), ids=BYTES)
def test_what_is_no_safetensors_file_is_refused(data: bytes, tmp_path: Path) -> None:
    assert "is broken or no safetensors file" in refused(write(tmp_path / "x.safetensors", data))


@pytest.mark.parametrize("share", [0.001, 0.1, 0.5, 0.99, 0.9999])
def test_a_truncated_file_is_refused(honest: Path, share: float, tmp_path: Path) -> None:
    data = honest.read_bytes()
    path = write(tmp_path / "x.safetensors", data[: int(len(data) * share)])
    assert "is broken or no safetensors file" in refused(path)


def test_flipped_bytes_never_crash(honest: Path, tmp_path: Path) -> None:
    """The header's bytes, one after the other: refused, or harmless."""
    data = honest.read_bytes()
    for at in range(0, 4000, 97):
        path = write(tmp_path / "x.safetensors", data[:at] + b"{" + data[at + 1 :])
        try:
            trace = Trace.load(path)
        except PellucidError:
            continue
        assert len(trace) > 0


def test_tensors_alone_are_no_trace(tmp_path: Path) -> None:
    save_file({"a": torch.zeros(2)}, tmp_path / "x.safetensors")
    assert "holds tensors but no trace" in refused(tmp_path / "x.safetensors")


@pytest.mark.parametrize("path", ["nothing.safetensors", "."])
def test_no_file_is_refused(path: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no file"):
        Trace.load(tmp_path / path)


@pytest.mark.parametrize(
    "text", ["", "nonsense", "null", "7", '"text"', "[]", "{}", "[" * 100_000, '{"format": 99}']
)
def test_a_description_that_is_none_is_refused(text: str, tmp_path: Path) -> None:
    save_file({"a": torch.zeros(2)}, tmp_path / "x.safetensors", metadata={"pellucid": text})
    assert "holds a trace that cannot be understood" in refused(tmp_path / "x.safetensors")


def node(description: dict[str, Any], name: str) -> dict[str, Any]:
    return next(node for node in description["nodes"] if node["name"] == name)


Q, SCORES = "encoder.0.attention.q", "encoder.0.attention.scores"
SCALED, WEIGHTS = "encoder.0.attention.scaled", "encoder.0.attention.weights"


def each(change: Callable[[dict[str, Any]], None], name: str = SCORES) -> Change:
    """A change of one node."""
    return lambda description: change(node(description, name))


def tokens(change: Callable[[dict[str, Any]], None]) -> Change:
    """A change of the first sentence's tokens."""
    return lambda description: change(description["texts"]["tokens"][0])


CHANGES: dict[str, Change] = {
    "another format": lambda d: d.update(format=2),
    "nodes of no kind": lambda d: d.update(nodes=3),
    "nodes that are words": lambda d: d.update(nodes=["a", "b"]),
    "a node without a name": each(lambda n: n.pop("name")),
    "a node without axes": each(lambda n: n.pop("axes")),
    "too few axes": each(lambda n: n.update(axes="B H")),
    "axes of no kind": each(lambda n: n.update(axes=7)),
    "an unknown operation": each(lambda n: n.update(operation="system")),
    "an operation of no kind": each(lambda n: n.update(operation=["softmax"])),
    "a parent too few": each(lambda n: n.update(parents=n["parents"][:1])),
    "a parent too many": each(lambda n: n.update(parents=n["parents"] * 2)),
    "parents that do not fit": each(lambda n: n.update(parents=["embed.output", WEIGHTS])),
    "parents of no kind": each(lambda n: n.update(parents=4)),
    "a setting unheard of": each(lambda n: n.update(settings={"evil": 1})),
    "settings of no kind": each(lambda n: n.update(settings=[1])),
    "its own parent": each(lambda n: n.update(parents=[SCORES, SCORES])),
    "a circle": each(lambda n: n.update(parents=[WEIGHTS, WEIGHTS])),
    "no heads": each(lambda n: n["settings"].update(heads=0), Q),
    "half a head": each(lambda n: n["settings"].update(heads=2.5), Q),
    "a great many heads": each(lambda n: n["settings"].update(heads=10**9), Q),
    "a root of nothing": each(lambda n: n["settings"].update(of="x"), SCALED),
    "a root below nothing": each(lambda n: n["settings"].update(of=-4), SCALED),
    "a tensor that is not there": lambda d: d["tensors"].update({"tokens.ids": "nowhere"}),
    "a weight that is not there": lambda d: d["weights"].append("nowhere"),
    "weights of no kind": lambda d: d.update(weights=None),
    "texts of no kind": lambda d: d.update(texts=[]),
    "tokens of no kind": lambda d: d["texts"].update(tokens=[5]),
    "tokens without ids": tokens(lambda t: t.pop("ids")),
    "fewer pieces than ids": tokens(lambda t: t["pieces"].pop()),
    "ids of no kind": tokens(lambda t: t["ids"].__setitem__(0, "x")),
    "an offset beyond the text": tokens(lambda t: t["offsets"].__setitem__(0, [0, 999])),
    "an offset that runs backwards": tokens(lambda t: t["offsets"].__setitem__(0, [3, 1])),
    "offsets of no kind": tokens(lambda t: t["offsets"].__setitem__(0, "ab")),
    "about of no kind": lambda d: d.update(about=[1]),
    "no about": lambda d: d.pop("about"),
    "answers of no kind": lambda d: d["about"].update(answers=[1]),
    "answers without words": lambda d: d["about"]["answers"].pop("words"),
    "an answer of no kind": lambda d: d["about"]["answers"]["words"][0].append([{"id": "x"}]),
}  # fmt: skip


def changed(honest: Path, change: Change, path: Path) -> Path:
    """The honest file with another description."""
    from safetensors import safe_open

    with safe_open(honest, framework="pt") as file:
        description = json.loads(file.metadata()["pellucid"])
    change(description)
    save_file(load_file(honest), path, metadata={"pellucid": json.dumps(description)})
    return path


def test_the_unchanged_description_is_accepted(honest: Path, tmp_path: Path) -> None:
    trace = Trace.load(changed(honest, lambda _: None, tmp_path / "x.safetensors"))
    assert trace.verify().worst.difference < 1e-5


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_description_that_lies_is_refused(change: Change, honest: Path, tmp_path: Path) -> None:
    sentence = refused(changed(honest, change, tmp_path / "x.safetensors"))
    assert "holds a trace that cannot be understood" in sentence
    assert len(sentence) < 600


def test_a_tensor_of_another_kind_is_found_when_it_is_used(honest: Path, tmp_path: Path) -> None:
    """Shapes agree, but there is no word number 99."""
    path = changed(honest, lambda _: None, tmp_path / "x.safetensors")
    trace = Trace.load(path)
    trace.held["tokens.ids"] = torch.full_like(trace.held["tokens.ids"], 99)
    with pytest.raises(PellucidError, match=r"embed\.words cannot be derived: index out of range"):
        trace["embed.words"]


def test_a_circle_is_named() -> None:
    nodes = {
        name: Node.from_json({"name": name, "axes": "D", "operation": "same", "parents": [parent],
                              "settings": {}})
        for name, parent in (("a", "b"), ("b", "c"), ("c", "a"))
    }  # fmt: skip
    with pytest.raises(ValueError, match="a is made from itself"):
        sort(nodes)


def test_long_roads_are_sorted() -> None:
    """A chain of ten thousand, given in the wrong order, and each node read twice."""
    last = 10_000
    nodes = {
        str(at): Node.from_json({"name": str(at), "axes": "D", "operation": "add",
                                 "parents": [str(at + 1)] * 2, "settings": {}})
        for at in range(last)
    }  # fmt: skip
    assert list(sort(nodes)) == [str(at) for at in reversed(range(last))]
