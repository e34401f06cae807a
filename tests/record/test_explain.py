"""One number, explained: what is said is what is there."""

import random
import re
from collections.abc import Callable

import pytest
import torch
import zoo
from record_traces import TRACES, traced
from torch import Tensor

import pellucid
from pellucid import Trace, UsageError
from pellucid.record.explain import Explanation

PLACE = "encoder.3.attention"


def cells(trace: Trace, name: str, count: int) -> list[dict[str, int]]:
    """Random cells of a value, as `explain` is told of them."""
    axes, shape = trace.nodes[name].axes.split(), trace.shape(name)
    chance = random.Random(name)
    found = []
    for _ in range(count):
        index = dict(zip(axes, map(chance.randrange, shape), strict=True))
        rest = [index[axis] for axis in axes if axis not in "BHG1"]
        cell = {"sentence": index.get("B", 0), "head": index.get("H", index.get("G", 0))}
        found.append(cell | dict(zip(("row", "column"), rest, strict=False)))
    return found


def place_of(trace: Trace, name: str, cell: dict[str, int]) -> tuple[int, ...]:
    given = {"B": cell["sentence"], "H": cell["head"], "G": cell["head"], "1": 0}
    rest = iter((cell.get("row", 0), cell.get("column", 0)))
    axes = trace.nodes[name].axes.split()
    return tuple(given[axis] if axis in given else next(rest) for axis in axes)


@pytest.mark.parametrize("source", TRACES)
def test_every_name_can_be_explained_anywhere(source: str, request: pytest.FixtureRequest) -> None:
    trace, known = traced(source, request), {}
    for name in trace:
        for cell in cells(trace, name, 1 if len(trace) > 150 else 3):
            told = trace.explain(name, **cell)
            assert told.value == trace.value(name, known)[place_of(trace, name, cell)].item()
            agrees(trace, told, known)


def agrees(trace: Trace, told: Explanation, known: dict[str, Tensor]) -> None:
    """Each operand is what stands at its place, and each origin is one of the operands."""
    for operand in told.operands:
        found = trace.value(operand.name, known)[operand.place]
        numbers = found.flatten().tolist() if found.dim() else found.item()
        assert operand.numbers == numbers
    formula = trace.nodes[told.name].formula
    assert bool(told.arithmetic) == (formula is not None)
    if formula is not None:
        assert told.arithmetic == formula.plain(*(operand.numbers for operand in told.operands))
    singles = [o.numbers for o in told.operands if isinstance(o.numbers, float)]
    for origin in told.origins:
        assert origin.value in singles
        agrees(trace, origin, known)
    assert str(told).count("\n") + 1 == lines(told)


def lines(told: Explanation) -> int:
    own = 1 + 2 * bool(told.formula) + len(told.roads)
    return own + sum(map(lines, told.origins))


def test_words_and_numbers_mean_the_same(encoded: Trace) -> None:
    length = len(encoded.texts["tokens"][0])
    by_word = encoded.explain(f"{PLACE}.weights", head=5, row="bank", column="river")
    by_number = encoded.explain(f"{PLACE}.weights", head=5, row=2, column=5 - length)
    assert encoded.texts["tokens"][0].labels()[2] == "bank"
    assert by_word == by_number
    assert by_word.value == encoded[f"{PLACE}.weights"][0, 5, 2, 5].item()
    assert by_word.where == "head 5, bank, river"


def test_a_weight_goes_back_to_the_text(encoded: Trace) -> None:
    told = encoded.explain(f"{PLACE}.weights", head=5, row="bank", column="river")
    steps = [link.name.rpartition(".")[2] for link in told.chain()]
    assert steps == ["weights", "masked", "scaled", "scores"]
    assert [link.formula for link in told.chain()] == [
        "softmax(masked)", "scaled where allowed, else -∞", "scores / √32", "q kᵀ",
    ]  # fmt: skip
    layers = " ← ".join(f"encoder.{layer}" for layer in (3, 2, 1, 0))
    assert list(told.chain())[-1].roads == (
        f"{PLACE}.q ← {layers} ← embed ← tokens ← 'bank' (characters 4 to 8)",
        f"{PLACE}.k ← {layers} ← embed ← tokens ← 'river' (characters 16 to 21)",
    )


def value_of(arithmetic: str) -> float:
    """What short arithmetic gives, done by Python."""
    signs = {"−": "-", "·": "*", "²": "**2", "√": "sqrt"}
    for sign, written in signs.items():
        arithmetic = arithmetic.replace(sign, written)
    arithmetic = re.sub(r"sqrt(\d+)", r"sqrt(\1)", arithmetic)
    return eval(arithmetic, {"__builtins__": {}}, {"sqrt": lambda x: x**0.5})


