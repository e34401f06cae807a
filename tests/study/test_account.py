"""The parts of a vector sum to the vector, in every kind of model."""

import pytest
import torch
import zoo

from pellucid import Trace
from pellucid.study.account import Run, account
from pellucid.study.direct import direct

PLAIN = sorted(set(zoo.ZOO) - {"batch"})
WORDS = [name for name in PLAIN if zoo.ZOO[name].get("head", "none") != "none"]


def stream_and_stack(trace: Trace) -> tuple[str, str]:
    if "target" in trace.texts:
        return "target", "decoder"
    return "tokens", trace.about["config"]["shape"]


def relative(found: torch.Tensor, truth: torch.Tensor) -> float:
    return ((found - truth).norm() / truth.norm()).item()


@pytest.mark.parametrize("name", zoo.ZOO)
def test_parts_sum_to_the_vector(name: str) -> None:
    model = zoo.build(name)
    trace = model.see(*zoo.texts(model, 1))
    stream, stack = stream_and_stack(trace)
    found = account([Run(trace, 2, stream)], stack)
    assert relative(found.whole, trace[found.name][0, 2].double()) < 1e-5
    assert found.shares.sum().item() == pytest.approx(1)


@pytest.mark.parametrize("name", zoo.ZOO)
def test_parts_sum_to_the_difference_of_two_vectors(name: str) -> None:
    model = zoo.build(name)
    trace = model.see(*zoo.texts(model, 3))
    stream, stack = stream_and_stack(trace)
    runs = [Run(trace, 2, stream), Run(trace, 0, stream, -1.0, 1, sentence=2)]
    found = account(runs, stack)
    vectors = trace[found.name].double()
    assert relative(found.whole, vectors[0, 2] - vectors[2, 0]) < 1e-5


@pytest.mark.parametrize("name", ["post", "decoder", "llama", "albert", "bart", "rms post"])
def test_parts_sum_for_two_models_of_a_shape(name: str) -> None:
    model, other = zoo.build(name), zoo.build(name)
    zoo.randomise(other, seed=1)
    traces = [each.see(*zoo.texts(each, 1)) for each in (model, other)]
    stream, stack = stream_and_stack(traces[0])
    found = account([Run(traces[0], 1, stream), Run(traces[1], 1, stream, -1.0, 1)], stack)
    vectors = [trace[found.name][0, 1].double() for trace in traces]
    assert relative(found.whole, vectors[0] - vectors[1]) < 1e-5


@pytest.mark.parametrize("name", WORDS)
def test_direct_contributions_sum_to_the_logit(name: str) -> None:
    model = zoo.build(name)
    trace = model.see(*zoo.texts(model, 1))
    stream, stack = stream_and_stack(trace)
    found = direct(Run(trace, 2, stream), stack, word=5)
    logit = trace["head.logits"][0, 2, 5].item()
    assert found.whole.item() == pytest.approx(logit, rel=1e-5, abs=1e-6)
    assert sum(found.by(lambda part: part.place).values()) == pytest.approx(1)
