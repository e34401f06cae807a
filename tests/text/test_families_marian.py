"""Marian: two SentencePiece models, one list of ids, and `transformers`' own slow tokenizer."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import transformers
import zoo
from families_corpus import CORPUS, PROSE, TEXTS
from families_folders import Files, of, pieces, write
from hypothesis import given, settings

from pellucid.errors import PellucidError, UsageError
from pellucid.text.reading import load_tokenizer
from pellucid.text.sentencepiece import read_sentencepiece
from pellucid.text.tokenizer import Tokenizer

pytestmark = pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")

SOURCE, TARGET = {"vocab_size": 300}, {"normalization_rule_name": "nmt_nfkc_cf", "vocab_size": 250}
FURTHER = [">>fra<<", ">>deu<<", "ẞ"]  # pieces of no model, but with an id
CODES = [">>fra<< hello", ">>xxx<< hello", ">>fra<<hello>>fra<< x", "x </s> >>fra<< y", ">><<a"]
PLAIN = {"skip_special_tokens": True, "clean_up_tokenization_spaces": False}


def files(folder: Path, **settings: Any) -> Files:
    """The usual files; where source and target have their own ids, both lists."""
    write(folder, {"source.spm": pieces(**SOURCE), "target.spm": pieces(**TARGET)})
    words = [
        [piece.text for piece in read_sentencepiece(folder / f"{side}.spm").pieces[3:]]
        for side in ("source", "target")
    ]
    first, second = (dict.fromkeys(["</s>", "<unk>", "<pad>", *side, *FURTHER]) for side in words)
    lists = {"vocab.json": first | second}
    if settings.get("separate_vocabs"):
        lists = {"vocab.json": first, "target_vocab.json": second}
    numbered = {name: {w: at for at, w in enumerate(of_it)} for name, of_it in lists.items()}
    return of("marian", numbered, settings=settings)


@pytest.fixture(scope="module", params=[{}, {"separate_vocabs": True}], ids=["shared", "separate"])
def both(request: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Tokenizer]:
    folder = tmp_path_factory.mktemp("marian")
    write(folder, files(folder, **request.param))
    return transformers.AutoTokenizer.from_pretrained(folder), load_tokenizer(folder)


def agree(theirs: Any, ours: Tokenizer, text: str) -> None:
    source, target = theirs(text).input_ids, theirs(text_target=text).input_ids
    assert list(ours.encode(text).ids) == source
    assert list(ours.target.encode(text).ids) == target
    assert ours.target.decode(target) == theirs.decode(target, **PLAIN)


def test_ids_are_those_of_transformers(both: Any) -> None:
    for text in [*CORPUS, *CODES]:
        agree(*both, text)


@settings(max_examples=300)
@given(text=TEXTS)
def test_for_every_text(both: Any, text: str) -> None:
    agree(*both, text)


def test_pieces_lie_where_sentencepiece_says(both: Any) -> None:
    model = sentencepiece.SentencePieceProcessor(model_proto=pieces(**SOURCE))
    for line in PROSE.splitlines()[:8]:
        at = [0, *(len(line[: n + 1].encode()) for n in range(len(line)))]
        theirs = [
            (at.index(piece.begin), at.index(piece.end))
            for piece in model.encode(line, return_type="proto").pieces
            if piece.begin < piece.end  # our ▁ in front shares the first letter's place
        ]
        ours = list(both[1].encode(line).offsets[:-1])
        assert ours[-len(theirs) :] == theirs


def test_accents_typed_one_by_one_are_kept(both: Any) -> None:
    """The reader of `tokenizers` drops the second of two accents."""
    composed, typed = (both[1].encode(text) for text in ("tiếng", "tie\u0302\u0301ng"))
    assert composed.ids == typed.ids
    assert composed.pieces == typed.pieces
    assert "".join(typed.text[a:b] for a, b in typed.offsets[1:-1]) == typed.text


def test_a_model_reads_source_and_target_with_their_own(both: Any) -> None:
    model = zoo.build("both")
    model.config = model.config.__class__(**{**vars(model.config), "longest": 99})
    model.tokenizer = both[1]
    read = model.read("The Seal", "The Seal")
    assert read["source"] == [both[1].encode("The Seal")]
    assert read["target"] == [both[1].target.encode("The Seal")]
    assert read["source"][0].pieces != read["target"][0].pieces


def test_it_is_saved_as_it_came(both: Any, tmp_path: Path) -> None:
    both[1].save(tmp_path)
    again = load_tokenizer(tmp_path)
    for text in CORPUS[:30]:
        assert again.encode(text) == both[1].encode(text)
        assert again.target.encode(text) == both[1].target.encode(text)


def test_two_texts_are_refused(both: Any) -> None:
    with pytest.raises(UsageError, match="one text at a time"):
        both[1].encode("a", "b")


@pytest.mark.parametrize("ids", [{"a": 1}, {"<unk>": "one"}, {}])
def test_a_list_that_numbers_nothing_is_refused(ids: dict[str, Any], tmp_path: Path) -> None:
    write(tmp_path, files(tmp_path) | {"vocab.json": ids})
    with pytest.raises(PellucidError, match="numbers no pieces"):
        load_tokenizer(tmp_path)


def test_pieces_of_a_text_go_from_left_to_right(both: Any) -> None:
    for text in CORPUS:
        offsets = both[1].encode(text).offsets[:-1]
        assert all(a <= c and b <= d for (a, b), (c, d) in pairwise(offsets))
