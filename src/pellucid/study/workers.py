"""Several processes for a stream of tasks: results in order, few tasks waiting at once."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import TypeVar

from pellucid.errors import PellucidError

Task = TypeVar("Task")
Result = TypeVar("Result")


def in_order(
    work: Callable[[Task], Result], tasks: Iterable[Task], processes: int
) -> Iterator[Result]:
    """The results in the order of the tasks. No more than two tasks a process are read ahead."""
    stream = iter(tasks)
    try:
        with ProcessPoolExecutor(
            processes, mp_context=get_context("spawn"), initializer=leave_with_parent
        ) as pool:
            waiting: deque[Future[Result]] = deque(
                pool.submit(work, task) for task in islice(stream, 2 * processes)
            )
            while waiting:
                yield waiting.popleft().result()
                for task in islice(stream, 1):
                    waiting.append(pool.submit(work, task))
    except BrokenProcessPool as error:
        raise PellucidError(
            f"One of {processes} processes was ended from outside, perhaps for want of memory; "
            "take fewer (--processes), and go on where parts were kept (--parts)."
        ) from error


def leave_with_parent() -> None:
    """A worker ends when the process that began it does, even where that one was killed."""
    Thread(target=_leave, daemon=True).start()


def _leave() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