@pytest.mark.parametrize("step", ["attention.scores", "attention.scaled", "attention.residual"])
def test_short_arithmetic_can_be_done_by_hand(step: str) -> None:
    model = zoo.build("encoder", heads=8)
    trace = model.see(zoo.SENTENCE)
    for cell in cells(trace, f"encoder.0.{step}", 5):
        told = trace.explain(f"encoder.0.{step}", **cell)
        assert value_of(told.arithmetic) == pytest.approx(told.value, rel=0.01, abs=0.01)


def test_the_mouse_by_hand() -> None:
    trace = pellucid.load("mouse").see("cat and mouse are friends")
    told = trace.explain("encoder.0.attention.scores", row="mouse", column="cat")
    assert told.arithmetic == "1.5·2 + 1.5·0"
    assert (told.value, told.where) == (3.0, "head 0, mouse, cat")


def test_cross_attention_has_its_columns_from_the_source() -> None:
    trace = zoo.build("both").see("the seal slept on ice", "a mouse")
    told = trace.explain("decoder.0.cross.weights", row="mouse", column="seal")
    assert told.where == "head 0, mouse, seal"
    [scores] = [link for link in told.chain() if link.name.endswith("scores")]
    assert [road.rpartition(" ← ")[2] for road in scores.roads] == [
        "'mouse' (characters 2 to 7)",
        "'seal' (characters 4 to 8)",
    ]
    assert trace.explain("decoder.0.cross.memory", row="ice").where == "ice, 0"
    assert trace.explain("decoder.0.cross.key", row="ice").where == "ice, 0"
    assert trace.explain("decoder.0.cross.real", row="ice").where == "ice"
    assert trace.explain("decoder.0.cross.q", row="mouse").where == "head 0, mouse, 0"
    assert trace.explain("encoder.0.output", row="ice").where == "ice, 0"
    assert trace.explain("encoder.output", row="ice").where == "ice, 0"
    assert trace.explain("decoder.output", row="mouse").where == "mouse, 0"


def test_padding_is_called_padding() -> None:
    trace = zoo.build("post").see(["the seal slept", "ice"])
    told = trace.explain("encoder.0.attention.weights", sentence=1, row=0, column=2)
    assert (told.where, told.value) == ("head 0, ice, padding", 0.0)
    assert "not allowed" in str(told)
    scores = trace.explain("encoder.0.attention.scores", sentence=1, row=0, column=2)
    assert scores.roads[1].endswith(" ← tokens ← 'padding'")


def test_all_sentences_together_are_the_origin_of_batch_norm() -> None:
    model = zoo.build("batch").train()
    told = model.see(["the seal", "ice"]).explain("encoder.0.attention.norm.mean", row=3)
    assert [len(operand.numbers) for operand in told.operands] == [4, 4]
    assert told.operands[1].numbers == [True, True, True, False]
    assert told.arithmetic.endswith(")/3")
    assert told.roads[0].endswith("all tokens")


def weights(**cell: object) -> Callable[[Trace], object]:
    return lambda trace: trace.explain("encoder.0.attention.weights", **cell)


WRONG: list[tuple[Callable[[Trace], object], str]] = [
    (
        weights(row="cat"),
        "'cat' is not in the text; give a number: 0 the, 1 seal, 2 slept, 3 on, 4 the, 5 ice.",
    ),
    (weights(row="the"), "'the' stands at 2 places; give a number: 0 the, 4 the."),
    (weights(row=6), "encoder.0.attention.weights along T goes from 0 to 5; 6 is beyond."),
    (weights(column=-7), "encoder.0.attention.weights along S goes from 0 to 5; -7 is beyond."),
    (weights(head=4), "encoder.0.attention.weights along H goes from 0 to 3; 4 is beyond."),
    (
        weights(sentence=1, row="seal"),
        "encoder.0.attention.weights along B goes from 0 to 0; 1 is beyond.",
    ),
    (
        lambda trace: trace.explain("encoder.0.attention.q", column="seal"),
        "The axis K of encoder.0.attention.q does not stand for tokens; give a number.",
    ),
    (
        lambda trace: trace.explain("encoder.0.output", row=1, head=3),
        "encoder.0.output has no heads, so there is no head 3; it goes along B T D.",
    ),
    (
        lambda trace: trace.explain("tokens.ids", column="seal"),
        "tokens.ids has no columns, so there is no column 'seal'; it goes along B T.",
    ),
]


@pytest.mark.parametrize(("ask", "sentence"), WRONG)
def test_a_wrong_cell_gets_one_sentence(ask: Callable[[Trace], object], sentence: str) -> None:
    with pytest.raises(UsageError) as error:
        ask(zoo.build("encoder").see(zoo.SENTENCE))
    assert str(error.value) == sentence


def test_explaining_asks_for_no_gradient() -> None:
    _, trace = zoo.look(zoo.build("encoder"), ids=torch.tensor([[1, 2, 3]]))
    assert trace.explain("encoder.0.output", row=1).value == trace["encoder.0.output"][0, 1, 0]
