"""What we write, others read: the same layout, the same numbers, nothing missing or left over."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import zoo
from models_answers import answer, apart, called, their_answer, theirs
from safetensors.torch import load_file

import pellucid
from pellucid import Config, PellucidError
from pellucid.checks.specimens import SPECIMENS
from pellucid.models.checkpoint import SHAPES
from pellucid.models.model import Model
from pellucid.models.saving import differences

Specimen = Callable[[str], Path]

each_specimen = pytest.mark.parametrize("name", SPECIMENS)


def equal(one: Model, other: Model) -> bool:
    """Whether two models are the same to the bit."""
    ours, theirs = one.state(), other.state()
    assert not differences(one.config, other.config)
    assert ours.keys() == theirs.keys()
    return all(ours[name].dtype == theirs[name].dtype for name in ours) and all(
        torch.equal(ours[name], theirs[name]) for name in ours
    )


@each_specimen
def test_transformers_reads_what_we_write(name: str, specimen: Specimen, tmp_path: Path) -> None:
    model = pellucid.load(specimen(name))
    saved = model.save(tmp_path / "saved")
    before, after = their_answer(theirs(specimen(name))), their_answer(theirs(saved))
    assert torch.equal(before, after)
    assert apart(answer(model), after) <= 1e-6
    assert called(saved) == SPECIMENS[name][0]


@each_specimen
def test_loaded_again_it_is_the_same_to_the_bit(
    name: str, specimen: Specimen, tmp_path: Path
) -> None:
    model = pellucid.load(specimen(name))
    again = pellucid.load(model.save(tmp_path / "one"))
    assert equal(model, again)
    assert torch.equal(answer(model), answer(again))
    again.save(tmp_path / "two")
    for file in ("config.json", "model.safetensors"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_the_precision_is_kept(specimen: Specimen, tmp_path: Path) -> None:
    model = pellucid.load(specimen("Llama"), dtype=torch.bfloat16)
    saved = model.save(tmp_path / "half")
    assert json.loads((saved / "config.json").read_text())["dtype"] == "bfloat16"
    assert equal(model, pellucid.load(saved, dtype=torch.bfloat16))
    assert theirs(saved).dtype == torch.bfloat16


BERT = zoo.ENCODER | {"family": "bert", "place": "post", "final_norm": "none", "segments": 2}
BERT |= {"embedding_norm": "layer", "vocabulary": 60}
POOLED = {"pooler": "first"}
MASKED = {"head": "masked", "head_bias": "words"}
GPT2 = zoo.DECODER | {"family": "gpt2", "vocabulary": 60}
BART = zoo.BOTH | {"family": "bart", "place": "post", "final_norm": "none", "vocabulary": 60}
BART |= {"embedding_norm": "layer", "position_offset": 2}
MARIAN = BART | {"family": "marian", "embedding_norm": "none", "position_offset": 0}
MARIAN |= {"positions": "sinusoidal", "wave_layout": "half-split"}
T5 = zoo.BOTH | zoo.T5 | {"family": "t5", "embedding_scaling": "none", "final_norm": "rms"}
T5 |= {"buckets": 8, "farthest": 10, "vocabulary": 60, "longest": 0}
T5_ENCODER = T5 | {"family": "t5-encoder", "shape": "encoder", "head": "none"}
LLAMA = zoo.DECODER | zoo.LLAMA | {"family": "llama", "final_norm": "rms", "vocabulary": 60}

OURS: dict[str, tuple[str, dict[str, Any]]] = {
    "bert": ("BertModel", BERT | POOLED),
    "bert, masked words": ("BertForMaskedLM", BERT | MASKED),
    "bert, sentences": (
        "BertForPreTraining",
        BERT | MASKED | POOLED | {"next_sentence": "pooled"},
    ),
    "bert, classes": ("BertForSequenceClassification", BERT | POOLED | {"classes": 3}),
    "bert, tokens": ("BertForTokenClassification", BERT | {"classes": 3, "classify": "token"}),
    "roberta": (
        "RobertaForMaskedLM",
        BERT | MASKED | {"family": "roberta", "position_offset": 2, "segments": 1},
    ),
    "distilbert": (
        "DistilBertForMaskedLM",
        BERT | MASKED | {"family": "distilbert", "segments": 0, "epsilon": 1e-12},
    ),
    "albert": (
        "AlbertForMaskedLM",
        BERT | MASKED | {"family": "albert", "embedding_width": 8, "layer_weights": "shared"},
    ),
    "albert, as wide": (
        "AlbertModel",
        BERT | POOLED | {"family": "albert", "embedding_width": 16, "layer_weights": "shared"},
    ),
    "gpt2": ("GPT2LMHeadModel", GPT2 | {"activation": "gelu_tanh"}),
    "gpt2, untied": ("GPT2LMHeadModel", GPT2 | {"tied": "none"}),
    "llama": ("LlamaForCausalLM", LLAMA),
    "llama, tied": ("LlamaForCausalLM", LLAMA | {"tied": "embedding", "key_heads": 0}),
    "llama, longer": ("LlamaForCausalLM", LLAMA | {"rotary_scaling": (4.0,)}),
    "t5": ("T5ForConditionalGeneration", T5 | {"head_scaling": "root"}),
    "t5, gated, untied": (
        "T5ForConditionalGeneration",
        T5 | {"gate": "gated", "activation": "gelu_tanh", "tied": "none"},
    ),
    "t5, encoder": ("T5EncoderModel", T5_ENCODER),
    "t5, tokens": ("T5ForTokenClassification", T5_ENCODER | {"classes": 3, "classify": "token"}),
    "bart": ("BartForConditionalGeneration", BART | {"decoder_layers": 3, "head_bias": "words"}),
    "bart, unbiased": ("BartForConditionalGeneration", BART | {"decoder_layers": 1}),
    "marian": ("MarianMTModel", MARIAN | {"decoder_layers": 2, "embedding_scaling": "root"}),
    "marian, own words": (
        "MarianMTModel",
        MARIAN | {"decoder_layers": 2, "source_words": "own", "source_vocabulary": 70},
    ),
}


def make(choices: dict[str, Any]) -> Model:
    config = Config(**choices)
    model = SHAPES[config.shape](config)
    zoo.randomise(model)
    return model.eval()


@pytest.mark.parametrize("name", OURS)
def test_a_model_of_our_own_in_a_familys_layout(name: str, tmp_path: Path) -> None:
    kind, choices = OURS[name]
    model = make(choices)
    saved = model.save(tmp_path / "saved")
    assert apart(answer(model), their_answer(theirs(saved, kind))) <= 1e-6
    assert equal(model, pellucid.load(saved))


@pytest.mark.parametrize(
    ("choices", "reason"),
    [
        (GPT2 | {"norm": "rms"}, "norm would be 'layer', not 'rms'"),
        (GPT2 | {"activation": "silu", "positions": "rotary"}, "positions would be 'learned'"),
        (BERT | {"place": "pre"}, "place would be 'post'"),
        (BERT | {"segments": 0}, "type_vocab_size cannot be 0"),
        (BERT | {"inner": 0}, "intermediate_size cannot be 0"),
        (BERT | {"norm": "batch"}, "no place for encoder.layers.0.attention.norm.running_mean"),
        (BERT | {"head": "language"}, "head would be 'none'"),
        (BERT | {"shape": "decoder"}, "no place for decoder"),
        (BERT | {"family": "albert", "layer_weights": "shared"}, "embedding_size cannot be 0"),
        (BERT | {"positions": "alibi"}, "positions would be 'learned'"),
        (LLAMA | {"rotary_layout": "interleaved"}, "rotary_layout would be 'half-split'"),
        (LLAMA | {"rotary_scaling": (2.0, 3.0)}, "no rope_type has 2 numbers"),
        (T5 | {"activation": "gelu"}, "feed_forward_proj has no word for ('gelu', 'none')"),
        (T5 | {"scaling": "root"}, "scaling would be 'none'"),
        (T5 | {"decoder_layers": 1, "embedding_scaling": "root"}, "embedding_scaling"),
        (BART | {"position_offset": 0, "decoder_layers": 2}, "position_offset would be 2"),
        (MARIAN | {"wave_layout": "interleaved", "decoder_layers": 2}, "wave_layout"),
    ],
)
def test_a_model_that_does_not_fit_says_so(
    choices: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    model = make(choices)
    with pytest.raises(PellucidError, match="that others could read") as error:
        model.save(tmp_path / "saved")
    assert reason in str(error.value)
    assert "family='pellucid'" in str(error.value)
    assert not list(tmp_path.iterdir())
    model.config = replace(model.config, family="pellucid")
    again = pellucid.load(model.save(tmp_path / "saved"))
    assert torch.equal(answer(model), answer(again))


@pytest.mark.parametrize("name", zoo.ZOO)
def test_our_own_layout_takes_every_model(name: str, tmp_path: Path) -> None:
    model = zoo.build(name)
    again = pellucid.load(model.save(tmp_path / "saved"))
    assert equal(model, again)
    here, there = (each.see(*zoo.texts(model)) for each in (model, again))
    assert here.names() == there.names()
    assert all(torch.equal(here[name], there[name]) for name in here.names("*.output"))


def test_names_of_columns_are_kept(tmp_path: Path) -> None:
    mouse = pellucid.load("mouse")
    assert pellucid.load(mouse.save(tmp_path / "mouse")).features == mouse.features != ()


@pytest.mark.parametrize("name", ["GPT-2", "BERT", "T5 1.0", "BART", "Llama, tied, biased"])
def test_what_is_tied_is_stored_once_and_tied_again(
    name: str, specimen: Specimen, tmp_path: Path
) -> None:
    saved = pellucid.load(specimen(name)).save(tmp_path / "saved")
    model = pellucid.load(saved)
    entrance = model.target if len(model.streams) > 1 else model.entrance
    assert model.heads.head.words.weight is entrance.embed.words.weight
    stored = load_file(saved / "model.safetensors").values()
    assert sum(tensor.shape == model.heads.head.words.weight.shape for tensor in stored) == 1
