"""Splitting a text into words, and what becomes of them."""

import copy
import pickle
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
import snowballstemmer
from hypothesis import given
from hypothesis import strategies as st
from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES
from sklearn.feature_extraction.text import CountVectorizer

from pellucid import UsageError
from pellucid.text import languages, words
from pellucid.text.words import Analyzer, Forms, Word

MICE = "The mice were running better in the cities."
FORMS = {
    ("lower", "porter"): "the mice were run better in the citi",
    ("lower", "snowball"): "the mice were run better in the citi",
    ("lemma",): "the mouse be run good in the city",
    ("lower",): "the mice were running better in the cities",
    (): "The mice were running better in the cities",
}
TEXTS = st.text(st.characters(codec="utf-8")) | st.text("ab1_-'’é\u0301 \u0939\u093f.")


@pytest.mark.parametrize("steps", FORMS)
def test_what_becomes_of_words(steps: tuple[str, ...]) -> None:
    assert Analyzer(steps=steps)(MICE) == FORMS[steps].split()


def test_porter_and_snowball_are_two() -> None:
    assert Analyzer(steps=("porter",))("generously") == ["gener"]
    assert Analyzer(steps=("snowball",))("generously") == ["generous"]


def test_a_word_knows_its_characters() -> None:
    assert list(Analyzer().words("A 🙂 MOUSE ran")) == [
        Word("A", 0, 1, "a"),
        Word("MOUSE", 4, 9, "mouse"),
        Word("ran", 10, 13, "ran"),
    ]


@given(TEXTS)
def test_words_of_any_text(text: str) -> None:
    found = list(Analyzer().words(text))
    assert all(text[word.start : word.end] == word.text for word in found)
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert Analyzer()(text) == [word.form for word in found]


@given(TEXTS)
def test_canonically_equal_texts_have_the_same_words(text: str) -> None:
    composed, parted = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert Analyzer(pattern=r"\S+")(composed) == Analyzer(pattern=r"\S+")(parted)


def test_a_word_keeps_its_marks_and_apostrophes() -> None:
    assert Analyzer()("हिन्दी e\u0301te\u0301 don't John’s") == ["हिन्दी", "été", "don't", "john’s"]


@pytest.mark.parametrize(
    ("step", "typed", "form"),
    [
        ("nfkc", "ﬁne", "fine"),
        ("fold", "Straße", "strasse"),
        ("bare", "naïve", "naive"),
        ("bare", "\u0301", "\u0301"),
    ],
)
def test_spelling(step: str, typed: str, form: str) -> None:
    assert Forms((step,))[typed] == form


@given(st.lists(st.sampled_from("abc")), st.integers(1, 3), st.integers(0, 2))
def test_terms_are_runs_of_words(letters: list[str], fewest: int, more: int) -> None:
    lengths = range(fewest, fewest + more + 1)
    runs = [letters[at : at + n] for n in lengths for at in range(len(letters) - n + 1)]
    analyzer = Analyzer(ngrams=(fewest, fewest + more))
    assert analyzer(" ".join(letters)) == [" ".join(run) for run in runs]


@pytest.mark.parametrize("fewest", [2, 10**20])
def test_terms_are_no_longer_than_the_text_however_long_they_may_be(fewest: int) -> None:
    terms = ["a b", "b c", "a b c"] if fewest == 2 else []
    assert Analyzer(ngrams=(fewest, 10**20))("a b c") == terms


def test_scikit_learn_takes_it_as_an_analyzer() -> None:
    counts = CountVectorizer(analyzer=Analyzer(steps=("lemma",)))
    assert counts.fit_transform([MICE]).sum() == 8
    assert "mouse" in counts.vocabulary_


def test_every_language_of_the_libraries_has_a_name() -> None:
    stems = {languages.snowball(code) for code in languages.NAMES} - {None}
    assert stems == set(snowballstemmer.algorithms()) - {"porter", "dutch_porter"}
    assert {languages.lemmas(code) for code in languages.NAMES} - {None} == SUPPORTED_LANGUAGES
    assert len(languages.CODES) == len(languages.NAMES) + 1


def test_a_language_by_code_or_name() -> None:
    for language in ("de", "german", "German"):
        forms = Forms(("lower", "snowball"), language)
        assert [forms[word] for word in ("Mäuse", "Städten")] == ["maus", "stadt"]
    assert Forms(("lemma",), "de")["Mäuse"] == "Maus"
    assert languages.snowball("nn") == languages.snowball("no") == "norwegian"


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"ngrams": (2, 1)}, "N-grams of 2 to 1 words make no sense; write like 1-2."),
        ({"ngrams": (0, 1)}, "N-grams of 0 to 1 words make no sense; write like 1-2."),
        ({"pattern": "(a"}, "cannot be read: missing )"),
        ({"pattern": "(a)"}, "has a group; write (?:…) for (…)."),
        ({"pattern": r"\w*"}, "also fits no letter at all; use + for *."),
        ({"steps": ("stem",)}, "Nothing called 'stem' is done to words: nfc, "),
        ({"steps": ("snowball",), "language": "germn"}, "did you mean 'german'?"),
        ({"steps": ("snowball",), "language": "xx"}, "there are ar (arabic), "),
        ({"steps": ("snowball",), "language": "ka"}, "no stemmer for ka; a lemma may do."),
        ({"steps": ("porter",), "language": "de"}, "knows English only, not de; take snowball."),
        ({"steps": ("lemma",), "language": "eu"}, "no dictionary of eu; a stem may do."),
    ],
)
def test_a_request_that_makes_no_sense(wrong: dict, sentence: str) -> None:
    with pytest.raises(UsageError) as raised:
        Analyzer(**wrong)
    assert sentence in str(raised.value)


def test_a_copy_works_out_its_forms_afresh() -> None:
    analyzer = Analyzer(steps=("lower", "snowball"), ngrams=(1, 2))
    terms = analyzer(MICE)
    assert len(pickle.dumps(analyzer)) < 300
    for other in (copy.deepcopy(analyzer), Analyzer.from_json(analyzer.to_json())):
        assert other == analyzer
        assert other(MICE) == terms


def test_each_word_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setitem(words.STEPS, "lower", lambda _: lambda word: asked.append(word) or word)
    Analyzer(steps=("lower",))("a b a b a")
    assert asked == ["a", "b"]


def test_no_more_words_are_remembered_than_there_is_room_for(monkeypatch) -> None:
    monkeypatch.setattr(words, "MOST_FORMS", 2)
    forms = Forms(("lower",))
    assert [forms[word] for word in "ABCAB"] == list("abcab")
    assert len(forms) <= 2


def test_threads_do_not_meet_in_a_stemmer() -> None:
    typed = [f"{stem}{end}" for stem in ("runn", "citi", "gener") for end in ("ing", "es", "ously")]
    alone = Forms(("snowball",))
    expected = [alone[word] for word in typed]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(20):
            together = Forms(("snowball",))
            assert list(pool.map(together.__getitem__, typed * 8)) == expected * 8
