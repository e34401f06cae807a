"""Every number that transformers can be made to show is ours, in every family."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file

from pellucid.checks.against import against, against_transformers
from pellucid.checks.rows import TOLERANCE, Rows
from pellucid.checks.specimens import SPECIMENS
from pellucid.checks.theirs import Theirs
from pellucid.models.checkpoint import load_without_tokenizer

Specimen = Callable[[str], Path]

SETTINGS = {"alone", "in a batch", "padded on the right"}
LAYER = "input output query key value q k v weights mixed merged norm.input norm.output".split()
WIDE = "input hidden activated output norm.input norm.output".split()
LAYERS = {"attention": LAYER, "feedforward": WIDE}
CROSS = {"cross": [*LAYER, "memory"]}
STACKS = {
    "encoder": {"encoder": LAYERS},
    "decoder": {"decoder": LAYERS},
    "encoder-decoder": {"encoder": LAYERS, "decoder": LAYERS | CROSS},
}
ANSWERS = {
    "BERT": {"head.logits", "next.logits", "pooler.dense"},
    "BERT, body": {"pooler.output", "encoder.output"},
    "BERT, classes": {"classes.logits", "pooler.first"},
    "DistilBERT, tokens": {"classes.logits"},
    "ALBERT": {"head.logits", "next.logits", "pooler.dense"},
    "GPT-2": {"head.logits", "decoder.norm.output"},
    "GPT-2, classes": {"classes.logits"},
    "Llama": {"head.logits", "decoder.1.feedforward.gate"},
    "T5 1.0": {"head.scaled", "encoder.positions.bias", "decoder.2.attention.bias"},
    "T5 1.1": {"head.logits", "decoder.0.feedforward.gate"},
    "T5, classes": {"classes.logits", "classes.dense", "classes.taken"},
    "BART, classes": {"classes.logits", "classes.dense", "classes.taken"},
    "BART, scaled": {"source.embed.scaled", "head.logits"},
    "Marian, two vocabularies": {"source.embed.words", "target.embed.words"},
}


def expected(shape: str) -> set[str]:
    """The kinds of numbers that must be among those compared."""
    return {
        f"{stack}.*.{part}.{name}"
        for stack, parts in STACKS[shape].items()
        for part, names in parts.items()
        for name in names
    }


def equal(rows: Rows) -> None:
    assert rows
    assert not rows.failed, f"\n{rows.failed.listed()}"


@pytest.mark.parametrize("name", SPECIMENS)
def test_every_number_of_every_family_is_theirs(name: str, specimen: Specimen) -> None:
    rows = against_transformers(specimen(name))
    equal(rows)
    config = load_without_tokenizer(specimen(name)).config
    kinds, names = {row.kind for row in rows}, {row.name for row in rows}
    assert expected(config.shape) <= kinds
    assert {f"{stack}.0.output" for stack in STACKS[config.shape]} <= names
    assert ANSWERS.get(name, set()) <= names
    assert {row.tolerance for row in rows} == {TOLERANCE}


def test_all_is_compared_alone_in_a_batch_and_padded_on_either_side(specimen: Specimen) -> None:
    followed = against_transformers(specimen("T5 1.0")).by("check")
    assert set(followed) == SETTINGS | {"padded on the left"}
    unpadded = against_transformers(specimen("GPT-2")).by("check")
    assert set(unpadded) == SETTINGS | {"padded on the left, theirs alone"}
    assert len({len(rows) for rows in unpadded.values()}) == 1


def test_a_real_bert(minilm: Path) -> None:
    equal(against_transformers(minilm))


def test_a_real_bart(shared: Path) -> None:
    equal(against_transformers(shared / "data" / "weights-bart-g2p-us"))


def test_another_seed_draws_other_sentences(specimen: Specimen) -> None:
    one, other = (against_transformers(specimen("BERT, body"), seed) for seed in (0, 1))
    equal(other)
    assert [row.difference for row in one] != [row.difference for row in other]


def altered(folder: Path, beside: Path, weight: str) -> Path:
    """A copy of a checkpoint with one number of one weight changed."""
    shutil.copytree(folder, beside)
    weights = load_file(beside / "model.safetensors")
    weights[weight].view(-1)[5] += 0.01
    save_file(weights, beside / "model.safetensors", metadata={"format": "pt"})
    return beside


@pytest.mark.parametrize(
    ("name", "weight", "first"),
    [
        ("BERT, body", "encoder.layer.1.attention.self.key.weight", "encoder.1.attention.key"),
        ("GPT-2", "transformer.h.2.mlp.c_fc.bias", "decoder.2.feedforward.hidden"),
        (
            "T5 1.0",
            "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
            "encoder.positions.bias",
        ),
        ("BART", "model.decoder.layers.0.encoder_attn.v_proj.weight", "decoder.0.cross.value"),
        ("Llama", "model.norm.weight", "decoder.norm.output"),
    ],
)
def test_one_changed_weight_is_found_where_it_is(
    name: str, weight: str, first: str, specimen: Specimen, tmp_path: Path
) -> None:
    model = load_without_tokenizer(specimen(name))
    theirs = Theirs(altered(specimen(name), tmp_path / "other", weight), model)
    assert against(model, theirs).failed[0].name == first


def test_the_wrong_layout_of_rotations_is_found(specimen: Specimen) -> None:
    model = load_without_tokenizer(specimen("Llama"))
    for block in model.decoder.layers:
        block.attention.rotary.layout = "interleaved"
    found = against(model, Theirs(specimen("Llama"), model)).failed
    assert found[0].name == "decoder.0.attention.q"
    assert "decoder.0.attention.query" not in {row.name for row in found}
