"""Figures: every kind of model drawn, labels that neither overlap nor lie, styles that reach."""

from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
import zoo
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

import pellucid
from pellucid import Trace
from pellucid.decode.generate import generate
from pellucid.errors import UsageError
from pellucid.record.store import Wish
from pellucid.views.plots import answers, attention, placing, statistics
from pellucid.views.plots.branches import tree
from pellucid.views.plots.files import FIGURES, draw
from pellucid.views.plots.style import fonts, styled
from pellucid.views.plots.words import label

TRAPS = "The 銀行 נהר 🙂 was مرحبا $x_1$ a_b^2 é"
ENDINGS = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


def seen(name: str) -> Trace:
    model = zoo.build(name, layers=2)
    return model.see(*(texts[0] for texts in zoo.texts(model)))


@pytest.fixture(scope="module")
def t5() -> Trace:
    return seen("t5")


@pytest.fixture(scope="module")
def traps(gpt2: Path) -> Trace:
    return pellucid.load(gpt2).see(TRAPS)


def words(axes: Axes) -> list[Text]:
    """Texts in the axes and around them; ticks beyond the axes are not drawn."""
    limits = [(axes.get_xticklabels(), 0, axes.viewLim.intervalx)]
    limits += [(axes.get_yticklabels(), 1, axes.viewLim.intervaly)]
    ticks = [
        text
        for texts, which, limit in limits
        for text in texts
        if min(limit) <= text.get_position()[which] <= max(limit)
    ]
    return [text for text in (*ticks, *axes.texts) if text.get_text()]


def overlaps(figure: Figure) -> list[tuple[str, str]]:
    """Words that are drawn over each other, titles among them."""
    figure.canvas.draw()
    texts = [text for axes in figure.axes for text in words(axes)]
    texts += [title for axes in figure.axes for title in (axes.title, axes._left_title)]
    boxes = [(t.get_text(), t.get_window_extent()) for t in texts if t.get_text()]
    return [
        (one, other)
        for at, (one, a) in enumerate(boxes)
        for other, b in boxes[at + 1 :]
        if min(a.x1, b.x1) - max(a.x0, b.x0) > 1 and min(a.y1, b.y1) - max(a.y0, b.y0) > 1
    ]


@pytest.mark.parametrize("figure", sorted(FIGURES.keys() - {"tree"}))
def test_no_word_meets_another(figure: str, t5: Trace) -> None:
    drawn = draw(t5, Wish(figure=figure))
    assert drawn.axes
    assert not overlaps(drawn)


@pytest.mark.parametrize("kind", [attention.head, attention.heads, statistics.norms])
def test_strange_words_do_not_meet_either(kind: Callable[..., Figure], traps: Trace) -> None:
    assert not overlaps(kind(traps))


def test_everything_stays_inside(traps: Trace) -> None:
    figure = attention.head(traps)
    figure.canvas.draw()
    width, height = figure.bbox.width, figure.bbox.height
    for text in (text for axes in figure.axes for text in words(axes)):
        box = text.get_window_extent()
        assert box.x0 >= 0, text
        assert box.y0 >= 0, text
        assert box.x1 <= width, text
        assert box.y1 <= height, text


def test_labels_are_the_tokens_in_order(traps: Trace) -> None:
    figure = attention.heads(traps, layer=0, heads=[1])
    (axes,) = figure.axes
    with styled(None):
        tokens = [label(text) for text in traps.texts["tokens"][0].labels()]
    assert [text.get_text() for text in axes.get_yticklabels()] == tokens
    assert [text.get_text() for text in axes.get_xticklabels()] == tokens
    shown = np.asarray(axes.images[0].get_array())
    assert np.array_equal(shown, traps["decoder.0.attention.weights"][0, 1].double().numpy())


def test_a_letter_that_no_font_has_is_written_as_a_number() -> None:
    with styled({"font.family": ["DejaVu Sans"]}):
        assert label("\U0010fffd") == "<10FFFD>"
        assert label("a$b") == r"a\$b"
        assert label("x" * 30) == "x" * 23 + "…"


