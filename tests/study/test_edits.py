"""Edits: what follows from a change is what a forward pass with hooks makes of it."""

from pathlib import Path

import pytest
import torch
import zoo

import pellucid
from pellucid import Model, Trace, UsageError, edit
from pellucid.study.edits import (
    descendants,
    patch,
    silence,
    silence_heads,
    silence_layers,
    silence_tokens,
    steer,
)

TEXT = "The bank of the river was muddy."


@pytest.fixture(scope="module")
def bert(minilm: Path) -> Model:
    return pellucid.load(minilm)


@pytest.fixture(scope="module")
def theirs(minilm: Path) -> torch.nn.Module:
    from transformers import BertModel

    return BertModel.from_pretrained(minilm, attn_implementation="eager").eval()


@pytest.fixture(scope="module")
def seen(bert: Model) -> Trace:
    return bert.see(TEXT)


def hooked(module: torch.nn.Module, hook: object, model: torch.nn.Module, trace: Trace, **more):
    handle = hook(module)
    try:
        with torch.no_grad():
            return model(trace["tokens.ids"], **more).last_hidden_state
    finally:
        handle.remove()


def test_a_silent_head_is_as_with_a_hook(
    seen: Trace, theirs: torch.nn.Module, unchecked: None
) -> None:
    silenced = edit(seen, silence_heads(seen, 3, [5, 7]))
    width = 384 // 12

    def hook(module: torch.nn.Module):
        def without(_module, given):
            merged = given[0].clone()
            for head in (5, 7):
                merged[..., head * width : (head + 1) * width] = 0
            return (merged,)

        return module.register_forward_pre_hook(without)

    dense = theirs.encoder.layer[3].attention.output.dense
    expected = hooked(dense, hook, theirs, seen)
    torch.testing.assert_close(silenced["encoder.output"], expected, rtol=1e-4, atol=1e-5)
    assert (silenced["encoder.output"] - seen["encoder.output"]).norm() > 0.1


def test_steering_is_as_with_a_hook(seen: Trace, theirs: torch.nn.Module, unchecked: None) -> None:
    vector = torch.randn(384, generator=torch.Generator().manual_seed(0))
    steered = edit(seen, steer("encoder.2.output", vector, at=(0, 2), strength=0.5))

    def hook(module: torch.nn.Module):
        def push(_module, _given, made):
            made = made.clone()
            made[0, 2] += 0.5 * vector
            return made

        return module.register_forward_hook(push)

    expected = hooked(theirs.encoder.layer[2], hook, theirs, seen)
    torch.testing.assert_close(steered["encoder.output"], expected, rtol=1e-4, atol=1e-5)


def test_hidden_tokens_are_as_with_their_mask(
    seen: Trace, theirs: torch.nn.Module, unchecked: None
) -> None:
    hidden = edit(seen, silence_tokens(seen, [2, 4]))
    mask = torch.ones(1, len(seen.texts["tokens"][0]), dtype=torch.long)
    mask[0, [2, 4]] = 0
    with torch.no_grad():
        expected = theirs(seen["tokens.ids"], attention_mask=mask).last_hidden_state
    torch.testing.assert_close(hidden["encoder.output"], expected, rtol=1e-4, atol=1e-5)


def test_a_silent_layer_is_as_with_hooks(
    seen: Trace, theirs: torch.nn.Module, unchecked: None
) -> None:
    silenced = edit(seen, silence_layers(seen, [4]))
    layer = theirs.encoder.layer[4]

    def hook(module: torch.nn.Module):
        return module.register_forward_hook(lambda _m, _g, made: made * 0)

    other = layer.output.dense.register_forward_hook(lambda _m, _g, made: made * 0)
    expected = hooked(layer.attention.output.dense, hook, theirs, seen)
    other.remove()
    torch.testing.assert_close(silenced["encoder.output"], expected, rtol=1e-4, atol=1e-5)


