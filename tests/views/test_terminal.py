"""The terminal view: it fits, it shows the trace's own numbers, and it shows whose they are."""

import re
from io import StringIO
from pathlib import Path

import pytest
import torch
import zoo
from rich.cells import cell_len
from rich.console import Console

import pellucid
from pellucid.errors import UsageError
from pellucid.models.mouse import MICE
from pellucid.record.trace import Trace
from pellucid.views.blocks import step
from pellucid.views.choice import Look, choose
from pellucid.views.terminal import draw

DIFFERENT = ("encoder", "batch", "llama", "alibi decoder", "t5")
STRANGE = "Hi 🙂👩‍👩‍👧 שָׁלוֹם عليكم 日本語 e\u0301\n\ttab\u202e\x1b[31m"


def look(trace: Trace, width: int = 80, layer: int | None = None, head: int | None = None) -> str:
    choice = choose(trace.about["config"], layer, head)
    return "\n".join(line.plain.rstrip() for line in draw(trace, choice, width)) + "\n"


def see(name: str, **changes: object) -> Trace:
    model = zoo.build(name, **changes)
    texts = (zoo.SENTENCES, zoo.TARGETS)[: len(model.streams)]
    return model.see(*texts)


def shown(trace: Trace, name: str, head: int = 0, sentence: int = 0) -> torch.Tensor:
    """The numbers of a step's block, read from its lines."""
    look = Look(trace, head, sentence)
    lines = [line.plain.split() for line in step(look, name, 200).lines]
    rows = lines[-len(look.matrix(name).rows) :]
    return torch.tensor(
        [[float(x.replace("−", "-").replace("∞", "inf")) for x in r[1:]] for r in rows]
    )


@pytest.mark.parametrize("name", DIFFERENT)
def test_every_line_fits(name: str) -> None:
    trace = see(name)
    for width in (20, 40, 57, 130):
        lines = look(trace, width, head=trace.about["config"]["heads"] - 1).splitlines()
        assert len(lines) > 100
        assert max(map(cell_len, lines)) <= max(width, 40)


@pytest.mark.parametrize("width", [40, 80])
def test_strange_tokens_fit(gpt2: Path, width: int) -> None:
    view = look(pellucid.load(gpt2).see(STRANGE), width)
    assert max(map(cell_len, view.splitlines())) <= width
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", view)


def test_tokens_are_shown_as_typed(gpt2: Path) -> None:
    lines = look(pellucid.load(gpt2).see("Hé 🤯 日本\nשלום")).splitlines()
    shown = [line.replace("\u200e", "").split() for line in lines[1:5]]
    assert shown[0] + shown[2] == ["H", "é", "␣🤯", "␣日", "本", "⏎", "ש", "ל", "ו", "ם"]
    trace = pellucid.load(gpt2).see("Hé 🤯 日本\nשלום")
    ids = "+".join(shown[1] + shown[3]).split("+")
    assert list(map(int, ids)) == list(trace.texts["tokens"][0].ids)


@pytest.mark.parametrize("name", ["decoder", "llama", "t5"])
def test_a_block_holds_the_numbers_of_its_sentence_and_head(name: str) -> None:
    """Padding is left out; heads that share keys and values find their own."""
    trace, head, sentence = see(name), 2, 1
    texts = list(trace.texts.values())
    target, source = len(texts[-1][sentence]), len(texts[0][sentence])
    for place in {"decoder.1.attention", "decoder.1.cross"} & {
        n.place for n in trace.nodes.values()
    }:
        keys = source if place.endswith("cross") else target
        group = head * trace.shape(f"{place}.k")[1] // 4
        truths = {
            "q": trace[f"{place}.q"][sentence, head, :target],
            "k": trace[f"{place}.k"][sentence, group, :keys],
            "masked": trace[f"{place}.masked"][sentence, head, :target, :keys],
            "weights": trace[f"{place}.weights"][sentence, head, :target, :keys],
        }
        for step_name, truth in truths.items():
            numbers = shown(trace, f"{place}.{step_name}", head, sentence)
            assert torch.equal(numbers.isinf(), truth.isinf())
            assert (numbers - truth)[truth.isfinite()].abs().max() <= 0.0005


def test_what_lies_ahead_is_hidden() -> None:
    trace = pellucid.load("mouse-causal").see("cat and mouse")
    infinite = shown(trace, "decoder.0.attention.masked").isinf()
    assert torch.equal(infinite, torch.ones(3, 3).triu(1).bool())
    assert "masked" in look(trace)


def test_the_steps_stand_in_the_order_of_the_road() -> None:
    view = look(see("relative"), 40)
    titles = re.findall(r"^ (\w+) = .*×\d+$", view, re.MULTILINE)
    steps = "q k scores scaled bias biased masked weights v mixed output".split()
    assert titles == steps * len(zoo.SENTENCES)


