"""From a word to the pieces that carry it."""

from pathlib import Path

import pytest

from pellucid import UsageError
from pellucid.record.tokens import Tokens
from pellucid.text.reading import load_tokenizer
from pellucid.text.tokenizer import Tokenizer


@pytest.fixture(scope="module")
def wordpiece(minilm: Path) -> Tokenizer:
    return load_tokenizer(minilm)


@pytest.fixture(scope="module")
def bytewise(gpt2: Path) -> Tokenizer:
    return load_tokenizer(gpt2)


def test_special_pieces_are_shown_as_they_are_called(wordpiece: Tokenizer) -> None:
    tokens = wordpiece.encode("The Bank, tokenizer")
    assert tokens.labels() == ["[CLS]", "The", "Bank", ",", "token", "izer", "[SEP]"]
    assert tokens.special == (True, *[False] * 5, True)
    typed = wordpiece.encode("a [CLS] b").labels()
    assert typed == ["[CLS]", "a", "[CLS]", "b", "[SEP]"]


FOUND = [
    ("The bank of the bank", "bank", ["bank", "bank"]),
    ("The riverbanks and the bank", "bank", ["bank"]),
    ("The riverbank is muddy", "bank", ["bank"]),
    ("A tokenizer", "tokenizer", ["token", "izer"]),
    ("Unbelievable! Unbelievable?", "Unbelievable", ["Unbelievable", "Unbelievable"]),
    ("The bank of the river", "of the", ["of", "the"]),
    ("ice 🙂 and snow", "🙂", ["🙂"]),
    ("It's a C++ bank", "C++", ["C", "+", "+"]),
    ("It costs 3.50 (in all)", "(in", ["(", "in"]),
    ("The bank", "[SEP]", ["[SEP]"]),
    ("The bank", "seal", []),
    ("The bank", "", []),
    ("The bank", "bank of", []),
]


@pytest.mark.parametrize(("text", "word", "labels"), FOUND)
def test_a_word_is_found_wherever_it_stands(
    text: str, word: str, labels: list[str], wordpiece: Tokenizer
) -> None:
    tokens = wordpiece.encode(text)
    assert [tokens.label(at) for at in tokens.find(word)] == labels


BYTEWISE = [
    ("riverbanks and riverbanks", "riverbanks", ["ri", "verb", "anks", "␣river", "banks"]),
    ("a 🦭 b", "🦭", ["␣🦭 1/3", "🦭 2/3", "🦭 3/3"]),
    ("a 🦭 b", "🦭 2/3", ["🦭 2/3"]),
    ("a  b", "b", ["␣b"]),
    ("a\u0301 a", "a", ["␣a"]),
]


@pytest.mark.parametrize(("text", "word", "labels"), BYTEWISE)
def test_a_word_may_be_several_pieces_or_parts_of_bytes(
    text: str, word: str, labels: list[str], bytewise: Tokenizer
) -> None:
    tokens = bytewise.encode(text)
    assert [tokens.label(at) for at in tokens.find(word)] == labels


@pytest.mark.parametrize("text", ["The Bank, unbelievably so 🙂", "e\u0301 ش 東京"])
def test_tokens_survive_as_plain_data(text: str, wordpiece: Tokenizer, bytewise: Tokenizer) -> None:
    for tokenizer in (wordpiece, bytewise):
        tokens = tokenizer.encode(text)
        assert Tokens.from_json(tokens.to_json()) == tokens


@pytest.mark.parametrize("text", ["", " ", "\n\t ", "\u3000"])
def test_nothing_is_no_text(text: str, bytewise: Tokenizer) -> None:
    with pytest.raises(UsageError, match=r"The text is empty; give at least one word\."):
        bytewise.encode(text)
