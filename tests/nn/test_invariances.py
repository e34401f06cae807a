"""What must not matter: padding, batch mates, the future, and whether the model is learning."""

from dataclasses import fields

import pytest
import torch
import zoo
from torch import Tensor

from pellucid import Output, UsageError
from pellucid.models.model import Model
from pellucid.nn.mask import Mask

ALONE = [[3, 7, 7, 1, 4], [5, 2], [9, 11, 0]]  # sentences of several lengths
ANSWERS = [[1, 6], [8, 8, 2, 3], [4]]
DECODERS = [name for name in zoo.ZOO if zoo.ZOO[name]["shape"] != "encoder"]

each_model = pytest.mark.parametrize("name", zoo.ZOO)
each_side = pytest.mark.parametrize("side", ["left", "right", "both"])


def side_by_side(rows: list[list[int]], side: str) -> tuple[Tensor, Tensor]:
    """Ids and mask; padding has the id of a real word, so that it would be missed if seen."""
    longest = max(map(len, rows)) + (2 if side == "both" else 0)
    ids = torch.full((len(rows), longest), 13)
    real = torch.zeros(len(rows), longest, dtype=torch.bool)
    for at, row in enumerate(rows):
        start = {"left": longest - len(row), "right": 0, "both": 1}[side]
        ids[at, start : start + len(row)] = torch.tensor(row)
        real[at, start : start + len(row)] = True
    return ids, real


def inputs(model: Model, rows: list[list[int]], answers: list[list[int]], side: str) -> dict:
    if len(model.streams) == 1:
        return dict(zip(("ids", "mask"), side_by_side(rows, side), strict=True))
    source, target = side_by_side(rows, side), side_by_side(answers, side)
    names = ("source_ids", "source_mask", "target_ids", "target_mask")
    return dict(zip(names, (*source, *target), strict=True))


def close(found: Tensor, expected: Tensor) -> None:
    """To a hundred-thousandth of the largest number."""
    largest = max(1.0, expected.abs().max().item())
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-5 * largest)


def mask_of(given: dict[str, Tensor]) -> Tensor:
    return given["mask"] if "mask" in given else given["target_mask"]


@each_model
@each_side
@torch.no_grad()
def test_padding_and_batch_mates_change_nothing(name: str, side: str) -> None:
    model = zoo.build(name)
    given = inputs(model, ALONE, ANSWERS, side)
    batched, real = model(**given), mask_of(given)
    for at, (row, answer) in enumerate(zip(ALONE, ANSWERS, strict=True)):
        alone = model(**inputs(model, [row], [answer], "right"))
        for field in fields(Output):
            ours, theirs = getattr(batched, field.name), getattr(alone, field.name)
            if theirs is not None:
                close(ours[at][real[at]] if ours.dim() == 3 else ours[at], theirs[0])


@each_model
@each_side
def test_padding_changes_no_gradient(name: str, side: str) -> None:
    model, found = zoo.build(name).double(), []
    for rows, answers, where in ((ALONE, ANSWERS, side), (ALONE[:1], ANSWERS[:1], "right")):
        given = inputs(model, rows, answers, where)
        model.zero_grad()
        model(**given).hidden[0][mask_of(given)[0]].square().sum().backward()
        found.append({n: p.grad for n, p in model.named_parameters() if p.grad is not None})
    batched, alone = found
    for parameter, gradient in alone.items():
        torch.testing.assert_close(batched[parameter], gradient)


@each_model
def test_a_sentence_of_nothing_is_harmless(name: str) -> None:
    """Its rows and gradients are finite, and its neighbour does not notice."""
    model = zoo.build(name)
    given = inputs(model, ALONE[:2], ANSWERS[:2], "right")
    alone = model(**{n: x[:1] for n, x in given.items()}).hidden
    for each in ("mask", "source_mask", "target_mask"):
        if each in given:
            given[each][1] = False
    output, trace = zoo.look(model, **given)
    output.hidden.sum().backward()
    close(output.hidden[:1], alone)
    assert output.hidden.isfinite().all()
    assert all(p.grad.isfinite().all() for p in model.parameters() if p.grad is not None)
    for mixed in trace.names("*.mixed"):
        assert not trace[mixed][1].any()
        assert trace[mixed][0].any()


