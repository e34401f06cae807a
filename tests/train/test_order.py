"""The order of examples: all of them once, alike in length, and taken up anywhere."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.train.order import Order, Place, Size, by_length

LENGTHS = st.lists(st.tuples(st.integers(1, 40), st.integers(1, 40)), min_size=1, max_size=60)


def order(lengths: list[tuple[int, ...]], window: int = 16, seed: int = 0, **size: int) -> Order:
    return Order(lengths=np.array(lengths), size=Size(**size), window=window, seed=seed)


@given(LENGTHS, st.integers(1, 70), st.integers(1, 200), st.integers(0, 3))
def test_an_epoch_has_every_example_once(lengths, window: int, tokens: int, epoch: int) -> None:
    found = order(lengths, window, tokens=tokens)
    batches = [b for w in range(found.windows) for b in found.batches(epoch, w)]
    assert sorted(np.concatenate(batches)) == list(range(len(lengths)))
    for numbers in batches:
        padded = len(numbers) * max(max(lengths[at]) for at in numbers)
        assert padded <= tokens or len(numbers) == 1


@given(LENGTHS, st.integers(1, 9), st.integers(0, 40))
def test_it_goes_on_at_any_place(lengths, rows: int, steps: int) -> None:
    found = order(lengths, rows=rows)
    whole = list(islice(found.after(Place()), steps + 10))
    place = whole[steps][0]
    again = list(islice(found.after(place), 10))
    for (_, behind, numbers), (_, behind_again, numbers_again) in zip(
        whole[steps:], again, strict=True
    ):
        assert behind == behind_again
        assert numbers.tolist() == numbers_again.tolist()
    after = whole[steps][1]
    assert next(found.after(after))[2].tolist() == whole[steps + 1][2].tolist()


def test_epochs_and_seeds_differ() -> None:
    lengths = [(at % 7 + 1,) for at in range(64)]
    orders = [order(lengths, rows=4, seed=seed) for seed in (0, 1)]
    first = [b.tolist() for b in orders[0].batches(0, 0)]
    assert first == [b.tolist() for b in orders[0].batches(0, 0)]
    assert first != [b.tolist() for b in orders[0].batches(1, 0)]
    assert first != [b.tolist() for b in orders[1].batches(0, 0)]


def test_batches_of_a_window_come_in_no_order_of_length() -> None:
    lengths = [(at // 4 + 1,) for at in range(400)]
    longest = [max(lengths[at] for at in b) for b in order(lengths, 400, rows=4).batches(0, 0)]
    assert longest != sorted(longest)
    assert longest != sorted(longest, reverse=True)


def test_sorting_within_windows_saves_padding() -> None:
    lengths = np.random.default_rng(0).integers(1, 60, (4096, 1))

    def padding(window: int) -> float:
        found = Order(lengths=lengths, size=Size(rows=32), window=window, seed=0)
        batches = [b for w in range(found.windows) for b in found.batches(0, w)]
        places = sum(len(b) * lengths[b].max() for b in batches)
        return 1 - lengths.sum() / places

    assert padding(32) > 0.4  # no sorting at all
    assert padding(1024) < 0.05


@pytest.mark.parametrize("tokens", [1, 10, 1000])
def test_a_large_example_stands_alone(tokens: int) -> None:
    lengths = np.array([[3], [500], [3]])
    found = by_length(np.arange(3), lengths, Size(tokens=tokens))
    assert sorted(np.concatenate(found)) == [0, 1, 2]
    assert next(len(b) for b in found if 1 in b) == (3 if tokens == 10000 else 1)
