"""The steps lead where the library got: on every layout, and on small vocabularies of chance."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from families_corpus import CORPUS, PROSE, TEXTS
from families_folders import of, pieces, write
from families_layouts import BUILT
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import models

from pellucid.errors import PellucidError, UsageError
from pellucid.text.cutting import Cut, Edge, Likeliest, Longest, Match, Merge, Pairs, Way, Whole
from pellucid.text.merging import BYTES, Steps
from pellucid.text.reading import load_tokenizer
from pellucid.text.sentencepiece import read_sentencepiece
from pellucid.text.tokenizer import Tokenizer

SAMPLES = ["bert", "bert new", "bert listed", "roberta", "gpt2", "t5", "albert"]
SAMPLES += ["xlm-roberta", "llama ends", "llama own", "plain own", "plain unigram"]
WORDS = st.text("abcß🙂", min_size=1, max_size=12)
SPELLED = [f"<0x{byte:02X}>" for byte in range(256)]


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Steps]:
    folder, known = tmp_path_factory.mktemp("steps"), {}

    def of(name: str) -> Steps:
        if name not in known:
            known[name] = Steps(load_tokenizer(write(folder / name, BUILT[name]())))
        return known[name]

    return of


def library(model: models.Model, word: str) -> list[tuple[str, int]]:
    return [(token.value, token.id) for token in model.tokenize(word)]


def check(steps: Steps, text: str) -> int:
    """Each word's pieces are the library's, and with special ones between they are the text's."""
    with suppress(UsageError):  # nothing is left of some texts
        words = steps.words(text)
        for word in words:
            assert list(word.cut.pieces) == library(steps.inner.model, word.text)
        special = steps.inner.get_added_tokens_decoder()
        theirs = steps.inner.encode(text, add_special_tokens=False).ids
        ours = [number for word in words for _, number in word.cut.pieces]
        for ids in (ours, theirs):
            ids[:] = [number for number in ids if number not in special]
        assert ours == theirs
        return len(words)
    return 0


@pytest.mark.parametrize("name", BUILT)
def test_every_layout_over_the_corpus(name: str, steps: Any) -> None:
    assert sum(check(steps(name), text) for text in CORPUS) > 50


@settings(max_examples=40)
@given(text=TEXTS)
@pytest.mark.parametrize("name", SAMPLES)
def test_every_text(name: str, steps: Any, text: str) -> None:
    check(steps(name), text)


def test_real_vocabularies(minilm: Path, gpt2: Path) -> None:
    for folder in (minilm, gpt2):
        real = Steps(load_tokenizer(folder))
        assert sum(check(real, text) for text in CORPUS) > 500


def test_marian(tmp_path: Path) -> None:
    """Here the characters are rewritten before the library is given them."""
    spm = pieces(normalization_rule_name="nmt_nfkc_cf", vocab_size=300)
    write(tmp_path, {"source.spm": spm, "target.spm": spm})
    known = [piece.text for piece in read_sentencepiece(tmp_path / "source.spm").pieces[3:]]
    numbers = dict.fromkeys(["</s>", "<unk>", "<pad>", *known, ">>fra<<"])
    vocabulary = {piece: at for at, piece in enumerate(numbers)}
    tokenizer = load_tokenizer(write(tmp_path, of("marian", {"vocab.json": vocabulary})))
    marian = Steps(tokenizer)
    for text in (text for text in CORPUS if "<" not in text):  # without special pieces
        cut = [piece for word in marian.words(text) for piece, _ in word.cut.pieces]
        assert cut == list(tokenizer.encode(text).pieces[:-1])
    (word,) = marian.words(">>fra<< The Straße")
    assert (word.text, word.start, word.end) == ("▁the▁straße", 8, 18)
    before, after = marian.words("ﬁn </s> ẞ")
    assert [(each.text, each.start, each.end) for each in (before, after)] == [
        ("▁fin", 0, 2),
        ("▁ß", 8, 9),
    ]


# vocabularies of chance


@st.composite
def byte_pairs(draw: st.DrawFn) -> dict[str, Any]:
    prefix = draw(st.sampled_from(["", "##"]))
    letters = list("<abcß")[: draw(st.integers(2, 5))]
    vocab = dict.fromkeys(["<unk>", *letters, *(prefix + letter for letter in letters)])
    if draw(st.booleans()):
        vocab |= dict.fromkeys(SPELLED)
    merges = []
    for _ in range(draw(st.integers(0, 8))):
        left, right = draw(st.sampled_from([*vocab])), draw(st.sampled_from([*vocab]))
        if right.startswith(prefix):
            merges.append((left, right))
            vocab[left + right[len(prefix) :]] = None
    options = {"byte_fallback": True, "fuse_unk": True, "ignore_merges": True}
    chosen = {name: draw(st.booleans()) for name in options}
    texts = {"unk_token": draw(st.sampled_from(["", "<unk>"])), "continuing_subword_prefix": prefix}
    numbers = {piece: number for number, piece in enumerate(vocab)}
    said = {name: text for name, text in texts.items() if text}
    return {"vocab": numbers, "merges": merges, **chosen, **said}


@settings(max_examples=400)
@given(byte_pairs(), WORDS)
def test_merges_of_chance(described: dict[str, Any], word: str) -> None:
    cut = Pairs(described)(word)
    assert list(cut.pieces) == library(models.BPE(**described), word)
    rows = [[piece for piece, *_ in row] for row in cut.rows()]
    assert rows[-1] == [piece for piece, _ in cut.pieces]
    merges = [step for step in cut.steps if isinstance(step, Merge)]
    ranks = {pair: rank for rank, pair in enumerate(described["merges"])}
    for row, step in zip(rows, merges, strict=False):
        found = [(ranks[pair], at) for at, pair in enumerate(pairwise(row)) if pair in ranks]
        assert (step.rank, step.at) == min(found)


