"""Senses: nearest centroids by hand, and one real word on the shared data."""

import json
from pathlib import Path

import pytest
import torch
import zoo

import pellucid
from pellucid import UsageError
from pellucid.study.groups import fall, groups
from pellucid.study.nearest import Distance, Known, evened, left_out, nearness
from pellucid.study.pairs import Question, best_threshold, same_sense
from pellucid.study.senses import senses
from pellucid.study.vectors import Use, batches, use, vectors

WATER = ["the bank of the river", "a muddy bank by the river", "bank and river", "river bank"]
SEAL = ["the seal slept on the bank", "a seal sat by the bank", "seal and bank", "bank seal"]
TRAIN = [(text, "water") for text in WATER[:3]] + [(text, "animal") for text in SEAL[:3]]


def test_vectors_are_those_of_each_sentence_alone() -> None:
    model = zoo.build("post")
    uses = [use(text, "bank") for text in [*WATER, *SEAL]]
    found = vectors(model, uses)
    assert found.shape == (8, 3, 16)
    for each, row in zip(uses, found, strict=True):
        trace = model.see(each.text)
        at = each.text.split().index("bank")
        torch.testing.assert_close(row[0], trace["embed.output"][0, at])
        torch.testing.assert_close(row[2], trace["encoder.1.output"][0, at], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("text", "word", "span"), [("कमी कम है", "कम", (4, 6)), ("cafe\u0301 Cafe", "cafe", (6, 10))]
)
def test_a_word_goes_on_with_its_last_letters_marks(
    text: str, word: str, span: tuple[int, int]
) -> None:
    assert use(text, word).span == span


def test_nearest_means_by_hand() -> None:
    x = torch.tensor([[1.0, 0.0], [2.0, 0.2], [0.0, 3.0], [0.1, 1.0]])
    numbers = torch.tensor([0, 0, 1, 1])
    y = torch.tensor([[5.0, 1.0], [1.0, 5.0]])
    unit = x / x.norm(dim=-1, keepdim=True)
    means = torch.stack([unit[:2].mean(0), unit[2:].mean(0)])
    expected = [[torch.cosine_similarity(v, m, dim=0).item() for m in means] for v in y]
    found = nearness(x, numbers, y, "angle")
    torch.testing.assert_close(found, torch.tensor(expected).double(), rtol=1e-6, atol=1e-6)
    own = left_out(x, numbers, "angle").float()
    torch.testing.assert_close(own[0, 0], torch.cosine_similarity(x[0], x[1], dim=0))
    torch.testing.assert_close(own[0, 1], torch.cosine_similarity(x[0], means[1], dim=0))


def scattered() -> tuple[torch.Tensor, torch.Tensor]:
    """Three kinds that spread much more one way than another."""
    generator = torch.Generator().manual_seed(0)
    wide = torch.tensor([3.0, 1, 0.3, 0.1, 0.1, 0.1])
    numbers = torch.arange(60) % 3
    x = torch.randn(60, 6, generator=generator) * wide + numbers[:, None] * 0.3 + 2
    return x, numbers


def spread_by_hand(
    unit: torch.Tensor, numbers: torch.Tensor, asked: torch.Tensor, even: torch.Tensor, kept: float
) -> torch.Tensor:
    """−(y − m)ᵀ (kept · Σ r rᵀ + even)⁻¹ (y − m) for each mean m."""
    means = torch.stack([unit[numbers == kind].mean(0) for kind in range(3)])
    r = unit - means[numbers]
    inverse = torch.linalg.inv(kept * r.T @ r + even)
    return torch.stack([-(asked - m) @ inverse @ (asked - m) for m in means])


def test_nearness_by_spread_and_with_itself_left_out() -> None:
    x, numbers = scattered()
    unit = torch.nn.functional.normalize(x.double(), dim=-1)
    _, kept = evened(Known.of(x, numbers))
    assert 0.1 < kept < 1
    means = torch.stack([unit[numbers == kind].mean(0) for kind in range(3)])
    trace = (unit - means[numbers]).square().sum()
    even = (1 - kept) * trace / 6 * torch.eye(6, dtype=torch.double)
    found, own = nearness(x, numbers, x), left_out(x, numbers)
    for at in range(60):
        expected = spread_by_hand(unit, numbers, unit[at], even, kept)
        torch.testing.assert_close(found[at], expected)
        rest = torch.arange(60) != at
        expected = spread_by_hand(unit[rest], numbers[rest], unit[at], even, kept)
        torch.testing.assert_close(own[at], expected)


@pytest.mark.parametrize("distance", ["angle", "spread"])
def test_a_kind_of_one_has_no_mean_without_it(distance: Distance) -> None:
    x, _ = scattered()
    found = left_out(x[:3], torch.arange(3), distance)
    assert found.diagonal().tolist() == [-torch.inf] * 3
    assert found.isfinite().sum() == 6