def test_cross_attention_has_two_texts(t5: Trace) -> None:
    axes = attention.cross(t5, layer=1).axes[0]
    rows, columns = (
        [t.get_text() for t in each] for each in (axes.get_yticklabels(), axes.get_xticklabels())
    )
    assert rows == zoo.TARGETS[0].split()
    assert columns == zoo.SENTENCES[0].split()


def test_one_head_alone_shows_its_numbers(t5: Trace) -> None:
    (axes,) = attention.cross(t5, layer=1, heads=[2]).axes
    shown = np.asarray(axes.images[0].get_array())
    assert [text.get_text() for text in axes.texts] == [f"{x:.2f}" for x in shown.flat]


@pytest.mark.parametrize("name", ["encoder", "sinusoidal", "alibi", "llama", "relative decoder"])
def test_every_scheme_of_positions_can_be_drawn(name: str) -> None:
    assert not overlaps(placing.positions(seen(name)))


def test_what_is_not_there_is_said(t5: Trace) -> None:
    bare = seen("bare")
    with pytest.raises(UsageError, match="does not know positions"):
        placing.positions(bare)
    with pytest.raises(UsageError, match="no norm"):
        statistics.norms(bare)
    with pytest.raises(UsageError, match="has no cross"):
        attention.cross(bare)
    with pytest.raises(UsageError, match="no layer 7 in the record; it has 0, 1"):
        attention.head(t5, layer=7)
    with pytest.raises(UsageError, match="no figure 'heat'; it is one of overview"):
        draw(t5, Wish(figure="heat"))


def test_the_table_of_words_says_what_the_trace_says() -> None:
    trace = seen("decoder")
    (axes,) = answers.logits(trace, best=3).axes
    best = trace.answers(3)
    expected = [
        f"{each.piece}  {each.score:.2f}" for position in best.words[0] for each in position
    ]
    assert [text.get_text() for text in axes.texts] == expected


def test_a_style_and_rcparams_reach_everything(t5: Trace) -> None:
    with mpl.rc_context({"axes.titlesize": 15.0}):
        assert attention.heads(t5).axes[0]._left_title.get_fontsize() == 15.0
    figure = attention.heads(t5, style={"axes.titlesize": 7.0, "cell": 0.5, "weights": "viridis"})
    assert figure.axes[0]._left_title.get_fontsize() == 7.0
    assert figure.axes[0].images[0].get_cmap().name == "viridis"
    plain = attention.heads(t5)
    assert figure.get_size_inches()[0] > plain.get_size_inches()[0]


def test_drawing_changes_nobodys_settings(t5: Trace) -> None:
    before = dict(mpl.rcParams)
    attention.overview(t5)
    assert dict(mpl.rcParams) == before


def test_fonts_that_are_missing_are_not_asked_for() -> None:
    there = set(mpl.font_manager.get_font_names())
    assert set(fonts()) <= there


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_trace_is_saved_as_a_figure(ending: str, t5: Trace, tmp_path: Path) -> None:
    path = t5.save(tmp_path / f"heads{ending}", figure="heads", layer=0)
    assert path.read_bytes().startswith(ENDINGS[ending])


def test_a_tree_shows_answers_with_their_scores() -> None:
    model = zoo.build("decoder", layers=1, dropout=0.0, attention_dropout=0.0)
    best = generate(model, "the seal", beams=3, best=3, max_new_tokens=4)
    figure = tree(best[0].tree.to_json(), others=2)
    texts = [text.get_text() for text in figure.axes[0].texts]
    ends = [text for text in texts if "✓" in text]
    scores = sorted(f"{answer.score:.2f}".replace("-", "−") for answer in best)
    assert sorted(text.rpartition(" ")[2] for text in ends) == scores
    assert not overlaps(figure)
    with pytest.raises(UsageError, match="has not searched, so there is no tree"):
        draw(model.see("the seal"), Wish(figure="tree"))
    with pytest.raises(UsageError, match="no candidates"):
        tree({"candidates": []})