def test_of_equal_pairs_the_leftmost_is_merged() -> None:
    described = {"vocab": {"a": 0, "aa": 1}, "merges": [("a", "a")]}
    cut = Pairs(described)("aaaaa")
    assert [step.at for step in cut.steps] == [0, 1]
    assert list(cut.pieces) == library(models.BPE(**described), "aaaaa")


def test_a_word_may_end_with_a_suffix() -> None:
    vocab = {"a": 0, "b": 1, "b</w>": 2, "ab</w>": 3}
    described = {"vocab": vocab, "merges": [("a", "b</w>")], "end_of_word_suffix": "</w>"}
    for word in ("ab", "abab", "b", "a"):
        assert list(Pairs(described)(word).pieces) == library(models.BPE(**described), word)


@settings(max_examples=200)
@given(st.sets(st.text("abc", min_size=1, max_size=4)), st.integers(1, 12), WORDS)
def test_longest_matches_of_chance(known: set[str], longest: int, word: str) -> None:
    vocab = {"[UNK]": 0, "a": 1}
    for piece in sorted(known):
        vocab.setdefault(piece, len(vocab))
        vocab.setdefault(f"##{piece}", len(vocab))
    options = {"unk_token": "[UNK]", "max_input_chars_per_word": longest}
    options |= {"continuing_subword_prefix": "##"}
    cut = Longest({"vocab": vocab, **options})(word)
    assert list(cut.pieces) == library(models.WordPiece(vocab, **options), word)
    for step in cut.steps:
        assert isinstance(step, Match)
        prefix = "##" if step.start else ""
        longer = [prefix + word[step.start : end] for end in range(step.end + 1, len(word) + 1)]
        assert step.piece is None or (step.tried == len(longer) and not vocab.keys() & set(longer))


SCORED = st.dictionaries(
    st.text("abc", min_size=1, max_size=4), st.sampled_from([-1.0, -2.0, -2.5, -7.0]), max_size=12
)


@settings(max_examples=300)
@given(SCORED, st.booleans(), WORDS)
def test_lattices_of_chance(scores: dict[str, float], in_bytes: bool, word: str) -> None:
    """Scores are drawn from few, so that paths are often equally good."""
    vocab = [("<unk>", 0.0), *scores.items(), *((byte, -9.0) for byte in SPELLED if in_bytes)]
    cut = Likeliest({"vocab": vocab, "unk_id": 0, "byte_fallback": in_bytes})(word)
    assert list(cut.pieces) == library(models.Unigram(vocab, 0, in_bytes), word)


@given(SCORED, st.text("abcd", min_size=1, max_size=7))
def test_the_path_taken_is_the_best_of_all(scores: dict[str, float], word: str) -> None:
    vocab = [("<unk>", 0.0), *scores.items()]
    cut = Likeliest({"vocab": vocab, "unk_id": 0})(word)
    edges = [step for step in cut.steps if isinstance(step, Edge)]
    path = [edge for edge in edges if edge.chosen]
    assert "".join(edge.piece for edge in path) == word
    assert path[-1].total == pytest.approx(max(sums(edges, 0, len(word))))


def sums(edges: list[Edge], start: int, end: int) -> Iterator[float]:
    """The scores of every way through the lattice, one after another."""
    if start == end:
        yield 0.0
    for edge in edges:
        if edge.start == start:
            yield from (edge.score + rest for rest in sums(edges, edge.end, end))


def test_whole_words() -> None:
    vocab = {"[UNK]": 0, "seal": 1}
    way: Way = Whole({"vocab": vocab, "unk_token": "[UNK]"})
    assert way("seal") == Cut((("seal", 1),), ("seal",))
    assert way("ice").pieces == (("[UNK]", 0),)


# what is shown of them


def test_bytes_are_joined_to_characters(steps: Any) -> None:
    assert len(BYTES) == 256
    spelled = steps("gpt2").spelled
    assert [spelled(piece) for piece in ("ðŁ", "ðŁĻĤ", "Ġthe", "Ã", "ÃŁ")] == [
        "\\xf0\\x9f",
        "🙂",
        " the",
        "\\xc3",
        "ß",
    ]
    assert [steps("llama").spelled(piece) for piece in ("<0x41>", "<0xE2>", "▁a")] == [
        "A",
        "\\xe2",
        "▁a",
    ]
    assert steps("bert").spelled("ðŁ") == "ðŁ"


@given(text=TEXTS)
def test_the_words_of_bytes_are_the_text(steps: Any, text: str) -> None:
    for word in steps("gpt2").words(text):
        typed = b"".join(map(BYTES.__getitem__, word.text)).decode()
        assert text[word.start : word.end] == typed


def test_steps_that_lead_elsewhere_are_not_shown() -> None:
    inner = tokenizers.Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")], dropout=1.0))
    with pytest.raises(PellucidError, match=r"not known: it cuts 'ab' into a, b, where ab"):
        Steps(Tokenizer(inner)).words("ab")


def test_a_word_that_is_too_long_says_so(steps: Any) -> None:
    (word,) = steps("bert").words("x" * 101)
    assert word.cut.steps == (Match(0, 101, None, 0),)
    assert word.cut.pieces == (("[UNK]", 1),)


def test_a_text_that_is_none(steps: Any) -> None:
    with pytest.raises(UsageError, match="empty"):
        steps("bert").words("  ")


def test_prose_has_words_in_order(steps: Any) -> None:
    for name in SAMPLES:
        spans = [(word.start, word.end) for word in steps(name).words(PROSE)]
        assert all(a <= c and b <= d for (a, b), (c, d) in pairwise(spans)), name
