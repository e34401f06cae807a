"""Several processes for a stream of tasks: results in order, few tasks waiting at once."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


def in_order(
    work: Callable[[Task], Result], tasks: Iterable[Task], processes: int
) -> Iterator[Result]:
    """The results in the order of the tasks. No more than two tasks a process are read ahead."""
    stream = iter(tasks)
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        waiting: deque[Future[Result]] = deque(
            pool.submit(work, task) for task in islice(stream, 2 * processes)
        )
        while waiting:
            yield waiting.popleft().result()
            for task in islice(stream, 1):
                waiting.append(pool.submit(work, task))
