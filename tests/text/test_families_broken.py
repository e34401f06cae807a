"""Tokenizers that cannot be read: one sentence each, that names the file and what was expected."""

import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
from families_folders import T5, byte_pairs, of, pieces, words, write
from families_layouts import BUILT
from hypothesis import given
from hypothesis import strategies as st

from pellucid.errors import PellucidError
from pellucid.text.charsmap import Charsmap
from pellucid.text.protobuf import fields
from pellucid.text.reading import load_tokenizer
from pellucid.text.sentencepiece import merges, read_sentencepiece

BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "nothing": ({}, "no tokenizer; expected tokenizer.json; or vocab.txt; or vocab.json and"),
    "half": ({"vocab.json": {"a": 0}}, "no tokenizer; expected"),
    "half of Marian": ({"source.spm": b"", "vocab.json": {}}, "no tokenizer; expected"),
    "no JSON": ({"tokenizer.json": "{"}, "has no tokenizer that can be read"),
    "no tokenizer": ({"tokenizer.json": {"a": 1}}, "has no tokenizer that can be read"),
    "settings": ({"tokenizer_config.json": "{"}, "tokenizer_config.json is not valid JSON"),
    "a list": ({"tokenizer_config.json": "[]"}, "tokenizer_config.json holds no settings"),
    "deep": ({"special_tokens_map.json": "[" * 99999}, "map.json is not valid JSON"),
    "bad bytes": ({"added_tokens.json": b'{"\xff": 1}'}, "added_tokens.json is not valid JSON"),
    "no text": (
        {"tokenizer_config.json": {"added_tokens_decoder": {"1": {"id": 3}}}},
        r"describes an added token badly \('content'\)",
    ),
    "no number": (
        {"tokenizer_config.json": {"added_tokens_decoder": {"x": {"content": "y"}}}},
        "describes an added token badly",
    ),
    "a stranger": (
        {
            "vocab.txt": "[UNK]",
            "tokenizer_config.json": {"tokenizer_class": "BertJapaneseTokenizer"},
        },
        "wants a BertJapaneseTokenizer and has no tokenizer.json; without one, known are BertT",
    ),
    "no [CLS]": ({"vocab.txt": "[UNK]\n[SEP]\na"}, "no cls_token"),
    "no model": ({"spiece.model": b"no model"}, "spiece.model is no SentencePiece model"),
    "empty": ({"tokenizer.model": b""}, "tokenizer.model is no SentencePiece model"),
    "tiktoken": ({"tokenizer.model": b"IQ== 0\nIg== 1\n"}, "no SentencePiece model"),
    "words": ({"spiece.model": b"\x12\x02\x18\x03"}, "read are unigram and BPE models"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_sentence_says_what_is_wrong(name: str, tmp_path: Path) -> None:
    files, sentence = BROKEN[name]
    with pytest.raises(PellucidError, match=sentence) as caught:
        load_tokenizer(write(tmp_path, files))
    assert "\n" not in str(caught.value)
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize("kind", ["word", "char"])
def test_models_of_words_and_letters_are_refused(kind: str, tmp_path: Path) -> None:
    model = pieces(model_type=kind, vocab_size=200, use_all_vocab=True)
    with pytest.raises(PellucidError, match="cuts into words or characters"):
        load_tokenizer(write(tmp_path, {"tokenizer.model": model}))


@pytest.mark.parametrize("name", ["t5", "albert", "llama ends", "plain own", "xlm-roberta"])
def test_a_damaged_model_is_refused_or_read(name: str, tmp_path: Path) -> None:
    """Cut off, or with bytes changed, anywhere: never anything but a sentence."""
    files = BUILT[name]()
    [(file, model)] = [(n, data) for n, data in files.items() if isinstance(data, bytes)]
    damage, read = random.Random(name), 0
    for _ in range(60):
        data = bytearray(model)
        for _ in range(damage.choice([1, 1, 9])):
            data[damage.randrange(len(data))] = damage.randrange(256)
        data = data[: damage.choice([len(data), damage.randrange(len(data))])]
        with suppress(PellucidError):
            load_tokenizer(write(tmp_path, files | {file: bytes(data)})).encode("The seal é")
            read += 1
    assert read < 60


@given(st.binary(max_size=60))
def test_any_bytes_are_a_table_of_characters_or_refused(data: bytes) -> None:
    with suppress(PellucidError):
        written, spans = Charsmap(data)("The seal é")
        assert len(written) == len(spans)


@given(st.lists(st.tuples(st.integers(1, 2**20), st.integers(0, 2**64 - 1) | st.binary())))
def test_fields_come_back(written: list[tuple[int, int | bytes]]) -> None:
    data = b"".join(field(number, value) for number, value in written)
    assert list(fields(data)) == written
    with pytest.raises(ValueError, match="byte"):
        list(fields(data + b"\xff"))


def field(number: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def varint(value: int) -> bytes:
    more, rest = value & 0x7F, value >> 7
    return bytes([more | 0x80]) + varint(rest) if rest else bytes([more])


def test_a_model_is_read_as_sentencepiece_reads_it(tmp_path: Path) -> None:
    data = pieces(**T5)
    theirs = sentencepiece.SentencePieceProcessor(model_proto=data)
    ours = read_sentencepiece(write(tmp_path, {"m": data}) / "m")
    for at, piece in enumerate(ours.pieces):
        assert piece.text == theirs.id_to_piece(at)
        assert piece.score == theirs.get_score(at)
        assert (piece.kind == "control") == theirs.is_control(at)
        assert (piece.kind == "unknown") == theirs.is_unknown(at)
    assert ours.unknown == theirs.unk_id() == 2


def test_merges_make_words_of_words() -> None:
    assert merges(["a", "b", "ab", "c", "abc"]) == [("a", "b"), ("ab", "c")]


def test_tokens_that_the_vocabulary_lacks_are_not_made_up(tmp_path: Path) -> None:
    """A class's own special tokens count where they are; what a folder names is added."""
    few = "".join(f"{line}\n" for line in words().splitlines() if line != "[MASK]")
    bare = load_tokenizer(write(tmp_path / "a", of("bert", {"vocab.txt": few})))
    assert bare.inner.token_to_id("[MASK]") is None
    named = of("bert", {"vocab.txt": few}, settings={"mask_token": "[MASK]"})
    assert load_tokenizer(write(tmp_path / "b", named)).encode("[MASK]").ids[1] == 699


def test_files_decide_where_the_class_is_of_other_files(tmp_path: Path) -> None:
    write(tmp_path, of("t5", byte_pairs()))
    assert load_tokenizer(tmp_path).encode(" a").pieces == ("Ġa",)
