"""Checkpoints as they lie about: older names, tensors said twice, bodies without heads."""

import json
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from models_answers import answer, apart, their_answer
from safetensors.torch import load_file, save_file

import pellucid
from pellucid import PellucidError
from pellucid.checks.theirs import quiet

Specimen = Callable[[str], Path]
Weights = dict[str, torch.Tensor]
Change = Callable[[Weights], Weights]

ONE = "model.safetensors"


@pytest.fixture
def changed(specimen: Specimen, tmp_path: Path) -> Callable[..., Path]:
    """A function from a specimen and a change of its weights to a checkpoint with that change."""

    def change(name: str, how: Change, **settings: Any) -> Path:
        weights = how(load_file(specimen(name) / ONE))
        folder = tmp_path / "changed"
        folder.mkdir()
        save_file(weights, folder / ONE, metadata={"format": "pt"})
        before = json.loads((specimen(name) / "config.json").read_text())
        after = {key: value for key, value in (before | settings).items() if value is not None}
        (folder / "config.json").write_text(json.dumps(after))
        return folder

    return change


@pytest.fixture(autouse=True)
def no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def tensorflow_names(weights: Weights) -> Weights:
    """bert-base-uncased still has them (huggingface/transformers#11809)."""
    halves = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}

    def older(name: str) -> str:
        stem = ".".join(name.split(".")[-2:])
        return name.removesuffix(stem) + halves.get(stem, stem)

    renamed = {older(name): tensor for name, tensor in weights.items()}
    assert any("gamma" in name for name in renamed)
    return renamed


def twice(**names: str) -> Change:
    """Tied tensors under their other names, too; a dot is written as two underscores."""

    def change(weights: Weights) -> Weights:
        copies = {
            second.replace("__", "."): weights[first.replace("__", ".")].clone()
            for second, first in names.items()
        }
        return weights | copies

    return change


def buffers(weights: Weights) -> Weights:
    """What older releases saved although it is not learned."""
    triangle = torch.ones(1, 1, 40, 40, dtype=torch.uint8).tril()
    return weights | {
        "transformer.h.0.attn.bias": triangle,
        "transformer.h.0.attn.masked_bias": torch.tensor(-1e4),
    }


def positions(weights: Weights) -> Weights:
    return weights | {"bert.embeddings.position_ids": torch.arange(40)[None]}


def waves(weights: Weights) -> Weights:
    tables = {f"model.{side}.embed_positions.weight" for side in ("encoder", "decoder")}
    return weights | {name: torch.zeros(40, 16) for name in tables}


def frequencies(weights: Weights) -> Weights:
    return weights | {"model.layers.0.self_attn.rotary_emb.inv_freq": torch.ones(2)}


def bare(prefix: str) -> Change:
    """The body alone: its names have no prefix, and what is not the body's is not there."""

    def change(weights: Weights) -> Weights:
        return {
            name.removeprefix(prefix): tensor
            for name, tensor in weights.items()
            if name.startswith(prefix)
        }

    return change


BERT_TWICE = twice(
    cls__predictions__decoder__weight="bert__embeddings__word_embeddings__weight",
    cls__predictions__decoder__bias="cls__predictions__bias",
)
T5_TWICE = twice(
    encoder__embed_tokens__weight="shared__weight",
    decoder__embed_tokens__weight="shared__weight",
    lm_head__weight="shared__weight",
)
BART_TWICE = twice(
    model__encoder__embed_tokens__weight="model__shared__weight",
    model__decoder__embed_tokens__weight="model__shared__weight",
    lm_head__weight="model__shared__weight",
)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("BERT", tensorflow_names),
        ("BERT", positions),
        ("BERT", BERT_TWICE),
        (
            "RoBERTa",
            twice(
                lm_head__decoder__weight="roberta__embeddings__word_embeddings__weight",
                lm_head__decoder__bias="lm_head__bias",
            ),
        ),
        (
            "DistilBERT",
            twice(vocab_projector__weight="distilbert__embeddings__word_embeddings__weight"),
        ),
        (
            "ALBERT",
            twice(
                predictions__decoder__weight="albert__embeddings__word_embeddings__weight",
                predictions__decoder__bias="predictions__bias",
            ),
        ),
        ("GPT-2", twice(lm_head__weight="transformer__wte__weight")),
        ("GPT-2", buffers),
        ("GPT-2", bare("transformer.")),
        ("Llama, tied, biased", twice(lm_head__weight="model__embed_tokens__weight")),
        ("Llama, tied, biased", bare("model.")),
        ("Llama", frequencies),
        ("T5 1.0", T5_TWICE),
        ("BART", BART_TWICE),
        ("Marian", BART_TWICE),
        ("Marian", waves),
    ],
)
def test_it_is_the_same_model(
    name: str, change: Change, changed: Callable[..., Path], specimen: Specimen
) -> None:
    ours = pellucid.load(changed(name, change))
    assert torch.equal(answer(ours), answer(pellucid.load(specimen(name))))


