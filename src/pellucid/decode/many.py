"""Answers to many texts: in the order of the texts, in bounded memory, and resumable."""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

from pellucid.decode.answer import Answers
from pellucid.decode.generate import Generation
from pellucid.decode.prompts import Prompt, prompts
from pellucid.errors import PellucidError, UsageError
from pellucid.models.model import Model
from pellucid.record.batched import batched
from pellucid.record.files import Existing, check_writable

WINDOW = 32  # batches that are sorted by length together
DIGEST = 8  # bytes that tell a text from others
ANEW = "delete it, or start anew with --force"


def answered(generation: Generation, texts: Iterable[str], first: int = 0) -> Iterator[Answers]:
    """The answers to each text; so many batches at a time are sorted by length.

    An empty text has no answer, so that lines stay where they are. An error says which text it is
    about, counted from 1; `first` were left out before.
    """
    for window in batched(texts, WINDOW * generation.planner.choices.batch):
        given = []
        for number, text in enumerate(window, first + 1):
            try:
                given += prompt_of(generation, text)
            except UsageError as error:
                raise UsageError(f"Text {number}: {error}") from error
        found = iter(generation.answers(given))
        yield from (next(found) if text.strip() else Answers() for text in window)
        first += len(window)


def best_texts(model: Model, texts: Iterable[str], **choices: Any) -> list[str]:
    """The best answer to each text; nothing to an empty one."""
    found = answered(Generation.of(model, choices), texts)
    return [answers[0].text if answers else "" for answers in found]


def prompt_of(generation: Generation, text: str) -> list[Prompt]:
    """The prompt of a text; nothing can be answered to an empty one."""
    if not text.strip():
        return []
    return prompts(generation.model, generation.planner.said, text, None, None)


def job_of(generation: Generation) -> dict[str, Any]:
    """All that an answer depends on beside its text."""
    planner = generation.planner
    job = {"said": repr(planner.said), "choices": repr(vars(planner.choices))}
    return {"weights": generation.model.digest(), **job}


class Gaps:
    """Counts the empty ones of texts on their way."""

    count = 0

    def counted(self, texts: Iterable[str]) -> Iterator[str]:
        """The texts as they come."""
        for text in texts:
            self.count += not text.strip()
            yield text


class Output:
    """A file of one line a text, which grows beside and is put in place when it is whole.

    What is left of a run that was interrupted is gone on with, if it was the very same job and
    the texts that are answered are the same; what is drawn goes on by the `seed` of that run.
    """

    def __init__(
        self, path: Path, job: dict[str, Any], existing: Existing = "refuse", seed: int = 0
    ) -> None:
        check_writable(path, existing)
        self.path, self.job, self.existing, self.seed = path, job, existing, seed
        self.part = path.with_name(f"{path.name}.part")
        self.about = path.with_name(f"{path.name}.part.json")
        self.asked = path.with_name(f"{path.name}.part.texts")  # a digest of each text
        self.done = self._begin()

    def left(self, texts: Iterable[str]) -> Iterator[str]:
        """The texts after those that are answered, which must be as they were then.

        Where answers may be replaced, they are from the first other text on.
        """
        given = iter(texts)
        with self.asked.open("a+b") as file:
            file.seek(0)
            for number in range(self.done):
                ahead = list(islice(given, 1))
                if [file.read(DIGEST)] != list(map(digest, ahead)):
                    self._forget_from(number)
                    given = chain(ahead, given)
                    break
        return self._noted(given)

    def _noted(self, texts: Iterable[str]) -> Iterator[str]:
        with self.asked.open("ab") as file:
            file.truncate(self.done * DIGEST)
            for text in texts:
                file.write(digest(text))
                file.flush()
                yield text

    def write(self, lines: Iterable[str]) -> None:
        """Append the lines, each at once on its way to the disk; then put the file in place."""
        with self.part.open("a", encoding="utf-8", newline="\n") as file:
            for line in lines:
                file.write(f"{line}\n")
                file.flush()
            os.fsync(file.fileno())
        self.part.replace(self.path)
        self.about.unlink(missing_ok=True)
        self.asked.unlink(missing_ok=True)

    def _forget_from(self, number: int) -> None:
        """What was answered before stays true."""
        if self.existing == "refuse":
            raise UsageError(
                f"{self.part} answers another text in line {number + 1}; give the texts that it "
                f"was begun with, {ANEW}."
            )
        self.done = self._keep(number)

    def _begin(self) -> int:
        """How many whole lines an interrupted run has left; half a line is taken off."""
        if not self.part.is_file():
            self._start()
            return 0
        job, seed = self._before()
        if job != json.loads(json.dumps(self.job)):
            if self.existing == "refuse":
                raise UsageError(f"{self.part} is of another job (other model or choices); {ANEW}.")
            self._start()
            return 0
        self.seed = seed
        return self._keep()

    def _keep(self, count: int | None = None) -> int:
        """Take off all but the first whole lines; say how many there are."""
        with self.part.open("r+b") as file:
            whole = [len(line) for line in islice(file, count) if line.endswith(b"\n")]
            file.truncate(sum(whole))
        return len(whole)

    def _start(self) -> None:
        try:
            about = {"job": self.job, "seed": self.seed}
            self.about.write_text(json.dumps(about), encoding="utf-8")
            self.asked.write_bytes(b"")
            self.part.write_bytes(b"")
        except OSError as error:
            raise PellucidError(f"{self.part} could not be written: {error.strerror}.") from error

    def _before(self) -> tuple[Any, int]:
        """The job of the run that was interrupted, and its seed."""
        try:
            about = json.loads(self.about.read_text(encoding="utf-8"))
            return about["job"], int(about["seed"])
        except (OSError, ValueError, TypeError, LookupError):
            return None, 0


def digest(text: str) -> bytes:
    """It tells this text from any other."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST).digest()


def as_text(answers: Answers) -> str:
    """The best answer on one line; an empty line where there is none."""
    return " ".join(answers[0].text.split()) if answers else ""


def as_json(answers: Answers) -> str:
    """All answers on one line, as data."""
    return json.dumps([answer.to_json() for answer in answers], ensure_ascii=False)


LINES: dict[str, Callable[[Answers], str]] = {".txt": as_text, ".jsonl": as_json}


def line_for(path: Path) -> Callable[[Answers], str]:
    """How a file of this ending is written."""
    if path.suffix not in LINES:
        raise UsageError(f"{path} has the ending {path.suffix!r}; answers are .txt or .jsonl.")
    return LINES[path.suffix]