def test_cross_attention_is_source_by_target() -> None:
    trace = see("bart")
    matrix = Look(trace, head=1, sentence=1).matrix("decoder.0.cross.weights")
    assert matrix.rows == "the river bank was muddy".split()
    assert matrix.columns == ["a", "bank"]
    assert "decoder.0.cross" in look(trace, layer=0)


def test_the_two_sides_may_differ_in_depth() -> None:
    trace = see("bart", decoder_layers=1)
    assert choose(trace.about["config"], None, None).layer == 0
    assert choose(trace.about["config"], 1, None).layer == 1
    view = look(trace, layer=1)
    assert "encoder-decoder, 2 + 1 layers" in view
    assert " encoder.1.attention " in view
    assert " decoder." not in view


def test_features_name_the_columns_that_have_kept_them() -> None:
    trace = pellucid.load("mouse-three-heads").see(MICE["mouse-three-heads"].sentence)
    attention = "encoder.0.attention"
    assert Look(trace, head=1).matrix(f"{attention}.q").columns == ["tech"]
    assert Look(trace, head=2).matrix(f"{attention}.mixed").columns == ["kind"]
    assert Look(trace, head=0).matrix("encoder.0.output").columns == ["animal", "tech", "kind"]
    trace = pellucid.load("mouse-wide").see(MICE["mouse-wide"].sentence)
    assert Look(trace, head=0).matrix(f"{attention}.input").columns == ["animal", "tech"]
    assert Look(trace, head=0).matrix(f"{attention}.q").columns == ["0", "1"]
    assert Look(trace, head=0).matrix("encoder.0.output").columns == ["0", "1", "2"]


@pytest.mark.parametrize("name", MICE)
def test_a_mouse_is_shown_in_full(name: str) -> None:
    view = look(pellucid.load(name).see(MICE[name].sentence))
    assert "…" not in view
    assert "⋮" not in view


def test_a_long_text_is_cut_in_the_middle() -> None:
    words = "the seal slept on ice a bank of river was muddy and".split() * 4
    trace = zoo.build("encoder", longest=60).see(" ".join(words))
    lines = [line.plain for line in step(Look(trace, 0), "encoder.1.attention.q", 40).lines]
    assert lines[0].endswith("48×4")
    assert "⋮" in lines[-2]
    assert lines[-1].startswith("  and")


def test_the_words_at_the_end(gpt2: Path) -> None:
    trace = pellucid.load(gpt2).see("one two")
    answers, view = trace.answers(), look(trace)
    assert answers.meaning == "next"
    assert "Likeliest next words, with their probability" in view
    last = view.splitlines()[-2].split()
    best = answers.words[0][1][0]
    assert last[:2] == ["␣two", best.piece.replace(" ", "␣")]
    assert float(last[2]) == pytest.approx(best.score, abs=0.005)


def test_where_vectors_and_words_cannot_be_compared_there_are_none() -> None:
    trace = pellucid.load("mouse-wide").see(MICE["mouse-wide"].sentence)
    assert trace.answers() is None
    assert "Words" not in look(trace)


def test_a_saved_trace_is_drawn_without_its_model(tmp_path: Path) -> None:
    trace = see("post")
    loaded = Trace.load(trace.save(tmp_path / "t.safetensors"))
    assert look(loaded, layer=1) == look(trace, layer=1)


@pytest.mark.usefixtures("unchecked")
def test_what_is_missing_is_said() -> None:
    whole = see("post")
    kept = {name: held for name, held in whole.held.items() if name.startswith("encoder.0.")}
    trace = Trace(whole.nodes, kept, {}, whole.texts, whole.about)
    view = look(trace, layer=1)
    assert view.count("not in the record: keep more of it") > 20
    assert "✗ q " in view


@pytest.mark.parametrize(("layer", "head"), [(2, 0), (-1, 0), (0, 4), (0, -1)])
def test_a_layer_or_a_head_that_is_not_there(layer: int, head: int) -> None:
    with pytest.raises(UsageError, match="there is no"):
        choose(see("encoder").about["config"], layer, head)


def test_colour_changes_no_word() -> None:
    trace, lines = see("post"), StringIO()
    console = Console(file=lines, force_terminal=True, color_system="truecolor", soft_wrap=True)
    for line in draw(trace, choose(trace.about["config"], None, None), 80):
        console.print(line)
    plain = re.sub(r"\x1b\[[\d;]*m", "", lines.getvalue())
    assert "48;2;" in lines.getvalue()
    assert [line.rstrip() for line in plain.splitlines()] == look(trace).splitlines()