@pytest.mark.parametrize(
    ("name", "change", "first", "second"),
    [
        ("GPT-2", "lm_head.weight", "transformer.wte.weight", "lm_head.weight"),
        ("BERT", "cls.predictions.decoder.weight", "bert.embeddings.word_embeddings.weight", ""),
        ("Llama, tied, biased", "lm_head.weight", "model.embed_tokens.weight", ""),
        ("BART", "model.encoder.embed_tokens.weight", "model.shared.weight", ""),
        ("T5 1.0", "lm_head.weight", "shared.weight", ""),
    ],
)
def test_tied_tensors_that_differ_are_refused(
    name: str, change: str, first: str, second: str, changed: Callable[..., Path]
) -> None:
    def other(weights: Weights) -> Weights:
        return weights | {change: weights[first] + 1}

    with pytest.raises(PellucidError) as error:
        pellucid.load(changed(name, other))
    said = f"{first} and {second or change} differ, but config.json says that they are tied."
    assert str(error.value) == said


def test_a_bare_bart_answers_without_a_bias(changed: Callable[..., Path]) -> None:
    """As facebook/bart-base is: a body, used with its tied head by everybody."""
    folder = changed("BART", bare("model."), architectures=["BartModel"])
    ours = pellucid.load(folder)
    assert ours.config.head_bias == "none"
    with quiet(transformers):
        theirs = transformers.BartForConditionalGeneration.from_pretrained(folder).eval()
    assert apart(answer(ours), their_answer(theirs)) <= 1e-6


@pytest.mark.parametrize(("tied", "scaled"), [(False, None), (True, False)])
def test_t5_with_a_table_of_its_own(
    tied: bool, scaled: bool | None, changed: Callable[..., Path]
) -> None:
    """As 1.1 is published, and as release 5 of `transformers` saves it again: it says "tied"."""
    torch.manual_seed(3)
    table = {"lm_head.weight": torch.randn(60, 16)}
    said = {"tie_word_embeddings": tied, "scale_decoder_outputs": scaled}
    folder = changed("T5 1.1", lambda weights: weights | table, **said)
    ours = pellucid.load(folder)
    assert (ours.config.tied, ours.config.head_scaling) == ("none", "none")
    with quiet(transformers):
        theirs = transformers.T5ForConditionalGeneration.from_pretrained(folder).eval()
    assert apart(answer(ours), their_answer(theirs)) <= 1e-6


def test_a_t5_encoder_that_was_cut_out_of_a_whole_model(
    changed: Callable[..., Path], specimen: Specimen
) -> None:
    """As it is published for making pictures: config.json still speaks of a decoder."""
    table = twice(encoder__embed_tokens__weight="shared__weight")
    ours = pellucid.load(changed("T5, encoder", table, is_encoder_decoder=True))
    assert ours.config.shape == "encoder"
    assert torch.equal(answer(ours), answer(pellucid.load(specimen("T5, encoder"))))


def test_a_body_whose_own_head_is_missing_says_so(changed: Callable[..., Path]) -> None:
    with pytest.raises(PellucidError, match=r"The weights lack lm_head.weight"):
        pellucid.load(changed("Llama", bare("model.")))
