"""What is kept is what was asked for; how much that is, is known before."""

import pytest
import torch
import zoo

from pellucid import Model, PellucidError, Trace, UsageError
from pellucid.models.forecast import at_most
from pellucid.nn.block import Block

ALWAYS = {"tokens.ids", "tokens.real", "embed.segment_ids"}
PATTERNS = ["*", "encoder.1.*", "*.attention.*", ("embed.*", "*.output"), ()]

each_model = pytest.mark.parametrize("name", zoo.ZOO)


@each_model
@pytest.mark.parametrize("keep", PATTERNS)
@pytest.mark.parametrize("mode", ["eval", "train"])
def test_the_forecast_is_the_size(name: str, keep: str | tuple[str, ...], mode: str) -> None:
    model = zoo.build(name, dropout=0.1, attention_dropout=0.1)
    model.train(mode == "train")
    for count in (1, 3):
        texts = zoo.texts(model, count)
        assert model.forecast(*texts, keep=keep) == model.see(*texts, keep=keep).size


def test_the_forecast_follows_precision_and_mode() -> None:
    model = zoo.build("decoder")
    for change in (model.train, lambda: model.to(torch.bfloat16), model.eval):
        change()
        assert model.forecast(zoo.SENTENCE) == model.see(zoo.SENTENCE).size


def test_the_forecast_is_right_for_pretrained_models(encoder: Model, decoder: Model) -> None:
    for model in (encoder, decoder):
        for text in ("a", "The seal slept on the ice.", ["The seal", "slept on the ice for days."]):
            assert model.forecast(text) == model.see(text).size


def test_memory_grows_with_tokens_not_with_their_square(decoder: Model) -> None:
    sizes = [decoder.forecast("a " * count) for count in (10, 20, 40)]
    assert sizes[1] - sizes[0] == pytest.approx((sizes[2] - sizes[1]) / 2, rel=1e-9)


@pytest.mark.parametrize("keep", ["encoder.1.*", ["encoder.1.attention.query", "*.key"], "pool*"])
def test_only_what_was_asked_is_held(keep: str | list[str]) -> None:
    model = zoo.build("encoder")
    whole, part = model.see(zoo.SENTENCE), model.see(zoo.SENTENCE, keep=keep)
    patterns = [keep] if isinstance(keep, str) else keep
    wanted = {name for pattern in patterns for name in whole.names(pattern)}
    assert (wanted & set(whole.held)) | ALWAYS <= set(part.held) <= wanted | ALWAYS
    assert list(part) == list(whole)


@each_model
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_what_a_block_puts_out_is_exact_held_or_not(name: str, dtype: torch.dtype) -> None:
    model, outputs = zoo.build(name).to(dtype), {}
    for block in (layer for layer in model.modules() if isinstance(layer, Block)):
        block.register_forward_hook(lambda block, _, y: outputs.update({block.path: y}))
    trace = model.see(*zoo.texts(model))
    assert outputs
    assert all(trace[f"{path}.output"].equal(output) for path, output in outputs.items())


def test_sums_are_not_held_where_the_rest_is() -> None:
    model = zoo.build("decoder")
    assert "decoder.1.output" not in model.see(zoo.SENTENCE).held
    assert "decoder.1.output" in model.see(zoo.SENTENCE, keep="decoder.1.output").held


@each_model
def test_what_was_not_kept_follows_all_the_same(name: str) -> None:
    """From the ids and the weights, if need be through all layers."""
    model = zoo.build(name)
    whole, least = (model.see(*zoo.texts(model), keep=keep) for keep in ("*", []))
    assert {row.kind for row in least.tree()} == {"recorded", "derived"}
    one, other = {}, {}
    for each in whole:
        near = {"rtol": 1e-4, "atol": 1e-4}
        torch.testing.assert_close(least.value(each, one), whole.value(each, other), **near)


