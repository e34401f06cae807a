"""BERT's and GPT-2's layout: the very numbers of transformers."""

import copy
from pathlib import Path

import pytest
import torch
import zoo
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import AutoModel, BertConfig, BertModel, GPT2LMHeadModel, GPT2Model

import pellucid
from pellucid import Model

SEEDS = range(3)
NEAR = {"rtol": 1e-5, "atol": 1e-5}


def batch(vocabulary: int, seed: int) -> tuple[Tensor, Tensor]:
    """Random ids, and a mask that pads on one side, the other, or not at all."""
    random = torch.Generator().manual_seed(seed)
    ids = torch.randint(0, vocabulary, (3, 9), generator=random)
    real = torch.ones(3, 9, dtype=torch.bool)
    real[1, {0: slice(5, 9), 1: slice(0, 4), 2: slice(0)}[seed]] = False
    return ids, real


def places(real: Tensor) -> Tensor:
    """What transformers must be told, and we know."""
    return (real.long().cumsum(-1) - 1).clamp(min=0)


def close(ours: Tensor, theirs: Tensor, real: Tensor) -> None:
    torch.testing.assert_close(ours[real], theirs[real], **NEAR)


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory, minilm: Path) -> Path:
    """A small BERT of random weights; what norms add and multiply is random too."""
    here = tmp_path_factory.mktemp("bert")
    sizes = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3}
    sizes |= {"intermediate_size": 40, "vocab_size": 30522, "max_position_embeddings": 32}
    model = BertModel(BertConfig(**sizes, hidden_act="relu", layer_norm_eps=1e-3))
    scatter(model)
    model.save_pretrained(here)
    (here / "vocab.txt").write_bytes((minilm / "vocab.txt").read_bytes())
    return here


def scatter(model: torch.nn.Module) -> None:
    random = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=random), alpha=0.2)


@pytest.fixture(scope="module")
def scattered(gpt2: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """GPT-2 with random norms."""
    here = tmp_path_factory.mktemp("scattered")
    model = GPT2LMHeadModel.from_pretrained(gpt2)
    scatter(model)
    model.save_pretrained(here)
    for name in ("vocab.json", "merges.txt"):
        (here / name).write_bytes((gpt2 / name).read_bytes())
    return here


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kernel", ["eager", "sdpa"])
@pytest.mark.parametrize("which", ["minilm", "bert"])
@torch.no_grad()
def test_bert_is_transformers_own(
    which: str, kernel: str, seed: int, request: pytest.FixtureRequest
) -> None:
    folder = request.getfixturevalue(which)
    theirs = AutoModel.from_pretrained(folder, attn_implementation=kernel).eval()
    ids, real = batch(30522, seed)
    segments = ids % 2
    found = pellucid.load(folder)(ids, mask=real, segments=segments)
    expected = theirs(
        ids,
        attention_mask=real.long(),
        token_type_ids=segments,
        position_ids=places(real),
    )
    close(found.hidden, expected.last_hidden_state, real)
    close(found.pooled, expected.pooler_output, real[:, 0])  # theirs pools padding on the left


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kernel", ["eager", "sdpa"])
@pytest.mark.parametrize("which", ["gpt2", "scattered"])
@torch.no_grad()
def test_gpt2_is_transformers_own(
    which: str, kernel: str, seed: int, request: pytest.FixtureRequest
) -> None:
    folder = request.getfixturevalue(which)
    theirs = GPT2LMHeadModel.from_pretrained(folder, attn_implementation=kernel).eval()
    ids, real = batch(50257, seed)
    found = pellucid.load(folder)(ids, mask=real)
    expected = theirs(
        ids, attention_mask=real.long(), position_ids=places(real), output_hidden_states=True
    )
    close(found.hidden, expected.hidden_states[-1], real)
    close(found.logits, expected.logits, real)


@torch.no_grad()
def test_names_with_and_without_the_models_prefix(bert: Path, gpt2: Path, tmp_path: Path) -> None:
    ids = torch.tensor([[5, 8, 13, 21]])
    for folder, prefix in ((bert, "bert."), (gpt2, "transformer.")):
        other = tmp_path / prefix
        other.mkdir()
        for path in folder.iterdir():
            (other / path.name).write_bytes(path.read_bytes())
        weights = load_file(folder / "model.safetensors")
        bare = {name.removeprefix(prefix): tensor for name, tensor in weights.items()}
        had = any(name.startswith(prefix) for name in weights)
        renamed = bare if had else {prefix + name: tensor for name, tensor in bare.items()}
        save_file(renamed, other / "model.safetensors")
        hidden = [pellucid.load(each)(ids).hidden for each in (folder, other)]
        assert hidden[0].equal(hidden[1])


def test_a_body_without_its_head_can_be_read(gpt2: Path, tmp_path: Path) -> None:
    """GPT2Model writes no prefix; its table is the head's as well."""
    GPT2Model.from_pretrained(gpt2).save_pretrained(tmp_path)
    for name in ("vocab.json", "merges.txt"):
        (tmp_path / name).write_bytes((gpt2 / name).read_bytes())
    ids = torch.tensor([[5, 8, 13, 21]])
    with torch.no_grad():
        assert pellucid.load(tmp_path)(ids).logits.equal(pellucid.load(gpt2)(ids).logits)


def tables(model: Model) -> list[Tensor]:
    return [model.entrance.embed.words.weight, model.heads.head.words.weight]


def tied(model: Model) -> bool:
    one, other = tables(model)
    return one is other and one.data_ptr() == other.data_ptr()


def test_tied_weights_stay_tied(gpt2: Path) -> None:
    model = pellucid.load(gpt2)
    assert tied(model)
    assert tied(copy.deepcopy(model))
    assert copy.deepcopy(model).entrance.embed.words.weight is not tables(model)[0]
    assert tied(model.to(torch.float64))
    assert tied(model.to(torch.bfloat16))
    assert len([name for name, _ in model.named_parameters() if "words" in name]) == 1
    model.see("a")
    assert tied(model)


@pytest.mark.parametrize("name", ["both", "tied t5", "bart"])
def test_one_table_serves_source_target_and_head(name: str) -> None:
    for model in (zoo.build(name), copy.deepcopy(zoo.build(name)), zoo.build(name).double()):
        shared = [model.source.embed, model.target.embed, model.heads.head]
        assert len({part.words.weight.data_ptr() for part in shared}) == 1
        assert len([name for name in model.state() if name.endswith("words.weight")]) == 1


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_the_precision_is_the_one_asked_for(bert: Path, dtype: torch.dtype) -> None:
    model = pellucid.load(bert, dtype=dtype)
    assert {parameter.dtype for parameter in model.parameters()} == {dtype}
    assert model.see("a bank").about["dtype"] == str(dtype).removeprefix("torch.")


def test_the_activation_is_the_checkpoints(bert: Path, gpt2: Path, minilm: Path) -> None:
    found = [pellucid.load(folder).config.activation for folder in (bert, gpt2, minilm)]
    assert found == ["relu", "gelu_tanh", "gelu"]


def test_a_loaded_model_is_ready_to_use(bert: Path) -> None:
    model = pellucid.load(bert)
    assert not model.training
    assert model.name == bert.name
    assert (model.config.family, model.config.epsilon, model.config.heads) == ("bert", 1e-3, 3)
    assert not [name for name, tensor in model.state_dict().items() if tensor.is_meta]
