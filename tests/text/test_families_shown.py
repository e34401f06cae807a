"""What people see of a text's pieces, and the way back from ids to text."""

import re
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any
from unicodedata import category

import pytest
from families_corpus import CORPUS, TEXTS
from families_folders import write
from families_layouts import BUILT
from hypothesis import assume, given

from pellucid.errors import UsageError
from pellucid.record.tokens import SHOWN, Tokens
from pellucid.text.reading import load_tokenizer
from pellucid.text.tokenizer import Tokenizer

KINDS = ["bert", "roberta", "gpt2", "t5", "albert", "xlm-roberta", "llama ends", "plain"]
WHOLE = ["gpt2", "llama ends", "plain"]  # of these nothing of a text is lost
PART = re.compile(r" (\d+)/(\d+)")
STANDING_FOR_OTHERS = re.compile(r"</?s>|<unk>|<\|endoftext\|>|▁")  # not what a person typed


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Tokenizer]:
    folder, known = tmp_path_factory.mktemp("shown"), {}

    def of(name: str) -> Tokenizer:
        if name not in known:
            known[name] = load_tokenizer(write(folder / name, BUILT[name]()))
        return known[name]

    return of


def shown(tokens: Tokens) -> list[tuple[int, int]]:
    """The ranges of characters that labels show; pieces that share some are `1/3`, `2/3`, `3/3`."""
    ranges, labels, at = [], tokens.labels(), 0
    while at < len(tokens):
        start, end = tokens.offsets[at]
        if tokens.special[at] or start == end:
            assert labels[at] == tokens.pieces[at]
            at += 1
            continue
        together = 1
        if part := PART.fullmatch(labels[at].removeprefix(typed(tokens, at))):
            assert part[1] == "1"
            together = int(part[2])
        for n in range(together):
            part = f" {n + 1}/{together}" if together > 1 else ""
            assert labels[at + n] == typed(tokens, at + n) + part
        ends = [end for _, end in tokens.offsets[at : at + together]]
        ranges.append((start, max(ends)))
        at += together
    return ranges


def typed(tokens: Tokens, at: int) -> str:
    return "".join(SHOWN.get(c, c) for c in tokens.text[slice(*tokens.offsets[at])])


def dropped(tokens: Tokens) -> str:
    """The characters that no label shows; none is shown twice."""
    ranges = shown(tokens)
    assert all(a[1] <= b[0] for a, b in pairwise(ranges)), ranges
    kept = {at for start, end in ranges for at in range(start, end)}
    return "".join(c for at, c in enumerate(tokens.text) if at not in kept)


@pytest.mark.parametrize("name", KINDS)
def test_what_the_model_reads_is_shown_once(name: str, read: Any) -> None:
    for text in CORPUS:
        with suppress(UsageError):  # nothing is left of some
            lost = dropped(read(name).encode(text))
            if category(text[0]) != "Cc":  # of such, `tokenizers` misplaces what follows
                assert not {category(c)[0] for c in lost} & {"L", "N"}, text


@pytest.mark.parametrize("name", WHOLE)
@given(text=TEXTS)
def test_some_lose_nothing(name: str, read: Any, text: str) -> None:
    assert dropped(read(name).encode(text)) == ""


@pytest.mark.parametrize("name", KINDS)
@given(text=TEXTS)
def test_nothing_is_shown_twice(name: str, read: Any, text: str) -> None:
    with suppress(UsageError):
        dropped(read(name).encode(text))


@pytest.mark.parametrize("name", KINDS)
def test_special_pieces_are_shown(name: str, read: Any) -> None:
    around = {"roberta": ["<s>", "</s>"], "xlm-roberta": ["<s>", "</s>"], "t5": ["</s>"]}
    around |= {"bert": ["[CLS]", "[SEP]"], "albert": ["[CLS]", "[SEP]"]}
    around |= {"llama ends": ["<s>", "</s>"]}
    tokens = read(name).encode("a seal")
    labels = [tokens.label(at) for at in range(len(tokens)) if tokens.special[at]]
    assert labels == around.get(name, [])


def test_the_bytes_of_one_emoji_are_joined(gpt2: Path) -> None:
    encode = load_tokenizer(gpt2).encode
    assert encode("a 🙂!").labels() == ["a", "␣🙂", "!"]
    assert encode("🧿x").labels() == ["🧿 1/3", "🧿 2/3", "🧿 3/3", "x"]
    assert encode("نعم\n").labels() == ["ن", "ع", "م", "⏎"]


@pytest.mark.parametrize("name", WHOLE)
@given(text=TEXTS)
def test_text_comes_back(name: str, read: Any, text: str) -> None:
    """As typed; but the class for Llama takes a space in front for the one it adds itself."""
    text = STANDING_FOR_OTHERS.sub("", text).removeprefix("" if name != "llama ends" else " ")
    assume(text.strip() and not (name == "llama ends" and text[0] == " "))
    assert read(name).decode(list(read(name).encode(text).ids)) == text


@pytest.mark.parametrize("name", ["bert cased", "t5", "xlm-roberta"])
def test_words_come_back_where_spaces_do_not(name: str, read: Any) -> None:
    text = "The seal  slept on\tthe ice"
    assert read(name).decode(list(read(name).encode(text).ids)) == "The seal slept on the ice"
