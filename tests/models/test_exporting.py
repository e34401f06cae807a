"""ONNX files say what the model says, for any number of texts of any length; or are not written."""

from pathlib import Path

import numpy as np
import pytest
import torch
import zoo

from pellucid import PellucidError, UsageError
from pellucid.models import exporting
from pellucid.models.exporting import Plain, export

onnxruntime = pytest.importorskip("onnxruntime")


def test_of_every_shape_and_of_lengths_that_were_not_checked(tmp_path: Path) -> None:
    for name in ("judge", "decoder", "t5"):
        model = zoo.build(name, layers=1)
        path = export(model, tmp_path / f"{name}.onnx")
        assert [file.name for file in tmp_path.glob(f"*{name}*")] == [path.name]
        plain = Plain(model)
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        assert [each.name for each in session.get_inputs()] == plain.inputs
        assert [each.name for each in session.get_outputs()] == ["logits", "last_hidden_state"]
        example = plain.example(5, 12)
        given = {n: x.numpy() for n, x in zip(plain.inputs, example, strict=True)}
        theirs, _ = session.run(None, given)
        with torch.no_grad():
            output = plain.output(*example)
        ours = output.logits if output.classes is None else output.classes
        assert np.abs(theirs - ours.numpy()).max() < 1e-4


def test_of_a_source_with_fewer_words_than_its_target(tmp_path: Path) -> None:
    model = zoo.build("two tongues", layers=1, source_vocabulary=6)
    assert export(model, tmp_path / "two.onnx").is_file()


def test_what_does_not_agree_is_not_written(tmp_path: Path, monkeypatch) -> None:
    model = zoo.build("encoder", layers=1)
    monkeypatch.setattr(exporting, "AGREES", -1.0)
    with pytest.raises(PellucidError, match=r"differs by .* nothing was written"):
        export(model, tmp_path / "no.onnx")
    assert not list(tmp_path.iterdir())


def test_what_torch_cannot_write_is_said_in_a_sentence(tmp_path: Path, monkeypatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("outer") from ValueError("no such operation.\nmore")

    monkeypatch.setattr(torch.onnx, "export", fail)
    with pytest.raises(PellucidError, match=r"encoder as ONNX \(no such operation\); nothing"):
        export(zoo.build("encoder"), tmp_path / "no.onnx")
    assert not list(tmp_path.iterdir())


def test_the_extra_is_named_where_it_is_missing(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(exporting, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"pip install 'pellucid\[onnx\]'"):
        export(zoo.build("encoder"), tmp_path / "no.onnx")
