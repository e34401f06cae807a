"""Every value is what its formula says, and a value that is not is found."""

from pathlib import Path

import pytest
import torch
import zoo
from torch import Tensor

from pellucid import Model, Trace, UsageError
from pellucid.record.verify import apart

SENTENCES = [
    "The seal slept on the ice.",
    "She signed the letter and closed it with a seal of red wax, unbelievably slowly.",
    "Die Bank am Fluß – schön! 🙂👩‍💻 (1992)",
    "a",
]
INFINITE, NOTHING = float("inf"), float("nan")

each_model = pytest.mark.parametrize("name", zoo.ZOO)


def real_sentences(shared: Path) -> list[str]:
    lines = (shared / "data" / "wic" / "dev.data.txt").read_text(encoding="utf-8").splitlines()
    return [line.split("\t")[3] for line in lines[:4]]


def assert_true(trace: Trace) -> None:
    checks = trace.verify()
    formulas = [name for name, node in trace.nodes.items() if node.formula]
    assert [check.name for check in checks] == formulas
    assert checks.worst.difference <= 1e-5, checks
    assert not checks.left_out


@pytest.mark.parametrize("text", SENTENCES)
def test_minilm_is_true(encoder: Model, text: str) -> None:
    assert_true(encoder.see(text))


def test_minilm_is_true_on_real_sentences(encoder: Model, shared: Path) -> None:
    assert_true(encoder.see(real_sentences(shared)))


@pytest.mark.parametrize("text", [*SENTENCES, SENTENCES])
def test_gpt2_is_true(decoder: Model, text: str | list[str]) -> None:
    assert_true(decoder.see(text))


@each_model
@pytest.mark.parametrize("mode", ["eval", "train"])
def test_every_model_is_true(name: str, mode: str) -> None:
    """What is dropped while a model learns is a cause, so the rest still follows."""
    model = zoo.build(name, dropout=0.3, attention_dropout=0.3)
    model.train(mode == "train")
    assert_true(model.see(*zoo.texts(model)))


@each_model
def test_left_padding_and_rows_of_nothing_are_true(name: str) -> None:
    model = zoo.build(name)
    ids = torch.tensor([[13, 13, 7, 1], [5, 2, 9, 11], [1, 1, 1, 1]])
    real = torch.tensor([[False, False, True, True], [True] * 4, [False] * 4])
    given = {"ids": ids, "mask": real}
    if len(model.streams) == 2:
        given = {f"{stream}_{n}": x for stream in model.streams for n, x in given.items()}
    assert_true(zoo.look(model, **given)[1])


def test_a_check_says_what_it_is(encoded: Trace) -> None:
    [check] = encoded.verify("encoder.2.attention.scores")
    assert (check.name, check.formula) == ("encoder.2.attention.scores", "q kᵀ")
    assert 0 < check.difference < 1e-5
    assert len(encoded.verify("encoder.2.*")) < len(encoded.verify("encoder.*"))


@pytest.mark.parametrize("change", [0.01, INFINITE, -INFINITE, NOTHING])
@pytest.mark.parametrize("part", ["attention.key", "attention.output", "feedforward.output"])
def test_a_false_value_is_found(part: str, change: float) -> None:
    trace, name = zoo.build("post").see(zoo.SENTENCE), f"encoder.1.{part}"
    true = trace.verify()
    trace.held[name] = trace.held[name].clone()
    trace.held[name][0, 2, 3] += change * trace.held[name].abs().max()
    false = {check.name: check.difference for check in trace.verify()}
    assert false[name] > 0.009
    before = {check.name: check.difference for check in true}
    assert max(before.values()) < 1e-5
    assert all(false[each] <= 1e-5 for each in false if each.startswith(("embed", "encoder.0")))


def test_the_worst_is_first_in_print() -> None:
    trace = zoo.build("post").see(zoo.SENTENCE)
    trace.held["encoder.0.attention.key"] = trace.held["encoder.0.attention.key"] * 2
    checks = trace.verify()
    assert checks.worst.name == "encoder.0.attention.key"
    title, first, *_ = str(checks).splitlines()
    assert title == f"{len(checks)} values recomputed in float64; the furthest:"
    assert first.split()[1] == "encoder.0.attention.key"


def test_nothing_to_verify_is_no_success(encoded: Trace) -> None:
    with pytest.raises(UsageError, match=r"Nothing in 'encoder\.7' can be verified"):
        encoded.verify("encoder.7")


def test_what_cannot_be_verified_is_counted() -> None:
    trace = zoo.build("post").see(zoo.SENTENCE)
    del trace.held["embed.output"]
    del trace.held["tokens.ids"]
    checks = trace.verify()
    assert "embed.words" in checks.left_out
    assert "encoder.0.attention.scores" in [check.name for check in checks]
    assert f"({len(checks.left_out)} left out, for want of parents)" in str(checks)


@pytest.mark.parametrize(
    ("value", "truth", "expected"),
    [
        ([1.0, 2.0], [1.0, 2.0], 0.0),
        ([1.0, 3.0], [1.0, 2.0], 0.5),
        ([0.5, 0.0], [0.0, 0.0], 0.5),
        ([-INFINITE, 2.0], [-INFINITE, 2.0], 0.0),
        ([-INFINITE, -INFINITE], [-INFINITE, -INFINITE], 0.0),
        ([INFINITE, 2.0], [-INFINITE, 2.0], INFINITE),
        ([-INFINITE, 2.0], [1.0, 2.0], INFINITE),
        ([1.0, 2.0], [-INFINITE, 2.0], INFINITE),
        ([NOTHING, 2.0], [1.0, 2.0], INFINITE),
        ([1.0, 2.0], [NOTHING, 2.0], INFINITE),
    ],
)
def test_a_difference_is_relative_to_the_largest(
    value: list[float], truth: list[float], expected: float
) -> None:
    assert apart(torch.tensor(value), torch.tensor(truth).double()) == expected


def test_truths_are_whole_numbers_too() -> None:
    flags: Tensor = torch.tensor([True, False])
    assert apart(flags, flags) == 0
    assert apart(flags, ~flags) == 1
