"""`pellucid generate`: a decoder goes on from a text, an encoder-decoder answers to it."""

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pellucid.cli.problems import notes, say
from pellucid.cli.see import read, waiting
from pellucid.cli.writing import Writing
from pellucid.errors import PellucidError, UsageError

if TYPE_CHECKING:
    from pellucid.decode.answer import Answers
    from pellucid.decode.generate import Generation
    from pellucid.text.formats import Document


@dataclass(frozen=True, kw_only=True)
class Generate(Writing):
    """Go on from a text, the answer word by word as it comes.

    [dim]Examples:[/]
    [cyan]pellucid generate --model DIR "Once upon a time" --sample --temperature 0.8[/]
    [cyan]pellucid generate --model DIR "The seal" --beams 4 --best 4 --tree[/]
    [cyan]pellucid generate --model DIR --files prompts.txt --out answers.jsonl[/]
    """

    def run(self) -> None:
        """Everything that can be wrong is found before the model runs."""
        if bool(self.texts) == bool(self.files):
            raise UsageError("Give a text, or files (--files), one of the two.")
        if bool(self.files) != bool(self.out):
            raise UsageError("--files and --out go together: texts in, answers out.")
        texts = read(self.texts or [])
        with notes(), waiting(f"Loading {self.model}"):
            generation = self._load()
        if generation.compiled:
            with notes(), waiting("Compiling (--compiled never does without)"):
                generation.warm_up()
        with notes():
            if self.out:
                self._many(generation)
            else:
                for text in texts:
                    self._one(generation, text)

    def _load(self) -> "Generation":
        from pellucid.decode.generate import Generation
        from pellucid.models.load import load

        return Generation.of(load(self.model), self.choices)

    def _one(self, generation: "Generation", text: str) -> None:
        from pellucid.decode.stream import streamed

        choices = generation.planner.choices
        if self.json or choices.best > 1:
            return self._print(self._answers(generation, text))
        run = streamed(generation, text)
        for piece in run:
            sys.stdout.write(piece)
            sys.stdout.flush()
        print()
        assert run.answers is not None
        self._tell(run.answers)
        return None

    def _answers(self, generation: "Generation", text: str) -> "Answers":
        from pellucid.decode.many import answered

        with waiting("Searching"):
            return next(answered(generation, [text]))

    def _print(self, answers: "Answers") -> None:
        if self.json:
            for answer in answers:
                print(json.dumps(answer.to_json(), ensure_ascii=False))
            if self.tree:
                print(json.dumps(answers[0].tree.to_json(), ensure_ascii=False))
            return
        print(answers)
        self._tell(answers)

    def _tell(self, answers: "Answers") -> None:
        """What else was asked for, and on stderr why the answer ended."""
        best = answers[0]
        if self.tree:
            print(f"\n{best.tree}")
        if self.terms:
            print(*(f"\n{answer.terms}" for answer in answers), sep="\n")
        drawn = f", seed {best.seed}" if best.seed is not None else ""
        say(f"{len(best.ids)} tokens, score {best.score:.4f}{drawn}", who=best.finish)

    def _many(self, generation: "Generation") -> None:
        from pellucid.decode.many import Output, answered, line_for

        assert self.out is not None
        line = line_for(self.out)
        choices = {**vars(generation.planner.choices), "seed": generation.planner.choices.seed}
        job = {"model": self.model, "files": self.files, "choices": repr(choices)}
        output = Output(self.out, job, "replace" if self.force else "refuse")
        if output.done:
            say(f"going on after {output.done:,} answers", who="resumed")
        found = answered(generation, self._rest(output.done), output.done)
        output.write(map(line, found))
        say(str(self.out), who="saved")

    def _rest(self, done: int) -> Iterator[str]:
        """The texts that have no answer yet, and on a terminal how far they are."""
        from itertools import islice

        from pellucid.cli.progress import shown
        from pellucid.text.sources import Corpus

        documents = without_gaps(shown(Corpus(self.files or []), "Answering"), self.files or [])
        return (document.text for document in islice(documents, done, None))


def without_gaps(documents: "Iterable[Document]", files: list[str]) -> "Iterator[Document]":
    """Refuse an empty line of a plain text: its answer could not stand in the same line."""
    plain = all(name.removesuffix(".gz").endswith(".txt") for name in files)
    before = 0
    for document in documents:
        if plain and document.line not in (1, before + 1):
            raise PellucidError(
                f"Line {document.line - 1} is empty, so answers would not stand in the lines of "
                "their texts; fill it, or take it out."
            )
        before = document.line
        yield document