def test_patching_a_layer_whole_gives_the_other_run(bert: Model, seen: Trace) -> None:
    other = bert.see("The bank of the house was empty.")
    patched = edit(seen, patch("encoder.1.output", of=other))
    torch.testing.assert_close(patched["encoder.output"], other["encoder.output"])
    torch.testing.assert_close(patched["encoder.0.output"], seen["encoder.0.output"])


def test_patching_one_token_takes_a_row_from_elsewhere(bert: Model, seen: Trace) -> None:
    other = bert.see("He robbed a bank.")
    patched = edit(seen, patch("encoder.2.output", of=other, at=(0, 2), source=(0, 4)))
    assert torch.equal(patched["encoder.2.output"][0, 2], other["encoder.2.output"][0, 4])
    assert torch.equal(patched["encoder.2.output"][0, 3], seen["encoder.2.output"][0, 3])
    with pytest.raises(UsageError, match="say which part"):
        edit(seen, patch("encoder.2.output", of=other))


def by_hand(model: Model, name: str, change: object, texts: list) -> torch.Tensor:
    """A plain forward pass with a hook of our own on the sub-layer's last projection."""
    module = model.get_submodule(name)
    handle = module.register_forward_hook(lambda _m, _g, made: change(made))
    try:
        return model.see(*texts)["head.logits"]
    finally:
        handle.remove()


@pytest.mark.parametrize("name", ["decoder", "llama", "t5", "bart", "alibi decoder"])
def test_edits_in_every_kind_of_decoder(name: str) -> None:
    model = zoo.build(name)
    texts = zoo.texts(model, 1)
    trace = model.see(*texts)
    changed = edit(trace, silence("decoder.0.feedforward.output"))
    expected = by_hand(model, "decoder.layers.0.feedforward.output", lambda x: x * 0, texts)
    torch.testing.assert_close(changed["head.logits"], expected, rtol=1e-4, atol=1e-5)


def test_nothing_changes_that_does_not_follow(seen: Trace) -> None:
    silenced = edit(seen, silence_heads(seen, 3, [5]))
    later = descendants(seen, "encoder.3.attention.mixed")
    for name in seen.held:
        if name not in later:
            assert silenced.held[name] is seen.held[name]
    assert torch.equal(silenced["encoder.2.output"], seen["encoder.2.output"])
    assert seen.kind("encoder.3.attention.mixed") == "derived"


def test_an_edit_of_nothing_changes_nothing_much(seen: Trace) -> None:
    same = edit(seen, steer("encoder.1.output", torch.zeros(384)))
    torch.testing.assert_close(same["encoder.output"], seen["encoder.output"], rtol=1e-5, atol=1e-6)


def test_the_trace_says_what_was_edited(seen: Trace, tmp_path: Path) -> None:
    silenced = edit(seen, silence_heads(seen, 3, [5]))
    name = "encoder.3.attention.mixed"
    assert silenced.kind(name) == "edited"
    assert silenced.about["edits"] == {name: "head 5 silenced"}
    assert "edits" not in seen.about
    assert "mixed_before" in str(silenced.tree(name))
    assert silenced[name][0, 5].abs().sum() == 0
    assert torch.equal(silenced[f"{name}_before"], seen[name])
    silenced.save(tmp_path / "edited.safetensors", weights="all")
    again = Trace.load(tmp_path / "edited.safetensors")
    assert again.kind(name) == "edited"
    torch.testing.assert_close(again["encoder.output"], silenced["encoder.output"])


def test_an_edited_trace_verifies_and_explains(seen: Trace) -> None:
    changed = edit(seen, silence_heads(seen, 0, [1]), steer("encoder.1.output", torch.ones(384)))
    assert changed.verify("encoder.*").worst.difference < 1e-5
    explained = changed.explain("encoder.1.output", row="bank", column=3)
    assert "1" in explained.arithmetic
    assert "output_before" in explained.formula


