"""Tokenizers against `transformers`: the same ids and offsets, whatever files they come in."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import transformers
from families_corpus import CORPUS, TEXTS
from families_folders import write
from families_layouts import BUILT, MIXED, smollm
from hypothesis import given, settings

from pellucid.errors import UsageError
from pellucid.text.reading import load_tokenizer
from pellucid.text.tokenizer import Tokenizer

Both = tuple[Any, Tokenizer]
PLAIN = {"skip_special_tokens": True, "clean_up_tokenization_spaces": False}


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Both]:
    """Theirs and ours of a layout, read from the same folder, once."""
    folder, read = tmp_path_factory.mktemp("layouts"), {}

    def of(name: str) -> Both:
        if name not in read:
            read[name] = pair(write(folder / name, BUILT[name]()))
        return read[name]

    return of


def pair(folder: Path, kind: str = "AutoTokenizer") -> Both:
    return getattr(transformers, kind).from_pretrained(folder), load_tokenizer(folder)


def differences(theirs: Any, ours: Tokenizer, text: str) -> Iterator[str]:
    expected = theirs(text, return_offsets_mapping=True, return_special_tokens_mask=True)
    if not expected.input_ids:
        with pytest.raises(UsageError, match="keeps nothing"):
            ours.encode(text)
        return
    found = ours.encode(text)
    for name, a, b in (
        ("ids", expected.input_ids, list(found.ids)),
        ("pieces", expected.tokens(), list(found.pieces)),
        ("offsets", expected.offset_mapping, list(found.offsets)),
        ("special", expected.special_tokens_mask, list(map(int, found.special))),
        ("decoded", theirs.decode(expected.input_ids, **PLAIN), ours.decode(list(found.ids))),
    ):
        if a != b:
            yield f"{text!r}: {name} are {b}, should be {a}"


def agree(theirs: Any, ours: Tokenizer, texts: list[str] = CORPUS) -> None:
    found = [line for text in texts for line in differences(theirs, ours, text)]
    assert not found, "\n".join(found[:5])


@pytest.mark.parametrize("name", BUILT)
def test_a_vocabulary_is_read_as_the_class_of_the_folder_reads_it(name: str, both: Any) -> None:
    agree(*both(name))


@settings(max_examples=40)
@given(text=TEXTS)
@pytest.mark.parametrize("name", BUILT)
def test_so_is_every_text(name: str, both: Any, text: str) -> None:
    agree(*both(name), [text])


@pytest.mark.parametrize("name", BUILT)
def test_tokenizer_json_is_taken_as_it_is(name: str, both: Any, tmp_path: Path) -> None:
    theirs, _ = both(name)
    theirs.save_pretrained(tmp_path)
    write(tmp_path, {"config.json": BUILT[name]()["config.json"]})
    agree(*pair(tmp_path, "PreTrainedTokenizerFast"))
    if name != "llama legacy":  # a setting that `transformers` forgets when it saves
        agree(*pair(tmp_path))


@pytest.mark.parametrize("name", BUILT)
def test_what_we_save_is_read_alike_by_both(name: str, both: Any, tmp_path: Path) -> None:
    theirs, ours = both(name)
    ours.save(tmp_path)
    write(tmp_path, {"config.json": BUILT[name]()["config.json"]})
    agree(*pair(tmp_path))
    agree(theirs, load_tokenizer(tmp_path))
    assert pair(tmp_path)[0].special_tokens_map == ours.special


@pytest.mark.parametrize("name", MIXED)
def test_settings_beside_tokenizer_json_count(name: str, both: Any, tmp_path: Path) -> None:
    plain, small = MIXED[name]
    both(plain)[0].save_pretrained(tmp_path)
    (tmp_path / "tokenizer_config.json").unlink()
    agree(*pair(write(tmp_path, BUILT[small]())))


def test_single_digits_stay_single_where_transformers_loses_them(tmp_path: Path) -> None:
    write(tmp_path, smollm())
    agree(*pair(tmp_path, "PreTrainedTokenizerFast"))
    pieces = load_tokenizer(tmp_path).encode("in 1992").pieces
    assert pieces[-4:] == ("1", "9", "9", "2")


def test_minilm(minilm: Path, tmp_path: Path) -> None:
    agree(*pair(minilm))
    for name in ("config.json", "vocab.txt", "tokenizer_config.json"):
        shutil.copy(minilm / name, tmp_path)
    agree(*pair(tmp_path))
    bare = tmp_path / "bare"
    bare.mkdir()
    shutil.copy(minilm / "vocab.txt", bare)
    agree(pair(tmp_path)[0], load_tokenizer(bare))


def test_gpt2(gpt2: Path) -> None:
    agree(*pair(gpt2))


def test_two_texts_keep_their_segments(both: Any) -> None:
    for name in ("bert", "roberta", "gpt2 bos", "t5", "albert", "xlm-roberta", "llama ends"):
        theirs, ours = both(name)
        first, second = "A seal é", "on  the ice 🙂"
        expected = theirs(first, second, return_offsets_mapping=True, return_token_type_ids=True)
        found = ours.encode(first, second)
        assert list(found.ids) == expected.input_ids
        assert list(found.segments) == expected.token_type_ids
        whole = [(first, second)[which or 0] for which in expected.sequence_ids()]
        shown = [text[a:b] for text, (a, b) in zip(whole, expected.offset_mapping, strict=True)]
        assert shown == [found.text[a:b] for a, b in found.offsets]


def test_an_id_without_a_piece_is_shown_as_a_number(both: Any) -> None:
    assert both("bert")[1].piece(99999) == "<99999>"
