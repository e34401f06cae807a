"""Looking never changes the answer, by not one bit."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import fields

import pytest
import torch
import zoo
from torch import Tensor

from pellucid import Model, Output, UsageError

Inputs = dict[str, Tensor]

each_model = pytest.mark.parametrize("name", zoo.ZOO)
each_precision = pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)


def inputs(model: Model, side: str = "none") -> Inputs:
    """Two sentences, the second padded or not."""
    ids = torch.tensor([[3, 7, 7, 1, 4], [5, 2, 9, 11, 0]])
    real = torch.ones_like(ids, dtype=torch.bool)
    real[1, {"none": slice(0), "left": slice(2), "right": slice(3, 5)}[side]] = False
    if len(model.streams) == 1:
        return {"ids": ids, "mask": real}
    parts = {"target_ids": ids[:, :4], "target_mask": real[:, :4]}
    return parts | {"source_ids": ids, "source_mask": real}


def tensors(output: Output) -> Iterator[Tensor]:
    found = (getattr(output, field.name) for field in fields(output))
    return (tensor for tensor in found if tensor is not None)


def same(one: Output, other: Output) -> None:
    pairs = list(zip(tensors(one), tensors(other), strict=True))
    assert pairs
    assert all(a.dtype == b.dtype and a.equal(b) for a, b in pairs)


@each_model
@each_precision
@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode, nullcontext])
def test_a_looked_at_run_is_the_same(
    name: str, dtype: torch.dtype, mode: type[AbstractContextManager]
) -> None:
    model = zoo.build(name).to(dtype)
    for side in ("none", "left", "right"):
        given = inputs(model, side)
        with mode():
            plain, (seen, trace) = model(**given), zoo.look(model, **given)
        same(plain, seen)
        assert plain.hidden.isfinite().all()
        stack = model.config.shape.rpartition("-")[2]
        assert trace[f"{stack}.output"].equal(seen.hidden)


@each_model
@each_precision
def test_gradients_are_the_same(name: str, dtype: torch.dtype) -> None:
    model, gradients = zoo.build(name).to(dtype), []
    for run in (lambda given: model(**given), lambda given: zoo.look(model, **given)[0]):
        model.zero_grad()
        output = run(inputs(model, "right"))
        sum(tensor.square().sum() for tensor in tensors(output)).backward()
        gradients.append([p.grad for p in model.parameters() if p.grad is not None])
    assert len(gradients[0]) > len(list(model.parameters())) / 2
    assert all(a.equal(b) for a, b in zip(*gradients, strict=True))


@each_model
def test_learning_goes_the_same_way(name: str) -> None:
    """What is dropped is drawn from the same numbers; what batch norm remembers is the same."""
    results = []
    for look in (False, True):
        model = zoo.build(name, dropout=0.2, attention_dropout=0.2).train()
        given = inputs(model, "right")
        torch.manual_seed(3)
        output = zoo.look(model, **given)[0] if look else model(**given)
        results.append([output.hidden, *model.buffers(), torch.rand(3)])
    assert all(a.equal(b) for a, b in zip(*results, strict=True))


@each_model
def test_see_draws_nothing_of_its_own(name: str) -> None:
    """Also the forecast before the run leaves random numbers and remembered statistics alone."""
    results = []
    for look in (False, True):
        model = zoo.build(name, dropout=0.2, attention_dropout=0.2).train()
        read = model.read(*zoo.texts(model))
        torch.manual_seed(3)
        if look:
            model.see(*zoo.texts(model))
        else:
            with torch.no_grad():
                model(**model._inputs(read))
        results.append([*model.parameters(), *model.buffers(), torch.rand(3)])
    assert all(a.equal(b) for a, b in zip(*results, strict=True))


def test_pretrained_models_are_the_same(encoder: Model, decoder: Model) -> None:
    for model in (encoder, decoder):
        read = model.read(["The bank was muddy.", "The seal slept on the ice, far away."])
        given = model._inputs(read)
        with torch.no_grad():
            same(model(**given), zoo.look(model, **given)[0])


@pytest.mark.parametrize("name", ["encoder", "llama", "t5", "batch"])
def test_threads_look_each_for_itself(name: str) -> None:
    """Some look and some do not, at the same model, at the same time."""
    model = zoo.build(name)
    sentences = [" ".join(zoo.WORDS[at : at + 3 + at % 4]) for at in range(8)]
    expected = [model.see(*[each] * len(model.streams)) for each in sentences]

    def work(at: int) -> bool:
        text = [sentences[at % 8]] * len(model.streams)
        if at % 3 == 0:
            with torch.no_grad():
                return model(**model._inputs(model.read(*text))).hidden.isfinite().all()
        trace = model.see(*text, budget=1e6)  # so low that it must be forecast
        alone = expected[at % 8]
        return trace.held.keys() == alone.held.keys() and all(
            trace.held[each].equal(alone.held[each]) for each in alone.held
        )

    model._forecasts.clear()
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(48)))


def test_who_does_not_look_hears_nothing() -> None:
    """A thread that began inside a look does not write into its trace."""
    model = zoo.build("encoder")
    with ThreadPoolExecutor(1) as pool:
        given = inputs(model)
        forward = model.encoder.layers[0].forward

        def aside(*args: object) -> Tensor:
            pool.submit(model.entrance.embed.words, torch.tensor([0])).result()
            pool.submit(forward, *args).result()
            return forward(*args)

        alone = zoo.look(model, **given)[1]
        model.encoder.layers[0].forward = aside
        assert zoo.look(model, **given)[1].held.keys() == alone.held.keys()


def test_nobody_listens_after_a_failure() -> None:
    model = zoo.build("encoder")
    with pytest.raises(UsageError):
        zoo.look(model, ids=torch.tensor([[99]]))
    _, trace = zoo.look(model, ids=torch.tensor([[1]]))
    assert trace["tokens.ids"].tolist() == [[1]]


def test_a_compiled_model_is_looked_at_as_it_was_written(unchecked: None) -> None:
    model = zoo.build("bare", layers=1)
    eager = model.see(zoo.SENTENCE)
    assert "compiled run differs by" not in eager.about
    model.compile(backend="aot_eager")  # all of the compiler but the slow writing of C++
    seen = model.see(zoo.SENTENCE)
    assert all(seen.held[name].equal(eager.held[name]) for name in eager.held)
    assert 0 <= seen.about["compiled run differs by"] < 1e-5


def test_everything_in_the_zoo_is_seen() -> None:
    """The zoo has every choice there is, so that these tests mean what they say."""
    configs = [zoo.build(name).config for name in zoo.ZOO]
    for choice in ("positions", "norm", "place", "activation", "gate", "rotary_layout", "scaling"):
        kinds = type(configs[0]).__annotations__[choice].__args__
        assert {getattr(config, choice) for config in configs} == set(kinds), choice