def test_deep_models_are_derived_without_deep_calls() -> None:
    model = zoo.build("decoder", layers=60)
    least, whole = model.see(zoo.SENTENCE, keep=[]), model.see(zoo.SENTENCE)
    last = "decoder.59.attention.scores"
    torch.testing.assert_close(least[last], whole[last], rtol=1e-3, atol=1e-3)


def lacking(*names: str) -> Trace:
    """A trace that has lost some of its causes."""
    trace = zoo.build("encoder").see(zoo.SENTENCE)
    for name in names:
        del trace.held[name]
    return trace


def test_what_is_missing_says_how_to_get_it() -> None:
    trace = lacking("embed.segment_ids")
    for ask in (trace.__getitem__, trace.shape, trace.explain):
        for name in ("embed.segment_ids", "embed.segments", "embed.norm.mean"):
            with pytest.raises(UsageError) as error:
                ask(name)
            assert str(error.value).endswith(
                "is not in the record, and is needed; look again with a wider `keep`, or load "
                "the trace with its model's weights: Trace.load(path, model.weights())."
            )
    kinds = {row.name: (row.kind, row.shape) for row in trace.tree()}
    assert kinds["embed.segments"] == ("missing", ())
    assert kinds["embed.output"] == ("recorded", (1, 6, 16))
    assert kinds["encoder.0.attention.weights"] == ("derived", (1, 4, 6, 6))


def test_answers_are_left_out_where_their_causes_are() -> None:
    model = zoo.build("encoder")
    assert model.see(zoo.SENTENCE).answers() is not None
    trace = model.see(zoo.SENTENCE)
    trace.held.clear()
    assert trace.answers() is None


@each_model
@pytest.mark.parametrize("mode", ["eval", "train"])
def test_the_rough_forecast_is_never_too_small(name: str, mode: str) -> None:
    model = zoo.build(name, dropout=0.1, attention_dropout=0.1)
    model.train(mode == "train")
    for count in (1, 3):
        texts = zoo.texts(model, count)
        assert at_most(model.config, model._inputs(model.read(*texts))) >= model.see(*texts).size


def test_the_budget_refuses_before_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    model = zoo.build("decoder")
    size = model.forecast(zoo.SENTENCE)

    def run(**_: object) -> None:
        raise AssertionError("the model ran")

    monkeypatch.setattr(model, "forward", run)
    with pytest.raises(AssertionError, match="the model ran"):
        model.see(zoo.SENTENCE, budget=size)
    with pytest.raises(PellucidError) as error:
        model.see(zoo.SENTENCE, budget=size - 1)
    assert type(error.value) is PellucidError
    assert str(error.value) == (
        f"Looking at this would hold {size / 1e3:.3g} KB, more than the {(size - 1) / 1e3:.3g} KB "
        "allowed; shorten the text, keep less (keep='encoder.0.*'), or raise the budget."
    )
    with pytest.raises(AssertionError, match="the model ran"):
        model.see(zoo.SENTENCE, budget=size - 1, keep="embed.*")


def test_weights_that_changed_are_not_believed() -> None:
    """A trace keeps no copy of the weights; it notices when they are no longer those of the run."""
    model = zoo.build("decoder")
    trace = model.see(zoo.SENTENCE)
    before = trace["decoder.0.attention.scores"]
    hidden = trace["decoder.0.feedforward.hidden"]
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    model(torch.tensor([[1, 2]])).logits.sum().backward()
    optimizer.step()
    assert trace["decoder.0.attention.scores"].equal(before)
    assert hidden.isfinite().all()
    for ask in (trace.__getitem__, trace.explain, lambda _: trace.verify()):
        with pytest.raises(UsageError, match="was changed after this run, so nothing true follows"):
            ask("decoder.0.feedforward.hidden")
    assert model.see(zoo.SENTENCE).verify().worst.difference < 1e-5


def test_weights_that_moved_are_still_those_of_the_run() -> None:
    model = zoo.build("decoder")
    trace = model.see(zoo.SENTENCE)
    hidden = trace["decoder.0.feedforward.hidden"]
    model.to(torch.bfloat16)
    assert trace["decoder.0.feedforward.hidden"].equal(hidden)
