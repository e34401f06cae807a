"""Classifiers with a decoder: they are given a text, and read it again one place to the right."""

from collections.abc import Callable
from pathlib import Path

import pytest
import tokenizers
import torch
import transformers
import zoo
from models_answers import apart, theirs
from safetensors.torch import load_file, save_file
from tokenizers.processors import TemplateProcessing
from torch import Tensor

import pellucid
from pellucid import UsageError
from pellucid.checks.equalities import check
from pellucid.checks.theirs import quiet
from pellucid.models.again import again
from pellucid.models.model import Model
from pellucid.text.tokenizer import Tokenizer

Specimen = Callable[[str], Path]

MARKS = {"decoder_start_token_id": 3, "eos_token_id": 9}
NAMES = ["BART, classes", "T5, classes"]


def padded(rows: list[list[int]], side: str) -> tuple[Tensor, Tensor]:
    longest = max(map(len, rows))
    gaps = [[0] * (longest - len(row)) for row in rows]
    ids = [gap + row if side == "left" else row + gap for row, gap in zip(rows, gaps, strict=True)]
    real = [[0] * len(gap) + [1] * len(row) for row, gap in zip(rows, gaps, strict=True)]
    return torch.tensor(ids), torch.tensor(real if side == "left" else [r[::-1] for r in real]) > 0


@pytest.mark.parametrize("side", ["left", "right"])
def test_the_target_is_the_source_one_place_to_the_right(side: str) -> None:
    ids, real = padded([[5, 6, 9], [7, 9], [9]], side)
    found = again(ids, real, MARKS)
    assert [row[mask].tolist() for row, mask in zip(found, real, strict=True)] == [
        [3, 5, 6], [3, 7], [3],
    ]  # fmt: skip


def test_gaps_in_a_mask_are_passed_over() -> None:
    real = torch.tensor([[False, True, False, True, True]])
    found = again(torch.tensor([[0, 5, 0, 6, 9]]), real, MARKS)
    assert found[real].tolist() == [3, 5, 6]


@pytest.mark.parametrize(
    ("ids", "settings", "sentence"),
    [
        ([[5, 9, 6]], MARKS, "A text to classify must end with the end token, here 9"),
        ([[5, 9]], {"eos_token_id": 9}, "must say decoder_start_token_id, one number; it is None"),
        ([[5, 9]], MARKS | {"eos_token_id": [9, 2]}, "eos_token_id, one number; it is [9, 2]."),
    ],
)
def test_what_cannot_be_read_again(ids: list[list[int]], settings: dict, sentence: str) -> None:
    given = torch.tensor(ids)
    with pytest.raises(UsageError) as error:
        again(given, torch.ones_like(given).bool(), settings)
    assert sentence in str(error.value)


@pytest.mark.parametrize("name", NAMES)
@torch.no_grad()
def test_a_source_alone_is_classified_as_by_transformers(name: str, specimen: Specimen) -> None:
    model, other = pellucid.load(specimen(name)), theirs(specimen(name))
    end = model.settings["eos_token_id"]
    ids, real = padded([[7, 8, 40, 30, end], [12, 50, end]], "right")
    classes = model(ids, source_mask=real).classes
    for row, mask, found in zip(ids, real, classes, strict=True):
        assert apart(found[None], other(input_ids=row[mask][None]).logits) <= 1e-5
    together = other(input_ids=ids, attention_mask=real.long()).logits
    assert apart(classes, together) <= 1e-5


@torch.no_grad()
def test_a_pair_of_texts_is_judged_at_its_last_end(specimen: Specimen) -> None:
    """BART puts two end tokens between two texts."""
    ids = torch.tensor([[0, 7, 8, 2, 2, 9, 2]])
    model, other = (load(specimen("BART, classes")) for load in (pellucid.load, theirs))
    assert apart(model(ids).classes, other(input_ids=ids).logits) <= 1e-5


@pytest.fixture
def reader(specimen: Specimen) -> Model:
    """BART's classifier with a tokenizer of a few words."""
    model = pellucid.load(specimen("BART, classes"))
    words = ["<s>", "<pad>", "</s>", *zoo.WORDS]
    inner = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: at for at, word in enumerate(words)}, unk_token="<s>")
    )
    inner.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    inner.add_special_tokens(words[:3])
    marks = [("<s>", 0), ("</s>", 2)]
    inner.post_processor = TemplateProcessing("<s> $A </s>", special_tokens=marks)
    model.tokenizer = Tokenizer(inner)
    return model


def test_a_text_is_all_it_needs(reader: Model) -> None:
    trace = reader.see([zoo.SENTENCE, "a bank"])
    for source, target, ids in zip(
        trace.texts["source"], trace.texts["target"], trace["target.tokens.ids"], strict=True
    ):
        assert target.ids == (2, *source.ids[:-1]) == tuple(ids[: len(target)].tolist())
        assert target.labels() == ["</s>", *source.labels()[:-1]]
        assert target.special[0]
    assert trace["classes.probabilities"].shape == (2, 3)
    assert trace.verify().worst.difference <= 1e-5
    assert reader.forecast(zoo.SENTENCE) > 0


def test_a_text_whose_tokenizer_adds_no_end_is_refused(reader: Model) -> None:
    reader.tokenizer = zoo.tokenizer()
    with pytest.raises(UsageError, match="must end with the end token, here 2"):
        reader.see("a bank")


def test_others_are_not_given_a_target_of_our_making(specimen: Specimen) -> None:
    with pytest.raises(UsageError, match=r"takes source_ids and target_ids; the target is missing"):
        pellucid.load(specimen("BART"))(torch.tensor([[5, 2]]))


def test_one_of_our_own(tmp_path: Path) -> None:
    choices = {"head": "none", "classes": 4, "classify": "last", "class_hidden": "tanh"}
    model = zoo.build("t5", **choices)
    model.settings = {"decoder_start_token_id": 0, "eos_token_id": 1}
    again = pellucid.load(model.save(tmp_path / "own"))
    ids = torch.tensor([[4, 6, 1]])
    assert torch.equal(model(ids).classes, again(ids).classes)
    rows = check(again)
    assert not rows.failed, rows.failed.listed()


OTHER = {"bart": "BartForSequenceClassification", "t5": "T5ForSequenceClassification"}


@pytest.mark.parametrize("name", NAMES)
@torch.no_grad()
def test_names_are_theirs_with_and_without_the_prefix(
    name: str, specimen: Specimen, tmp_path: Path
) -> None:
    saved = pellucid.load(specimen(name)).save(tmp_path / "saved")
    before, after = (load_file(at / "model.safetensors") for at in (specimen(name), saved))
    assert before.keys() == after.keys()
    prefix = {"BART, classes": "model.", "T5, classes": "transformer."}[name]
    bare = {key.removeprefix(prefix): tensor for key, tensor in after.items()}
    assert bare.keys() != after.keys()
    save_file(bare, saved / "model.safetensors", metadata={"format": "pt"})
    ids = torch.tensor([[4, 6, pellucid.load(saved).settings["eos_token_id"]]])
    classes = [pellucid.load(folder)(ids).classes for folder in (specimen(name), saved)]
    assert torch.equal(*classes)
    with quiet(transformers):
        kind = getattr(transformers, OTHER[pellucid.load(saved).config.family])
        assert apart(classes[0], kind.from_pretrained(saved).eval()(input_ids=ids).logits) <= 1e-5
