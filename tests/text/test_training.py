"""Training: the same texts give the same pieces, others read them, and what is lost is said."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import transformers
from families_corpus import CORPUS, PROSE, TEXTS
from hypothesis import given
from hypothesis import strategies as st

from pellucid.errors import PellucidError, UsageError
from pellucid.text.kinds import KINDS, KindName, letters_within, settled
from pellucid.text.merging import Steps
from pellucid.text.reading import load_tokenizer
from pellucid.text.tokenizer import Tokenizer
from pellucid.text.training import check_folder, fit, save, train

LINES = [line for line in PROSE.splitlines() for _ in range(3)]
SIZES: dict[KindName, int] = {
    "bpe": 500,
    "wordpiece": 600,
    "unigram": 280,
    "words": 120,
    "characters": 300,
}


@pytest.fixture(scope="module")
def trained() -> dict[KindName, Tokenizer]:
    return {kind: train(LINES, kind=kind, size=size) for kind, size in SIZES.items()}


def back(tokenizer: Tokenizer, text: str) -> str:
    """The text from its own ids; special pieces that were typed are part of it."""
    ids = tokenizer.inner.encode(text, add_special_tokens=False).ids
    return str(tokenizer.inner.decode(ids, skip_special_tokens=False))


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_texts_give_the_same_pieces(kind: KindName, trained: Any) -> None:
    """The library itself numbers some of them by chance."""
    for _ in range(3):
        again = train(iter(LINES), kind=kind, size=SIZES[kind])
        assert again.inner.to_str() == trained[kind].inner.to_str()


@pytest.mark.parametrize("kind", KINDS)
def test_pieces_are_as_many_as_asked_and_special_ones_first(kind: KindName, trained: Any) -> None:
    tokenizer = trained[kind]
    count = tokenizer.inner.get_vocab_size()
    assert count == SIZES[kind] or (count < SIZES[kind] and kind == "characters")
    ids = list(tokenizer.inner.get_vocab().values())
    assert sorted(ids) == list(range(count))
    special = list(dict.fromkeys(KINDS[kind].special.values()))
    assert [tokenizer.inner.token_to_id(piece) for piece in special] == list(range(len(special)))


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_saved_is_read_alike_by_all(kind: KindName, trained: Any, tmp_path: Path) -> None:
    folder = save(trained[kind], tmp_path / "tok")
    assert {file.name for file in folder.iterdir()} == {"tokenizer.json", "tokenizer_config.json"}
    assert list(tmp_path.iterdir()) == [folder]
    ours, theirs = load_tokenizer(folder), transformers.AutoTokenizer.from_pretrained(folder)
    assert theirs.special_tokens_map == ours.special == dict(KINDS[kind].special)
    for text in CORPUS:
        ids = trained[kind].inner.encode(text).ids
        assert ids == ours.inner.encode(text).ids == theirs(text).input_ids


def test_a_second_text_is_framed_as_the_kind_is(trained: Any) -> None:
    assert trained["wordpiece"].encode("a", "b").pieces == ("[CLS]", "a", "[SEP]", "b", "[SEP]")
    assert trained["unigram"].encode("a").pieces[-1] == "</s>"
    assert trained["wordpiece"].encode("a", "b").segments == (0, 0, 0, 1, 1)


@pytest.mark.parametrize("kind", KINDS)
def test_its_steps_are_known(kind: KindName, trained: Any) -> None:
    steps = Steps(trained[kind])
    assert sum(len(steps.words(text)) for text in CORPUS if back(trained[kind], text)) > 200


# the way back


def test_nothing_is_lost_in_bytes(trained: Any) -> None:
    assert not KINDS["bpe"].loses
    for text in CORPUS:
        assert back(trained["bpe"], text) == text


@given(TEXTS)
def test_of_no_text_at_all(trained: Any, text: str) -> None:
    assert back(trained["bpe"], text) == text


@pytest.mark.parametrize("kind", ["unigram", "characters"])
def test_nothing_is_lost_whose_letters_are_known(kind: KindName) -> None:
    tokenizer = train(CORPUS, kind=kind, size=1200)
    special = {*tokenizer.special.values()}
    for text in CORPUS:
        if kind == "characters" or not any(piece in text for piece in ("▁", *special)):
            assert back(tokenizer, text) == text


@given(st.text(sorted({*"".join(LINES), "\n"} - {*"<▁"})))
@pytest.mark.parametrize("kind", ["unigram", "characters"])
def test_whatever_the_text(kind: KindName, trained: Any, text: str) -> None:
    assert back(trained[kind], text) == text


LOST = {
    "wordpiece": "two  spaces",
    "unigram": "a letter: 𝔣",
    "words": "not,spaced",
    "characters": "a letter: 𝔣",
}


@pytest.mark.parametrize("kind", LOST)
def test_what_is_lost_is_said(kind: KindName, trained: Any) -> None:
    assert KINDS[kind].loses
    assert back(trained[kind], LOST[kind]) != LOST[kind]


def test_how_it_fits(trained: Any) -> None:
    texts = ["The seal", "slept  on 𝔣", " "]
    found = {kind: fit(tokenizer, texts) for kind, tokenizer in trained.items()}
    assert found["characters"].pieces == found["characters"].characters == 19
    assert found["characters"].length == 1.0
    assert {kind: each.unknown for kind, each in found.items()} == {
        "bpe": 0,
        "wordpiece": 1,
        "unigram": 1,
        "words": 1,
        "characters": 1,
    }
    assert {kind: each.returned for kind, each in found.items()} == {
        "bpe": 2,
        "wordpiece": 1,
        "unigram": 1,
        "words": 1,
        "characters": 1,
    }
    assert found["words"].longest[0] == "internationalisation"
    assert fit(trained["bpe"], []).length == 0.0


# how it learns


def test_letters_that_earned_no_score_get_it_in_their_order() -> None:
    """The library hands these scores out by chance."""
    good = {"ab": -2.0, "a": -3.0000000001}
    first = settled({**good, "x": -5.0001, "y": -5.0, "z": -5.0002})
    assert first == settled({"z": -5.0, "y": -5.0002, **good, "x": -5.0001})
    assert first == [("ab", -2.0), ("a", -3.0), ("x", -5.0), ("y", -5.0001), ("z", -5.0002)]


def test_a_stream_is_read_once_and_not_held(trained: Any) -> None:
    came = []

    def texts() -> Iterator[str]:
        for number, line in enumerate(LINES):
            came.append(number)
            yield line

    assert train(texts(), size=500).inner.to_str() == trained["bpe"].inner.to_str()
    assert came == list(range(len(LINES)))


def test_wordpiece_knows_each_letter_at_the_beginning_and_within(trained: Any) -> None:
    known = trained["wordpiece"].inner.get_vocab()
    inside = [letter for letter in letters_within() if letter in known]
    assert len(inside) > 150
    assert all(f"##{letter}" in known for letter in inside)
    assert "猫" in known
    assert "##猫" not in known


def test_special_pieces_are_named_by_role() -> None:
    special = {"pad": "<blank>", "mask": "<mask>"}
    tokenizer = train(LINES, size=400, special=special)
    assert tokenizer.special["pad_token"] == "<blank>"
    assert tokenizer.encode("a<mask>b").pieces == ("a", "<mask>", "b")
    assert tokenizer.decode(list(tokenizer.encode("a<mask>b").ids)) == "ab"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"kind": "morse"}, "no kind 'morse' of tokenizer; known are bpe, wordpiece, unigram"),
        ({"size": 257}, "257 is too small for the special .* letters alone, which are 258"),
        ({"size": 2}, "A vocabulary of 2 is too small"),
        ({"kind": "wordpiece", "size": 50}, "A vocabulary of 50 is too small"),
        ({"kind": "unigram", "size": 50}, "A vocabulary of 50 is too small"),
        ({"special": {"king": "<k>"}}, "has the role 'king'; roles are bos, eos, unk"),
        ({"special": {"pad": " "}}, "The special piece ' ' is no word; write pad=<pad>."),
    ],
)
@pytest.mark.usefixtures("unchecked")
def test_a_request_that_makes_no_sense(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        train(LINES, **options)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("texts", [[], ["", " \n"]])
def test_no_text(kind: KindName, texts: list[str]) -> None:
    with pytest.raises(PellucidError, match=r"There is no text to train on"):
        train(texts, kind=kind, size=1000)


def test_half_a_character() -> None:
    with pytest.raises(PellucidError, match=r"Text 2 is not valid Unicode at character 1; mend it"):
        train(["fine", "a\ud83d"])


def test_a_problem_of_the_texts_stays_what_it_is() -> None:
    def texts() -> Iterator[str]:
        yield "one"
        raise PellucidError("a.txt line 2 is broken.")

    with pytest.raises(PellucidError, match=r"^a\.txt line 2 is broken\.$"):
        train(texts())


def test_what_stands_there_is_not_lost(trained: Any, tmp_path: Path) -> None:
    folder, file = tmp_path / "tok", tmp_path / "file"
    folder.mkdir()
    (folder / "tokenizer.json").write_text("old")
    file.touch()
    with pytest.raises(UsageError, match="exists already"):
        save(trained["bpe"], folder)
    assert (folder / "tokenizer.json").read_text() == "old"
    save(trained["bpe"], folder, existing="replace")
    assert json.loads((folder / "tokenizer.json").read_text())["version"]
    with pytest.raises(UsageError, match="is a file"):
        check_folder(file, "replace")
    with pytest.raises(UsageError, match="does not exist"):
        check_folder(tmp_path / "no" / "tok", "refuse")
    assert {path.name for path in tmp_path.iterdir()} == {"tok", "file"}
