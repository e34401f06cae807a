"""The mouse, with a pencil: every number worked out by plain arithmetic, and no tensor in sight."""

import math

import pytest

import pellucid
from pellucid import Trace

Vector = tuple[float, ...]
Rows = list[list[float]]

CAT, MOUSE, KEYBOARD = (2.0, 0.0), (1.5, 1.5), (0.0, 2.0)
AND = ARE = (0.1, 0.1)
FRIENDS, HELPFUL = (0.5, 0.0), (0.0, 0.5)

FRIENDLY = ("cat and mouse are friends", [CAT, AND, MOUSE, ARE, FRIENDS])
USEFUL = ("keyboard and mouse are helpful", [KEYBOARD, AND, MOUSE, ARE, HELPFUL])


def mean(weights: list[float], vectors: list[Vector]) -> list[float]:
    """Of each column, weighted."""
    return [
        sum(weight * vector[column] for weight, vector in zip(weights, vectors, strict=True))
        for column in range(len(vectors[0]))
    ]


def shares(scores: list[float]) -> list[float]:
    powers = [math.exp(score) for score in scores]
    return [power / sum(powers) for power in powers]


def found(trace: Trace, name: str, head: int = 0) -> Rows:
    value = trace[f"{trace.about['config']['shape']}.{name}"][0]
    return (value[head] if value.dim() == 3 else value).tolist()