def test_senses_of_a_small_model() -> None:
    model = zoo.build("post")
    test = [(WATER[3], "water"), (SEAL[3], "animal")]
    found = pellucid.senses(model, "bank", TRAIN, test)
    assert found.layers == ("embed.output", "encoder.0.output", "encoder.1.output")
    assert found.clouds.shape == (3, 2, 2)
    assert found.counts == (3, 3)
    assert found.senses == ("animal", "water")
    assert found.learned[found.best] == max(found.learned)
    alone = senses(model, "bank", TRAIN)
    assert alone.tested == 6
    assert alone.accuracy == alone.learned == found.learned
    assert "left out" in alone.how
    json.dumps(found.to_json())
    assert found.distance == "spread"
    assert senses(model, "bank", TRAIN, distance="angle").distance == "angle"


def test_groups_without_labels() -> None:
    model = zoo.build("post")
    found = groups(model, "bank", [*WATER, *SEAL])
    assert found.best > 0
    assert set(found.groups) == {0, 1}
    assert found.picture.points.shape == (3, 8, 2)
    json.dumps(found.to_json())
    with pytest.raises(UsageError, match="cannot fall into 9"):
        groups(model, "bank", WATER, count=9)


def test_of_several_pieces_the_mean_or_the_first() -> None:
    model = zoo.build("post")
    whole = Use("the muddy river bank", (4, 15))  # two tokens here
    mean, first = (vectors(model, [whole], pieces=pieces)[0, 2] for pieces in ("mean", "first"))
    there = model.see(whole.text)["encoder.1.output"][0]
    torch.testing.assert_close(mean, there[1:3].mean(0))
    torch.testing.assert_close(first, there[1])


def test_far_groups_are_found() -> None:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(40, 6, generator=generator) * 0.1
    x[20:] += 3
    numbers, apart = fall(x, 2)
    assert len({*numbers[:20].tolist()}) == len({*numbers[20:].tolist()}) == 1
    assert apart > 0.9


def test_equal_sentences_fall_into_one_group() -> None:
    model, river = zoo.build("post"), "a bank of the river"
    found = groups(model, "bank", [river] * 3 + ["the seal bank"] * 3)
    assert found.groups in [(0, 0, 0, 1, 1, 1), (1, 1, 1, 0, 0, 0)]
    assert found.apart[found.best] == pytest.approx(1)
    three = groups(model, "bank", [river] * 3 + ["the seal bank"] * 3, count=3)
    assert sorted(three.groups) == [0, 0, 0, 1, 1, 1]
    alike = groups(model, "bank", [river] * 4)
    assert alike.groups == (0, 0, 0, 0)
    assert set(alike.apart) == {0.0}
    for each in (three, alike):
        assert str(each)


def test_bad_examples() -> None:
    model = zoo.build("post")
    with pytest.raises(UsageError, match="1 sense came"):
        senses(model, "bank", TRAIN[:3])
    with pytest.raises(UsageError, match="'bank' is not in 'the seal'"):
        senses(model, "bank", [*TRAIN, ("the seal", "animal")])
    with pytest.raises(UsageError, match="No training sentence has the sense 'money'"):
        senses(model, "bank", TRAIN, [("a bank", "money")])


def test_batches_hold_everything_once() -> None:
    uses = [Use("bank " * (1 + at % 90), (0, 4)) for at in range(500)]
    found = list(batches(uses))
    assert sorted(at for batch in found for at in batch) == list(range(500))
    assert len(found) > 10


@pytest.mark.parametrize("seed", range(20))
def test_no_threshold_is_better(seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    cosines = torch.rand(12, generator=generator, dtype=torch.double)
    same = torch.rand(12, generator=generator) < cosines
    edges = [-1.0, *(cosines + 1e-9).tolist(), 2.0]
    best = max(((cosines > edge) == same).sum().item() for edge in edges)
    assert ((cosines > best_threshold(cosines, same)) == same).sum().item() == best


def test_same_sense_chooses_on_dev_only() -> None:
    model = zoo.build("post")

    def question(a: str, b: str, same: bool) -> Question:
        return Question(use(a, "bank"), use(b, "bank"), same)

    dev = [question(WATER[0], WATER[1], True), question(WATER[0], SEAL[0], False)]
    test = [question(SEAL[0], SEAL[1], True), question(SEAL[2], WATER[2], False)]
    found = same_sense(model, dev, test)
    assert found.chosen_on[found.best] == max(found.chosen_on)
    again = same_sense(model, dev, [test[0], test[0]])
    assert found.thresholds == again.thresholds
    with pytest.raises(UsageError, match="0 questions choose and 2 test"):
        same_sense(model, [], test)


def test_cranes_part_in_minilm(shared: Path, minilm: Path) -> None:
    """A part of what benchmarks/study.py measures in full."""
    model = pellucid.load(minilm)

    def read(split: str, count: int) -> list[Use]:
        folder = shared / "data" / "coarsewsd-20" / "crane"
        lines = (folder / f"{split}.data.txt").read_text().splitlines()[:count]
        golds = (folder / f"{split}.gold.txt").read_text().split()[:count]
        return [placed(line, gold) for line, gold in zip(lines, golds, strict=True)]

    found = senses(model, "crane", read("train", 60), read("test", 60))
    assert found.accuracy[found.best] > found.commonest + 0.2
    assert max(found.accuracy[1:]) > found.accuracy[0] + 0.2


def placed(line: str, label: str) -> Use:
    number, text = line.split("\t")
    words = text.split(" ")
    start = len(" ".join([*words[: int(number)], ""]))
    return Use(text, (start, start + len(words[int(number)])), label)
