"""The report on vectors, its numbers by hand; and the picture of a matrix."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scipy.sparse import csr_array

from pellucid import UsageError
from pellucid.text.columns import Met
from pellucid.text.formats import Document
from pellucid.text.labels import Labels
from pellucid.text.report import Report
from pellucid.text.spy import check_picture, density, spy
from pellucid.text.storing import Vectors
from pellucid.text.vectors import Vectorizer

TEXTS = ["cat cat mouse", "mouse tech", "!", "tech tech tech"]


@pytest.fixture
def counts() -> Vectorizer:
    return Vectorizer(kind="counts")


def test_the_numbers(counts: Vectorizer) -> None:
    report = Report.of(Vectors(counts, counts.fit_transform(TEXTS)))
    assert (report.documents, report.empty, report.vocabulary, report.nonzeros) == (4, 1, 3, 5)
    assert report.density == 5 / 12
    assert report.bytes_sparse == 5 * (4 + 4) + 5 * 4
    assert report.bytes_dense == 4 * 3 * 4
    assert report.heaviest == {
        "1": [("cat", 2.0), ("mouse", 1.0)],
        "2": [("mouse", 1.0), ("tech", 1.0)],
        "3": [],
        "4": [("tech", 3.0)],
    }


def test_the_heaviest_terms_of_a_class_are_above_the_mean_of_all(counts: Vectorizer) -> None:
    labels = np.array([0, 1, 1, 1], np.int32)
    vectors = Vectors(counts, counts.fit_transform(TEXTS), labels, ("animal", "tech"))
    report = Report.of(vectors)
    assert list(report.heaviest) == ["tech", "animal"]  # the larger class first
    assert report.heaviest["animal"] == [("cat", 2 - 2 / 4), ("mouse", 1 - 2 / 4)]
    assert report.heaviest["tech"] == [("tech", pytest.approx(4 / 3 - 4 / 4))]


def test_unknown_terms(counts: Vectorizer) -> None:
    counts.fit(TEXTS)
    met = Met()
    matrix = counts.transform(["cat dog", "dog fox tech"], met)
    unknown = Report.of(Vectors(counts, matrix), met).unknown
    assert (unknown.times, unknown.different, unknown.share) == (3, 2, 3 / 5)
    assert unknown.commonest == [("dog", 2), ("fox", 1)]
    assert str(unknown) == "3 terms (60.0%), 2 different: dog 2, fox 1"


def test_as_a_person_reads_it(counts: Vectorizer) -> None:
    lines = str(Report.of(Vectors(counts, counts.fit_transform(TEXTS)))).splitlines()
    assert lines[:6] == [
        "documents   4, 1 empty",
        "vocabulary  3 terms",
        "non-zeros   5, 1.2 a document",
        "density     41.667%",
        "sparse      60 bytes",
        "dense       48 bytes, 1 times as much",
    ]
    assert lines[7:9] == ["The heaviest terms of each document:", "  1  cat 2.00, mouse 1.00"]


def test_labels_have_numbers() -> None:
    labels = Labels()
    documents = [Document(text, label, 1) for text, label in zip("abc", "yny", strict=True)]
    for _ in range(2):  # they may be read again
        assert list(labels.texts(documents)) == ["a", "b", "c"]
        assert (labels.classes, labels.numbers.tolist()) == (("y", "n"), [0, 1, 0])
    assert list(labels.texts([*documents, Document("d", None, 2)])) == ["a", "b", "c", "d"]
    assert (labels.classes, labels.numbers) == ((), None)


def test_each_cell_of_the_picture_is_a_share() -> None:
    matrix = csr_array(np.array([[0, 1, 0], [0, 1, 1], [0, 1, 0], [0, 0, 0]], np.float32))
    assert density(matrix).tolist() == [[1, 0, 0], [1, 1, 0], [1, 0, 0], [0, 0, 0]]
    assert density(matrix, side=2).tolist() == [[3 / 4, 0], [1 / 4, 0]]
    large = csr_array(np.ones((5, 7), np.float32))
    assert np.allclose(density(large, side=3), 1)


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_picture(tmp_path: Path, ending: str, counts: Vectorizer) -> None:
    path = tmp_path / f"a.{ending}"
    spy(counts.fit_transform(TEXTS), path)
    assert path.stat().st_size > 1000
    if ending == "png":
        assert len(set(Image.open(path).convert("RGB").get_flattened_data())) > 10
    with pytest.raises(UsageError, match="exists already"):
        spy(counts.fit_transform(TEXTS), path)


def test_what_is_no_picture(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"is no picture; end its name in .png, .svg or .pdf."):
        check_picture(tmp_path / "a.txt", "refuse")
