"""Every setting that `transformers` knows is followed, refused, or changes no number.

The table in models_settings.py says which. A setting in none of its columns, or in a wrong one, is
an error: those followed change our configuration, those refused are named in the error, and those
said to be harmless change nothing in the numbers of `transformers` itself.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from models_answers import answer, apart, called, their_answer
from models_settings import ALL, TABLE, TOGETHER

import pellucid
from pellucid import PellucidError
from pellucid.checks.theirs import quiet
from pellucid.models.checkpoint import family_of
from pellucid.models.families import FAMILIES

Specimen = Callable[[str], Path]
Settings = dict[str, Any]


@pytest.fixture
def told(specimen: Specimen, tmp_path: Path) -> Callable[..., Path]:
    """A function from a specimen and settings to the same weights with these settings."""

    def tell(name: str, **settings: Any) -> Path:
        folder = shutil.copytree(specimen(name), tmp_path / "told", dirs_exist_ok=True)
        changed = settings_of(folder) | settings
        (folder / "config.json").write_text(json.dumps(changed))
        return folder

    return tell


def settings_of(folder: Path) -> Settings:
    found: Settings = json.loads((folder / "config.json").read_text())
    return found


def cases(column: str) -> list[Any]:
    return [
        pytest.param(family, name, id=f"{family} {name}")
        for family, columns in TABLE.items()
        for name in getattr(columns, column)
    ]


@pytest.mark.parametrize("family", TABLE)
def test_every_setting_is_in_one_column(family: str) -> None:
    columns = TABLE[family]
    names = [*columns.followed, *columns.refused, *columns.harmless, *ALL]
    assert len(names) == len(set(names))
    theirs = transformers.AutoConfig.for_model(family).to_dict()
    assert set(names) == set(theirs) - {"model_type"}


@pytest.mark.parametrize("family", TABLE)
def test_where_config_json_is_silent_all_is_as_transformers_takes_it(family: str) -> None:
    theirs = transformers.AutoConfig.for_model(family)
    for setting in FAMILIES[family].settings:
        default = setting.default
        if isinstance(default, str | float) or (isinstance(default, int) and default):
            assert getattr(theirs, setting.theirs, default) == default, setting.theirs


@pytest.mark.parametrize(("family", "name"), cases("followed"))
def test_what_is_followed_changes_our_configuration(
    family: str, name: str, specimen: Specimen
) -> None:
    settings, value = settings_of(specimen(TABLE[family].specimen)), TABLE[family].followed[name]
    changed = settings | {name: value} | TOGETHER.get(name, {})
    read = family_of(settings).config
    assert settings.get(name) != value
    assert read(settings, {}) != read(changed, {})


@pytest.mark.parametrize(("family", "name"), cases("refused"))
def test_what_is_refused_is_named(family: str, name: str, told: Callable[..., Path]) -> None:
    value = TABLE[family].refused[name]
    with pytest.raises(PellucidError) as error:
        pellucid.load(told(TABLE[family].specimen, **{name: value}))
    assert f"{name} = {value!r}; followed is only" in str(error.value)


# What older releases and other architectures say, and their own classes do not know any more.
UNKNOWN = [
    ("BERT", "position_embedding_type", "relative_key"),
    ("BERT", "quantization_config", {"quant_method": "fp8"}),
    ("BERT", "hidden_act", "mish"),
    ("BERT", "tie_word_embeddings", False),
    ("RoBERTa", "position_embedding_type", "relative_key_query"),
    ("ALBERT", "position_embedding_type", "relative_key"),
    ("GPT-2", "activation_function", "quick_gelu"),
    ("Llama", "sliding_window", 4096),
    ("Llama", "partial_rotary_factor", 0.5),
    ("T5 1.0", "feed_forward_proj", "gated-mish"),
    ("BART", "normalize_before", True),
    ("BART", "normalize_embedding", False),
    ("BART", "static_position_embeddings", True),
    ("BART", "add_final_layer_norm", True),
    ("BART", "add_bias_logits", True),
    ("Marian", "normalize_before", True),
    ("Marian", "normalize_embedding", True),
    ("Marian", "static_position_embeddings", False),
]


@pytest.mark.parametrize(("name", "setting", "value"), UNKNOWN)
def test_what_others_say_is_refused(
    name: str, setting: str, value: object, told: Callable[..., Path]
) -> None:
    with pytest.raises(PellucidError) as error:
        pellucid.load(told(name, **{setting: value}))
    assert f"config.json says {setting} = {value!r}" in str(error.value)


@pytest.mark.parametrize("key", ["rope_scaling", "rope_parameters"])
@pytest.mark.parametrize("kind", ["yarn", "dynamic", "longrope", "unheard-of"])
def test_rotations_that_we_do_not_know(kind: str, key: str, told: Callable[..., Path]) -> None:
    rope = {"rope_type": kind, "factor": 2.0, "rope_theta": 10000.0}
    with pytest.raises(PellucidError, match=f"rope_type = '{kind}'; known are default, linear"):
        pellucid.load(told("Llama", **{key: rope}))


def test_part_of_a_head_that_turns_is_refused_wherever_it_is_said(
    told: Callable[..., Path],
) -> None:
    rope = {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5}
    with pytest.raises(PellucidError, match=r"partial_rotary_factor = 0.5; followed is only"):
        pellucid.load(told("Llama", rope_parameters=rope))


def their_numbers(folder: Path) -> torch.Tensor:
    with quiet(transformers):
        return their_answer(getattr(transformers, called(folder)).from_pretrained(folder).eval())


@pytest.mark.parametrize("family", TABLE)
def test_what_is_harmless_changes_no_number_of_theirs(
    family: str, specimen: Specimen, told: Callable[..., Path]
) -> None:
    columns = TABLE[family]
    harmless = {name: value for name, (value, _) in columns.harmless.items()}
    before, folder = specimen(columns.specimen), told(columns.specimen, **harmless)
    assert apart(their_numbers(folder), their_numbers(before)) <= 1e-6
    assert torch.equal(answer(pellucid.load(folder)), answer(pellucid.load(before)))


@pytest.mark.parametrize("name", ["BERT, classes", "BERT"])
def test_nor_does_what_is_harmless_everywhere(
    name: str, specimen: Specimen, told: Callable[..., Path]
) -> None:
    telling = ("architectures", "dtype")  # to them; to us only where the weights do not tell
    harmless = {name: value for name, (value, _) in ALL.items() if name not in telling}
    before, folder = specimen(name), told(name, **harmless)
    assert apart(their_numbers(folder), their_numbers(before)) <= 1e-6
    assert torch.equal(answer(pellucid.load(folder)), answer(pellucid.load(before)))
    changed = told(name, **{name: ALL[name][0] for name in telling})
    assert torch.equal(answer(pellucid.load(changed)), answer(pellucid.load(before)))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"model_type": "mamba"}, "model_type = 'mamba'; known are bert, roberta, "),
        ({"model_type": "gpt_2"}, "The nearest is gpt2."),
        ({"model_type": None}, "model_type = "),
        ({"num_hidden_layers": -3}, "layers is -3; expected is a whole number, 0 or more."),
        ({"num_hidden_layers": None}, "config.json lacks 'num_hidden_layers'"),
        ({"num_attention_heads": 3}, "The width 16 cannot be cut into 3 equal heads."),
        ({"hidden_act": ["gelu"]}, "config.json has a setting of the wrong kind"),
        ({"vocab_size": 61}, "The weights contradict config.json: embeddings.word_embeddings"),
    ],
)
def test_settings_that_make_no_sense(
    settings: Settings, said: str, told: Callable[..., Path]
) -> None:
    with pytest.raises(PellucidError) as error:
        pellucid.load(told("BERT, body", **settings))
    assert said in str(error.value)