def same(rows: Rows, expected: Rows) -> None:
    assert len(rows) == len(expected)
    for row, other in zip(rows, expected, strict=True):
        assert row == pytest.approx(other, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize(("sentence", "vectors"), [FRIENDLY, USEFUL])
def test_first_without_learned_weights(sentence: str, vectors: list[Vector]) -> None:
    """Q = K = V = the input, so a score is the product of two words' vectors, over √2."""
    trace = pellucid.load("mouse").see(sentence)
    scores = [[a[0] * b[0] + a[1] * b[1] for b in vectors] for a in vectors]
    scaled = [[score / math.sqrt(2) for score in row] for row in scores]
    weights = [shares(row) for row in scaled]
    same(found(trace, "0.attention.q"), [list(vector) for vector in vectors])
    same(found(trace, "0.attention.scores"), scores)
    same(found(trace, "0.attention.scaled"), scaled)
    same(found(trace, "0.attention.weights"), weights)
    same(found(trace, "output"), [mean(row, vectors) for row in weights])


def test_the_numbers_on_paper() -> None:
    """The row of mouse, in full: 1.5·2 = 3, 0.3, 4.5, 0.3, 0.75, over √2, and e to the power."""
    trace = pellucid.load("mouse").see("cat and mouse are friends")
    assert found(trace, "0.attention.scores")[2] == pytest.approx([3.0, 0.3, 4.5, 0.3, 0.75])
    powers = [math.exp(x / 1.41421356) for x in (3.0, 0.3, 4.5, 0.3, 0.75)]
    assert powers == pytest.approx([8.3421, 1.2363, 24.0946, 1.2363, 1.6994], abs=1e-3)
    weights = [power / 36.6087 for power in powers]
    assert weights == pytest.approx([0.2279, 0.0338, 0.6582, 0.0338, 0.0464], abs=1e-4)
    assert found(trace, "0.attention.weights")[2] == pytest.approx(weights, abs=1e-5)
    animal = 0.2279 * 2 + 0.0338 * 0.1 + 0.6582 * 1.5 + 0.0338 * 0.1 + 0.0464 * 0.5
    tech = 0.0338 * 0.1 + 0.6582 * 1.5 + 0.0338 * 0.1
    assert found(trace, "output")[2] == pytest.approx([animal, tech], abs=1e-3)


def test_the_same_vector_leans_to_its_neighbours() -> None:
    """In, mouse is the same in both sentences; out, it is more of an animal, or of a machine."""
    model = pellucid.load("mouse")
    friendly, useful = model.see(FRIENDLY[0]), model.see(USEFUL[0])
    assert (
        found(friendly, "0.attention.input")[2]
        == found(useful, "0.attention.input")[2]
        == [1.5, 1.5]
    )
    animal, tech = found(friendly, "output")[2]
    assert animal > tech + 0.4
    other_animal, other_tech = found(useful, "output")[2]
    assert (other_animal, other_tech) == pytest.approx((tech, animal))


def times(vector: Vector, matrix: tuple[Vector, ...]) -> list[float]:
    """A row of the matrix for each number that comes out."""
    return [sum(x * w for x, w in zip(vector, row, strict=True)) for row in matrix]


QUERY = ((1.0, 0.5), (0.5, 1.0))
KEY = VALUE = ((1.0, -0.5), (-0.5, 1.0))
WIDE = ((1.0, 0.0), (0.0, 1.0), (0.5, 0.5))


@pytest.mark.parametrize(("sentence", "vectors"), [FRIENDLY, USEFUL])
@pytest.mark.parametrize(("name", "value"), [("mouse-weights", VALUE), ("mouse-wide", WIDE)])
def test_then_with_weights(
    name: str, value: tuple[Vector, ...], sentence: str, vectors: list[Vector]
) -> None:
    trace = pellucid.load(name).see(sentence)
    queries, keys = ([times(x, w) for x in vectors] for w in (QUERY, KEY))
    values = [tuple(times(vector, value)) for vector in vectors]
    scores = [[a[0] * b[0] + a[1] * b[1] for b in keys] for a in queries]
    weights = [shares([score / math.sqrt(2) for score in row]) for row in scores]
    same(found(trace, "0.attention.q"), queries)
    same(found(trace, "0.attention.k"), keys)
    same(found(trace, "0.attention.v"), [list(vector) for vector in values])
    same(found(trace, "0.attention.scores"), scores)
    same(found(trace, "0.attention.weights"), weights)
    same(found(trace, "output"), [mean(row, values) for row in weights])


def test_values_may_have_another_number_of_dimensions() -> None:
    trace = pellucid.load("mouse-wide").see("cat and mouse are friends")
    assert found(trace, "0.attention.v")[0] == pytest.approx([2.0, 0.0, 1.0])  # cat
    assert found(trace, "0.attention.v")[2] == pytest.approx([1.5, 1.5, 1.5])  # mouse
    assert trace.shape("encoder.output") == (1, 5, 3)
    assert trace.shape("encoder.0.attention.q") == (1, 1, 5, 2)


@pytest.mark.parametrize(("sentence", "vectors"), [FRIENDLY, USEFUL])
def test_two_heads_split_the_columns(sentence: str, vectors: list[Vector]) -> None:
    """Head 0 sees animals only, head 1 machines only; a head of one column divides by √1."""
    trace = pellucid.load("mouse-two-heads").see(sentence)
    by_columns(trace, vectors)


ROW = [(2.0, 0.0, 1.0), (1.5, 1.5, 0.5), (0.0, 2.0, 0.0), (0.5, 0.0, 2.0)]


def test_a_matrix_of_four_by_three_into_three_of_four_by_one() -> None:
    trace = pellucid.load("mouse-three-heads").see("cat mouse keyboard friends")
    assert trace.shape("encoder.0.attention.input") == (1, 4, 3)
    assert trace.shape("encoder.0.attention.q") == (1, 3, 4, 1)
    by_columns(trace, ROW)


def by_columns(trace: Trace, vectors: list[Vector]) -> None:
    """Each head has one column; side by side again they are the output."""
    columns = list(zip(*vectors, strict=True))
    mixed = []
    for head, column in enumerate(columns):
        same(found(trace, "0.attention.q", head), [[x] for x in column])
        weights = [shares([a * b for b in column]) for a in column]
        same(found(trace, "0.attention.weights", head), weights)
        mixed.append([mean(row, [(x,) for x in column])[0] for row in weights])
        same(found(trace, "0.attention.mixed", head), [[x] for x in mixed[-1]])
    same(found(trace, "output"), [list(row) for row in zip(*mixed, strict=True)])


def test_the_causal_mask_of_three_by_three() -> None:
    """cat sees itself; and sees cat and itself; mouse sees all three."""
    trace = pellucid.load("mouse-causal").see("cat and mouse")
    vectors = [CAT, AND, MOUSE]
    assert found(trace, "0.attention.allowed") == [
        [True, False, False], [True, True, False], [True, True, True],
    ]  # fmt: skip
    scaled = [[(a[0] * b[0] + a[1] * b[1]) / math.sqrt(2) for b in vectors] for a in vectors]
    masked = [[scaled[t][s] if s <= t else -math.inf for s in range(3)] for t in range(3)]
    same(found(trace, "0.attention.masked"), masked)
    weights = [[*shares(scaled[0][:1]), 0, 0], [*shares(scaled[1][:2]), 0], shares(scaled[2])]
    same(found(trace, "0.attention.weights"), weights)
    same(found(trace, "output"), [mean(row, vectors) for row in weights])
    assert found(trace, "0.attention.weights")[0] == [1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    "name",
    [
        "mouse",
        "mouse-weights",
        "mouse-wide",
        "mouse-two-heads",
        "mouse-three-heads",
        "mouse-causal",
    ],
)
def test_every_mouse_is_true(name: str) -> None:
    model = pellucid.load(name)
    for sentence in ("cat", "Cat MOUSE friends", ["mouse", "keyboard mouse"]):
        assert model.see(sentence).verify().worst.difference < 1e-5
    assert model.see("cat").about["features"] == list(model.features)


def test_a_mouse_knows_few_words() -> None:
    with pytest.raises(pellucid.UsageError) as error:
        pellucid.load("mouse").see("dog and mouse")
    assert str(error.value) == (
        "A word of 'dog and mouse' is unknown here; "
        "known are and, are, cat, friends, helpful, keyboard, mouse."
    )
