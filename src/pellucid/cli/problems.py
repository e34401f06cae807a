"""Whatever goes wrong, said in one line on stderr, and the exit status that goes with it."""

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import typer

from pellucid.errors import PellucidError
from pellucid.views.labels import printable

INTERRUPTED, HUNG_UP = 130, 141  # 128 + the number of the signal, as shells count


def guarded(run: Callable[[], int]) -> int:
    """The exit status of `run`; a problem becomes a sentence."""
    try:
        return run()
    except OSError as problem:
        let_go()
        gone = isinstance(problem, BrokenPipeError)  # `pellucid … | head`: say nothing
        return HUNG_UP if gone else say(*told(problem))
    except (Exception, KeyboardInterrupt) as problem:
        return say(*told(problem))


def told(problem: BaseException) -> tuple[str, int]:
    """A problem as a sentence and a status; one that nobody thought of is our bug."""
    match problem:
        case PellucidError():
            return str(problem), problem.status
        case typer.TyperException():
            return misuse(problem), problem.exit_code
        case KeyboardInterrupt():
            return "Stopped.", INTERRUPTED
        case OSError():
            return f"{problem.filename or 'The output'}: {problem.strerror}.", 1
    if os.environ.get("PELLUCID_DEBUG"):
        raise problem
    what = f"{type(problem).__name__}: {problem}"
    return f"This is a bug in Pellucid: {what}. Please report it; PELLUCID_DEBUG=1 says more.", 1


def misuse(problem: typer.TyperException) -> str:
    """Typer's own words, as one sentence and where to look."""
    what = problem.format_message().replace("Value error, ", "").rstrip(".")
    command = getattr(getattr(problem, "ctx", None), "command_path", "pellucid")
    return f"{what}. See {command} --help."


def say(sentence: str, status: int = 0, who: str = "pellucid") -> int:
    """Print one line on stderr."""
    print(f"{who}: {printable(' '.join(sentence.split()))}", file=sys.stderr)
    return status


def let_go() -> None:
    """Nobody takes the output: what is left of it shall not be tried again at the exit."""
    with suppress(AttributeError, OSError):  # where there is no output at all
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def notes() -> Iterator[None]:
    """Warnings given within are told afterwards, a line each."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            yield
        finally:
            for text in dict.fromkeys(str(warning.message) for warning in caught):
                say(text, who="note")