def test_edits_add_up_on_one_name(seen: Trace) -> None:
    name, one = "encoder.1.output", torch.ones(384)
    twice = edit(seen, steer(name, one), steer(name, 2 * one))
    once = edit(seen, steer(name, 3 * one))
    torch.testing.assert_close(twice[name], once[name])
    assert ";" in twice.about["edits"][name]


def test_bad_edits_are_said(seen: Trace) -> None:
    with pytest.raises(UsageError, match="heads 0 to 11"):
        edit(seen, silence_heads(seen, 0, [12]))
    with pytest.raises(UsageError, match=r"has no 'encoder\.0\.nothing'"):
        edit(seen, silence("encoder.0.nothing"))
    with pytest.raises(UsageError, match=r"output \[1, 10, 384\] cannot be edited so .*\(7\)"):
        edit(seen, steer("encoder.1.output", torch.ones(7)))
    with pytest.raises(UsageError, match=r"cannot be edited so .* out of bounds"):
        edit(seen, silence("encoder.1.output", (0, 99)))


def test_a_layer_that_is_not_there_cannot_be_silenced(seen: Trace) -> None:
    for trace, layer in ((seen, 6), (seen, -1), (pellucid.load("mouse").see("cat and mouse"), 0)):
        with pytest.raises(UsageError, match=rf"a layer {layer} is added"):
            silence_layers(trace, [layer])


def test_hidden_tokens_of_a_source_are_as_with_their_mask() -> None:
    model = zoo.build("bart")
    trace = model.see(*zoo.texts(model, 1))
    source, target = trace["source.tokens.ids"], trace["target.tokens.ids"]
    kept = torch.ones_like(source, dtype=torch.bool)
    kept[0, 5] = False  # the last, so that with a mask, too, positions stay what they were
    _, expected = zoo.look(model, source_ids=source, target_ids=target, source_mask=kept)
    hidden = edit(trace, silence_tokens(trace, [5], stream="source"))
    assert hidden["decoder.0.cross.weights"][..., 5].count_nonzero() == 0
    torch.testing.assert_close(hidden["head.logits"], expected["head.logits"])


def test_hidden_tokens_of_a_target_leave_the_source_alone() -> None:
    trace = zoo.build("t5").see(zoo.SENTENCE, zoo.TARGETS[0])
    hidden = edit(trace, silence_tokens(trace, [1], stream="target"))
    assert hidden["decoder.1.attention.weights"][..., 1].count_nonzero() == 0
    assert torch.equal(hidden["encoder.output"], trace["encoder.output"])


def test_tokens_that_nobody_can_mean_are_refused(seen: Trace) -> None:
    last = len(seen.texts["tokens"][0]) - 1
    with pytest.raises(UsageError, match=rf"tokens 0 to {last}; there is no {last + 1}"):
        silence_tokens(seen, [last + 1])
    with pytest.raises(UsageError, match="sentences 0 to 0; there is no 1"):
        silence_tokens(seen, [1], sentence=1)
    both = zoo.build("t5").see(zoo.SENTENCE, zoo.TARGETS[0])
    with pytest.raises(UsageError, match="give stream='source' or stream='target'"):
        silence_tokens(both, [1])


def test_views_show_what_was_edited(tmp_path: Path) -> None:
    from pellucid.views.choice import Choice
    from pellucid.views.terminal import draw

    trace = zoo.build("decoder").see(zoo.SENTENCE)
    changed = edit(trace, silence_heads(trace, 1, [2]))
    told = "\n".join(line.plain for line in draw(changed, Choice(1, 2), 80))
    assert "Edited: decoder.1.attention.mixed (head 2 silenced)" in told.replace("\n ", " ")
    assert "mixed_before" in told
    for ending in (".json", ".html", ".xlsx"):
        assert changed.save(tmp_path / f"edited{ending}").stat().st_size > 1000
    assert "mixed_kept" in (tmp_path / "edited.json").read_text()
