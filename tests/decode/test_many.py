"""Many texts: in order, in bounded memory, and gone on with after an interruption."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import zoo
from writers import writer

from pellucid import UsageError
from pellucid.decode import many
from pellucid.decode.generate import Generation
from pellucid.decode.many import Output, answered, line_for

TEXTS = [*zoo.SENTENCES, "ice", "the seal", "a muddy bank by the river", "it"]


def generation(**choices: object) -> Generation:
    return Generation.of(writer(), {"max_new_tokens": 4, **choices})


def test_answers_come_in_the_order_of_the_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many, "WINDOW", 2)
    found = [answers[0].ids for answers in answered(generation(batch=2), TEXTS)]
    alone = [writer().generate(text, max_new_tokens=4)[0].ids for text in TEXTS]
    assert found == alone


def test_texts_are_read_as_they_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many, "WINDOW", 1)
    taken = []

    def texts() -> Iterator[str]:
        for text in TEXTS:
            taken.append(text)
            yield text

    next(answered(generation(batch=2), texts()))
    assert len(taken) == 2


def test_a_text_that_cannot_be_read_is_named() -> None:
    with pytest.raises(UsageError, match=r"Text 12: .*xyz"):
        list(answered(generation(), ["the seal", "xyz"], first=10))


def test_an_interrupted_run_is_gone_on_with(tmp_path: Path) -> None:
    path, job = tmp_path / "out.txt", {"model": "m", "beams": 2}

    def interrupted() -> Iterator[str]:
        yield "one"
        yield "two"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Output(path, job).write(interrupted())
    assert not path.exists()
    part = tmp_path / "out.txt.part"
    part.write_text(part.read_text() + "hal")
    again = Output(path, job)
    assert again.done == 2
    again.write(["three"])
    assert path.read_text() == "one\ntwo\nthree\n"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["out.txt"]


def stopped_after(output: Output, texts: list[str], count: int) -> None:
    """A run that answers so many of the texts, each by itself, and is interrupted."""

    def lines() -> Iterator[str]:
        for number, text in enumerate(output.left(texts)):
            if number == count:
                raise KeyboardInterrupt
            yield text.upper()

    with pytest.raises(KeyboardInterrupt):
        output.write(lines())


def test_texts_are_gone_on_with_where_those_before_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    stopped_after(Output(path, {}), ["ice", "", "the seal that is too long"], 2)
    again = Output(path, {})
    again.write(text.upper() for text in again.left(["ice", "", "the seal", "it"]))
    assert path.read_text() == "ICE\n\nTHE SEAL\nIT\n"
    assert [file.name for file in tmp_path.iterdir()] == ["out.txt"]


@pytest.mark.parametrize("texts", [["ice", "a bank", "it"], ["ice"], ["the seal", "ice", "it"]])
def test_answers_to_other_texts_are_not_mixed_in(tmp_path: Path, texts: list[str]) -> None:
    path = tmp_path / "out.txt"
    stopped_after(Output(path, {}), ["ice", "the seal", "it"], 2)
    again = Output(path, {})
    with pytest.raises(UsageError, match=r"out\.txt\.part answers another text in line [12]"):
        again.write(again.left(texts))
    assert (tmp_path / "out.txt.part").read_text() == "ICE\nTHE SEAL\n"
    assert not path.exists()


@pytest.mark.parametrize(
    ("texts", "kept"),
    [(["ice", "a bank", "it"], 1), (["ice"], 1), (["a bank", "ice", "it", "the seal"], 0)],
)
def test_other_texts_are_answered_anew_where_answers_may_be_replaced(
    tmp_path: Path, texts: list[str], kept: int
) -> None:
    path = tmp_path / "out.txt"
    stopped_after(Output(path, {}), ["ice", "the seal", "it"], 2)
    again = Output(path, {}, "replace")
    left = again.left(iter(texts))  # as of standard input, they come once
    assert again.done == kept
    again.write(map(str.upper, left))
    assert path.read_text().splitlines() == [text.upper() for text in texts]
    assert [file.name for file in tmp_path.iterdir()] == ["out.txt"]


def test_another_job_is_not_mixed_in(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    (tmp_path / "out.txt.part").write_text("one\n")
    (tmp_path / "out.txt.part.json").write_text(json.dumps({"model": "other"}))
    with pytest.raises(UsageError, match="is of another job"):
        Output(path, {"model": "m"})
    assert Output(path, {"model": "m"}, "replace").done == 0
    path.write_text("there")
    with pytest.raises(UsageError, match="exists already"):
        Output(path, {"model": "m"})


def test_lines(tmp_path: Path) -> None:
    answers = writer().generate("the seal", beams=2, best=2, max_new_tokens=3)
    assert line_for(Path("a.txt"))(answers) == " ".join(answers[0].text.split())
    rows = json.loads(line_for(Path("a.jsonl"))(answers))
    assert [row["ids"] for row in rows] == [list(answer.ids) for answer in answers]
    with pytest.raises(UsageError, match=r"\.csv"):
        line_for(tmp_path / "a.csv")
