"""What is derived is what transformers computes when it is asked for everything."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import AutoModel, GPT2LMHeadModel

from pellucid import Trace

NEAR = {"rtol": 1e-5, "atol": 1e-5}


class Oracle:
    """A transformers model with plain attention, and what each of its modules gave."""

    def __init__(self, model: torch.nn.Module, trace: Trace) -> None:
        self.given: dict[str, Tensor] = {}
        for name, module in model.named_modules():
            module.register_forward_hook(self._hear(name))
        with torch.no_grad():
            self.out: Any = model.eval()(
                trace["tokens.ids"], output_attentions=True, output_hidden_states=True
            )

    def _hear(self, name: str) -> Any:
        def hear(_module: object, _inputs: object, output: Any) -> None:
            self.given[name] = output[0] if isinstance(output, tuple) else output

        return hear


@pytest.fixture(scope="module")
def bert(minilm: Path, encoded: Trace) -> Oracle:
    return Oracle(AutoModel.from_pretrained(minilm, attn_implementation="eager"), encoded)


@pytest.fixture(scope="module")
def gpt(gpt2: Path, decoded: Trace) -> Oracle:
    return Oracle(GPT2LMHeadModel.from_pretrained(gpt2, attn_implementation="eager"), decoded)


def close(trace: Trace, expected: dict[str, Tensor]) -> None:
    for name, value in expected.items():
        torch.testing.assert_close(trace[name], value, **NEAR, msg=lambda m, n=name: f"{n}: {m}")


def heads(x: Tensor, count: int) -> Tensor:
    return x.unflatten(-1, (count, -1)).transpose(1, 2)


def test_berts_embedding(bert: Oracle, encoded: Trace) -> None:
    kinds = {"words": "word", "positions": "position", "segments": "token_type"}
    parts = {
        f"embed.{ours}": bert.given[f"embeddings.{theirs}_embeddings"].expand_as(
            encoded["embed.sum"]
        )
        for ours, theirs in kinds.items()
    }
    for name, value in parts.items():
        torch.testing.assert_close(encoded[name].expand_as(value), value, **NEAR)
    close(encoded, {"embed.sum": sum(parts.values()), "embed.output": bert.out.hidden_states[0]})


@pytest.mark.parametrize("layer", range(6))
def test_berts_layers(bert: Oracle, encoded: Trace, layer: int) -> None:
    ours, theirs = f"encoder.{layer}", f"encoder.layer.{layer}"
    expected = {
        f"{ours}.output": bert.out.hidden_states[layer + 1],
        f"{ours}.attention.weights": bert.out.attentions[layer],
        f"{ours}.attention.output": bert.given[f"{theirs}.attention.output.dense"],
        f"{ours}.attention.norm.output": bert.given[f"{theirs}.attention.output.LayerNorm"],
        f"{ours}.attention.merged": bert.given[f"{theirs}.attention.self"],
        f"{ours}.feedforward.activated": bert.given[f"{theirs}.intermediate"],
        f"{ours}.feedforward.output": bert.given[f"{theirs}.output.dense"],
    }
    for letter, name in (("q", "query"), ("k", "key"), ("v", "value")):
        value = bert.given[f"{theirs}.attention.self.{name}"]
        expected[f"{ours}.attention.{letter}"] = heads(value, 12)
    q, k = expected[f"{ours}.attention.q"], expected[f"{ours}.attention.k"]
    expected[f"{ours}.attention.scaled"] = q @ k.mT / 32**0.5
    close(encoded, expected)


def test_berts_end(bert: Oracle, encoded: Trace) -> None:
    close(encoded, {"encoder.output": bert.out.last_hidden_state})
    close(encoded, {"pooler.output": bert.out.pooler_output})


@pytest.mark.parametrize("layer", range(3))
def test_gpts_layers(gpt: Oracle, decoded: Trace, layer: int) -> None:
    ours, theirs = f"decoder.{layer}", f"transformer.h.{layer}"
    expected = {
        f"{ours}.attention.stream": gpt.out.hidden_states[layer],
        f"{ours}.attention.input": gpt.given[f"{theirs}.ln_1"],
        f"{ours}.attention.weights": gpt.out.attentions[layer],
        f"{ours}.attention.output": gpt.given[f"{theirs}.attn.c_proj"],
        f"{ours}.feedforward.input": gpt.given[f"{theirs}.ln_2"],
        f"{ours}.feedforward.hidden": gpt.given[f"{theirs}.mlp.c_fc"],
        f"{ours}.feedforward.output": gpt.given[f"{theirs}.mlp"],
        f"{ours}.output": gpt.given[theirs],
    }
    parts = gpt.given[f"{theirs}.attn.c_attn"].chunk(3, dim=-1)
    expected |= {f"{ours}.attention.{n}": heads(x, 4) for n, x in zip("qkv", parts, strict=True)}
    close(decoded, expected)


def test_gpts_end(gpt: Oracle, decoded: Trace) -> None:
    logits = gpt.out.logits
    close(decoded, {"decoder.output": gpt.out.hidden_states[-1], "head.logits": logits})
    close(decoded, {"head.probabilities": logits.softmax(-1)})


def test_weights_are_shares_of_what_may_be_seen(decoded: Trace) -> None:
    for name in decoded.names("*.attention.weights"):
        weights = decoded[name]
        torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]))
        assert not weights.triu(1).any()
