"""Words and numbers in cells: nothing moves the cursor, nothing is wider than it may be."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from pellucid.record.tokens import Tokens
from pellucid.views.labels import chips, cut, label, left, printable, right, spaced
from pellucid.views.lines import ends
from pellucid.views.numbers import shade, writer

LETTERS = st.text(st.characters(exclude_categories=["Cs"]))


@given(LETTERS, st.integers(0, 20))
def test_a_cut_text_is_never_wider(text: str, width: int) -> None:
    shown = label(text)
    assert cell_len(cut(shown, width)) <= width
    assert cell_len(left(shown, width)) == cell_len(right(shown, width)) == width


@given(st.text())
def test_what_is_printable_moves_nothing(text: str) -> None:
    shown = printable(text)
    assert not re.search("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", shown)
    assert shown.encode().decode() == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("cat", "cat"),
        ("日本", "日本"),
        ("👩‍👩‍👧", "👩‍👩‍👧"),
        ("\x1b[31m", "␛[31m"),
        ("\x7f", "␡"),
        ("a\u202eb", "a<202E>b"),
        ("\udce9", "<DCE9>"),
        ("\u0301", "◌\u0301"),
        ("שלום", "שלום\u200e"),
        ("ש 1/2", "ש\u200e 1/2"),
        ("עליכם سلام!", "עליכם\u200e سلام\u200e!"),
    ],
)
def test_labels(text: str, shown: str) -> None:
    assert label(text) == shown


def test_spaces_can_be_seen() -> None:
    assert spaced(" a\n\tb\r") == "␣a⏎⇥b␍"


def test_pieces_of_one_character_are_one_chip() -> None:
    pieces = (
        ("[", (0, 0), True),
        ("a", (0, 1), False),
        ("🙂", (1, 3), False),
        ("🙂", (2, 3), False),
    )
    words, offsets, special = zip(*pieces, strict=True)
    tokens = Tokens("a 🙂", (9, 1, 2, 3), words, offsets, special)
    assert [(chip.label, chip.ids, chip.special) for chip in chips(tokens)] == [
        ("[", (9,), True),
        ("a", (1,), False),
        ("␣🙂", (2, 3), False),
    ]


@given(st.integers(0, 600), st.integers(2, 60))
def test_the_ends_are_always_shown(count: int, room: int) -> None:
    shown = ends(count, room)
    real = [at for at in shown if at is not None]
    assert real == sorted(set(real))
    assert len(real) <= max(room, 2)
    if count:
        assert (real[0], real[-1]) == (0, count - 1)
    assert (None in shown) == (len(real) < count)


@pytest.mark.parametrize(
    ("numbers", "written"),
    [
        ([1.5, 0.1, 2], ["1.5", "0.1", "2.0"]),
        ([3, -4], ["3", "−4"]),
        ([1 / 3, -2 / 3], ["0.333", "−0.667"]),
        ([0.0123456, 0.05], ["0.0123", "0.0500"]),
        ([123.456, 0.001], ["123.46", "0.00"]),
        ([12345.678], ["12346"]),
        ([0.00012, -0.0000034], ["1.20e−4", "−3.40e−6"]),
        ([1.5e8], ["1.50e8"]),
        ([0.0], ["0"]),
        ([-0.0001, 1.25], ["0.000", "1.250"]),
        ([-math.inf, math.inf, math.nan, 0.5], ["−∞", "∞", "NaN", "0.5"]),
        ([-math.inf], ["−∞"]),
        ([], []),
    ],
)
def test_numbers_have_the_digits_they_need(numbers: list[float], written: list[str]) -> None:
    write = writer(numbers, 3)
    assert list(map(write, numbers)) == written


def test_colours_tell_the_sign_and_the_size() -> None:
    def light(x: float) -> tuple[int, int, int]:
        return tuple(shade(x, 2.0).bgcolor.get_truecolor())

    (red, _, blue), (cold_red, _, cold_blue) = light(2.0), light(-2.0)
    assert red > blue
    assert cold_blue > cold_red
    assert [sum(light(x)) for x in (0, 0.5, 1, 2)] == sorted(
        {sum(light(x)) for x in (0, 0.5, 1, 2)}
    )
    assert light(0.0) == light(-math.inf) == light(math.nan)