@pytest.mark.parametrize("name", DECODERS)
@each_side
@torch.no_grad()
def test_the_future_stays_hidden(name: str, side: str) -> None:
    model = zoo.build(name)
    given = inputs(model, ALONE, [[1, 6, 2, 8, 5]] * 3, side)
    ids = given["ids"] if "ids" in given else given["target_ids"]
    before = model(**given)
    for at in (1, 3):
        kept = ids[:, at].clone()
        ids[:, at] = (kept + 1) % len(zoo.WORDS)
        after = model(**given)
        ids[:, at] = kept
        assert after.hidden[:, :at].equal(before.hidden[:, :at])
        if before.logits is not None:
            assert after.logits[:, :at].equal(before.logits[:, :at])
        changed = (after.hidden[:, at] != before.hidden[:, at]).any(-1)
        assert changed[mask_of(given)[:, at]].all()


@torch.no_grad()
def test_an_encoder_does_look_ahead() -> None:
    model, ids = zoo.build("encoder"), torch.tensor([[1, 2, 3]])
    other = ids.clone()
    other[0, 2] = 4
    assert not model(ids).hidden[:, 0].equal(model(other).hidden[:, 0])


@pytest.mark.parametrize("name", [name for name in zoo.ZOO if name != "batch"])
@torch.no_grad()
def test_learning_takes_the_same_path(name: str) -> None:
    model = zoo.build(name, dropout=0.0, attention_dropout=0.0)
    given = inputs(model, ALONE, ANSWERS, "right")
    evaluated = model(**given).hidden
    assert model.train()(**given).hidden.equal(evaluated)


def test_a_mask_draws_itself() -> None:
    mask = Mask.of(torch.zeros(1, 3, dtype=torch.long), torch.tensor([[False, True, True]]))
    assert mask.draw("causal") == "· · ·\n· ■ ·\n· ■ ■"
    assert mask.draw("full") == "· ■ ■\n· ■ ■\n· ■ ■"
    assert mask.positions.tolist() == [[0, 0, 1]]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("kind", [torch.long, torch.float32])
def test_a_mask_of_numbers_is_refused(kind: torch.dtype) -> None:
    ids, real = side_by_side(ALONE, "right")
    with pytest.raises(UsageError, match=r"The mask is torch.* \[3, 5\]; expected is torch.bool"):
        zoo.build("encoder")(ids, real.to(kind))


@pytest.mark.usefixtures("unchecked")
def test_a_mask_of_another_shape_is_refused() -> None:
    ids, real = side_by_side(ALONE, "right")
    with pytest.raises(UsageError, match=r"\[3, 4\]; expected is torch.bool \[3, 5\]"):
        zoo.build("encoder")(ids, real[:, :4])


def test_documents_must_fit_the_ids(unchecked: None) -> None:
    ids = torch.tensor([[3, 7, 1]])
    for real, documents in ((None, torch.ones(1, 2).long()), (ids > 0, torch.ones_like(ids))):
        with pytest.raises(UsageError, match="one number a token"):
            Mask.of(ids, real, documents)


def test_packed_documents_draw_as_squares_along_the_diagonal() -> None:
    documents = torch.tensor([[1, 1, 0, 2, 2]])
    mask = Mask.of(torch.zeros(1, 5).long(), documents=documents)
    assert mask.draw("causal").splitlines() == [
        "■ · · · ·",
        "■ ■ · · ·",
        "· · · · ·",
        "· · · ■ ·",
        "· · · ■ ■",
    ]
    assert mask.positions.tolist() == [[0, 1, 0, 0, 1]]
    assert mask.longest == 2
