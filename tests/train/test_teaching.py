"""What a student is taught: traps O5 and O6, for every task."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn import functional
from train_tasks import TASKS, model

from pellucid.train.batches import Example, together
from pellucid.train.beliefs import Beliefs
from pellucid.train.loss import Smoothing
from pellucid.train.objectives import Chance, Objective, batch
from pellucid.train.ranks import Ranks
from pellucid.train.settings import usual
from pellucid.train.step import gradients
from pellucid.train.student import every, inherit, pupil, smaller, taught
from pellucid.train.taught import Taught
from pellucid.train.teaching import SOFT, divergence, grouped
from pellucid.train.terms import losses
from pellucid.train.watching import Pupil

MATCH = {"match_states": 1.0, "match_attention": 1.0}
FIRST = Chance(0, 0)


def lesson(task: str, student=None, teacher=None, **said) -> tuple[Pupil, Taught]:
    """A student and what it is taught; by default it is its own teacher."""
    made, objective = TASKS[task]()
    student, teacher = student or made, teacher or made
    settings = usual(task="classify", **{**MATCH, **said})
    found = taught(student, teacher, settings, objective, objective)
    found.ready(None)
    return pupil(student, teacher, settings), found


def soft(found: Taught, student: Pupil, numbers: list[int]) -> dict[str, torch.Tensor]:
    """The sums of what is taught; dropout is off in these models."""
    sums = losses(student.train(), batch(found, np.array(numbers), FIRST), Smoothing())
    return {term: each.total for term, each in sums.items() if term in SOFT}


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("top", [0, 3])
def test_a_teacher_that_is_its_student_teaches_nothing(task: str, top: int) -> None:
    """O6: a divergence, no cross-entropy; it is zero where both are equal."""
    student, found = lesson(task, top=top, taught=1.0)
    sums = soft(found, student, list(range(8)))
    assert len(sums) >= 3
    for term, total in sums.items():
        assert abs(float(total.detach())) < 1e-3, term
    torch.stack([total for term, total in sums.items() if "taught" in term]).sum().backward()
    assert all(p.grad is None or p.grad.abs().max() < 1e-4 for p in student.parameters())


@pytest.mark.parametrize("task", ["class", "pairs", "bert", "translation"])
def test_padding_is_never_counted(task: str) -> None:
    """O6: texts side by side are worth what they are worth alone."""
    other = model(**{**vars(TASKS[task]()[0].config), "layers": 2}, init="xavier")
    student, found = lesson(task, teacher=other)
    examples = [found.example(at, FIRST) for at in range(8)]
    assert len({len(next(iter(each.inputs.values()))) for each in examples}) > 1
    together_ = losses(student, together(examples), Smoothing())
    alone = [losses(student, together([each]), Smoothing()) for each in examples]
    for term, whole in together_.items():
        assert whole.count == sum(each[term].count for each in alone)
        total = sum(float(each[term].total.detach()) for each in alone)
        assert float(whole.total.detach()) == pytest.approx(total, rel=1e-4, abs=1e-6), term


def test_the_gradient_does_not_depend_on_the_temperature() -> None:
    """O5: with T² in front it stays of one size; without, it would fall by a hundred."""
    said, wanted = torch.randn(2, 64, 10, generator=torch.Generator().manual_seed(0)) / 10
    sizes = []
    for t in (1.0, 4.0, 10.0):
        logits = said.clone().requires_grad_()
        believed = (wanted / t).log_softmax(-1)
        nothing = torch.zeros(64, 0, dtype=torch.long)
        (t * t * divergence(logits / t, nothing, believed)).backward()
        sizes.append(float(logits.grad.norm()))
    assert max(sizes) < 1.05 * min(sizes)


def test_words_told_one_by_one_and_the_rest_as_one() -> None:
    logits, theirs = torch.randn(2, 5, 12, generator=torch.Generator().manual_seed(1))
    believed = theirs.log_softmax(-1)
    ids = believed.topk(4).indices
    told = torch.cat(grouped(believed, ids), -1)
    p, q = believed.exp(), logits.softmax(-1)
    by_hand = 0.0
    for row in range(5):
        near = ids[row]
        parts = [(p[row, near], q[row, near])]
        parts.append((1 - p[row, near].sum(), 1 - q[row, near].sum()))
        by_hand += sum(float((a * (a / b).log()).sum()) for a, b in parts)
    assert float(divergence(logits, ids, told)) == pytest.approx(by_hand, rel=1e-4)
    whole = functional.kl_div(q.log(), p, reduction="sum")
    assert float(divergence(logits, ids, told)) <= float(whole) + 1e-6
    assert float(divergence(logits, ids[:, :0], believed)) == pytest.approx(float(whole), rel=1e-4)


def test_a_step_is_the_same_however_it_is_cut() -> None:
    """What divides is the count over the whole step, for what is taught as well."""
    other = model(**{**vars(TASKS["translation"]()[0].config), "layers": 2}, init="xavier")
    student, found = lesson("translation", teacher=other)
    found_grads = []
    for cut in ([range(8)], [range(2), range(2, 8)]):
        student.zero_grad()
        batches = [batch(found, np.array(part), FIRST) for part in cut]
        gradients(student, batches, Smoothing(), Ranks())
        found_grads.append([p.grad.clone() for p in student.parameters() if p.grad is not None])
    for a, b in zip(*found_grads, strict=True):
        torch.testing.assert_close(a, b, atol=1e-6, rtol=1e-4)


def test_shares_mix_the_right_answer_and_the_teachers_word() -> None:
    other = model(classes=3, classify="mean", init="xavier")
    sums = {}
    for share in (0.0, 0.25, 1.0):
        student, found = lesson("class", teacher=other, taught=share)
        part = batch(found, np.arange(8), FIRST)
        sums[share] = {n: float(s.total.detach()) for n, s in
                       losses(student, part, Smoothing()).items()}  # fmt: skip
    assert sums[1.0]["class"] == sums[0.0]["taught class"] == 0
    assert sums[0.25]["class"] == pytest.approx(0.75 * sums[0.0]["class"])
    assert sums[0.25]["taught class"] == pytest.approx(0.25 * sums[1.0]["taught class"])
    assert sums[1.0]["taught class"] > 0


def test_another_width_and_other_heads_are_brought_together() -> None:
    wide = model(classes=3, classify="mean", width=24, heads=4, layers=2, init="xavier")
    student, found = lesson("class", teacher=wide, taught=1.0)
    assert [p.shape for p in student.projections.parameters()] == [(24, 16)]
    sums = soft(found, student, list(range(8)))
    assert sums["encoder states"] > 0
    assert sums["encoder attention"] > 0
    torch.stack([*sums.values()]).sum().backward()
    assert all(float(p.grad.abs().max()) > 0 for p in student.projections.parameters())
    assert not any("projections" in name for name in student.student.state())


@pytest.mark.parametrize("layers", [1, 2, 3, 6])
def test_every_nth_layer_and_the_last_among_them(layers: int) -> None:
    found = every(layers, 6)
    assert len(found) == layers
    assert found[-1] == 5
    assert set(np.diff(found)) <= {6 // layers}


def test_a_student_begins_as_layers_of_its_teacher() -> None:
    settings = usual(layers=2, width=16, heads=2)
    teacher = model(shape="encoder-decoder", head="language", layers=4, init="xavier")
    made = model(**vars(smaller(teacher.config, settings)))
    inherit(made, teacher)
    ours, theirs = made.state(), teacher.state()
    for at, layer in enumerate((1, 3)):
        for stack in ("encoder", "decoder"):
            name = "layers.{}.attention.query.weight"
            a, b = ours[f"{stack}.{name.format(at)}"], theirs[f"{stack}.{name.format(layer)}"]
            assert torch.equal(a, b)
    assert torch.equal(made.target.embed.words.weight, teacher.target.embed.words.weight)


def test_what_was_said_is_kept_and_asked_once(tmp_path: Path, monkeypatch) -> None:
    other = model(classes=3, classify="mean", init="xavier")
    objective: Objective = TASKS["class"]()[1]
    made = model(classes=3, classify="mean")
    settings = usual(**MATCH)
    first = taught(made, other, settings, objective, objective)
    first.ready(tmp_path)
    again = taught(made, other, settings, objective, objective)
    monkeypatch.setattr("pellucid.train.taught.ask", lambda *_: pytest.fail("asked again"))
    again.ready(tmp_path)
    for number in (0, 7, 15):
        a, b = (each.example(number, Chance(5, 3)) for each in (first, again))
        for term, told in a.answers.items():
            assert told.scores is None or np.array_equal(told.scores, b.answers[term].scores)
    warmer = replace(settings, temperature=3.0)
    asked_again = taught(made, other, warmer, objective, objective)
    with pytest.raises(pytest.fail.Exception, match="asked again"):
        asked_again.ready(tmp_path)


def test_masks_come_again_after_so_many_rounds() -> None:
    made, objective = TASKS["bert"]()
    settings = usual(rounds=2)
    found = taught(made, made, settings, objective, objective)
    found.ready(None)

    def ids(epoch: int) -> Example:
        return found.example(3, Chance(settings.seed, epoch)).inputs["ids"].tolist()

    assert ids(0) == ids(2) == ids(4)
    assert ids(1) == ids(3) != ids(0)


def test_what_is_no_cache_is_not_taken(tmp_path: Path) -> None:
    assert Beliefs.open(tmp_path, "x") is None
    (tmp_path / "about.json").write_text("{")
    assert Beliefs.open(tmp_path, "x") is None
