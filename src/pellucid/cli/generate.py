"""`pellucid generate`: a decoder goes on from a text, an encoder-decoder answers to it."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pellucid.cli.options import Reading
from pellucid.cli.problems import notes, say
from pellucid.cli.see import read, waiting
from pellucid.cli.writing import Writing
from pellucid.errors import UsageError

if TYPE_CHECKING:
    from pellucid.decode.answer import Answers
    from pellucid.decode.generate import Generation
    from pellucid.models.model import Model
    from pellucid.text.sources import Corpus


@dataclass(frozen=True, kw_only=True)
class Generate(Reading, Writing):
    """Go on from a text, the answer word by word as it comes.

    [dim]Examples:[/]
    [cyan]pellucid generate "Once upon a time" --sample --temperature 0.8[/]
    [cyan]pellucid generate --model DIR "The seal" --beams 4 --best 4 --tree[/]
    [cyan]pellucid generate --model DIR "The seal" --side-by-side greedy,sample,beam[/]
    [cyan]pellucid generate --model DIR --files prompts.txt --out answers.jsonl[/]
    """

    def run(self) -> None:
        """Everything that can be wrong is found before the model runs."""
        self._check()
        texts = read(self.texts or [])
        with notes(), waiting(f"Loading {self.model}"):
            model = self._load()
        if self.ways is not None:
            return self._side_by_side(model, texts[0])
        generation = self._ready(model)
        with notes():
            if self.out:
                return self._many(generation)
            for text in texts:
                self._one(generation, text)
        return None

    def _check(self) -> None:
        for wrong, sentence in self._contradictions():
            if wrong:
                raise UsageError(sentence)
        if not self.files:
            self.check_unread()

    def _contradictions(self) -> "list[tuple[bool, str]]":
        files, beside = bool(self.files), self.ways is not None
        shown = self.tree or self.terms or self.json
        return [
            (bool(self.texts) == files, "Give a text, or files (--files), one of the two."),
            (files != bool(self.out), "--files and --out go together: texts in, answers out."),
            (
                files and (self.ids or beside),
                "--ids and --side-by-side are for a TEXT; leave --files out.",
            ),
            (
                files and shown,
                "--tree, --terms and --json are for a TEXT; --out FILE.jsonl has scores.",
            ),
            (
                beside and (len(self.texts or []) > 1 or self.ids),
                "--side-by-side compares answers to one text.",
            ),
            (beside and self.terms, "--side-by-side compares sums; leave --terms out."),
            (beside and self.tree and self.json, "--side-by-side draws trees; leave --json out."),
        ]

    def _load(self) -> "Model":
        from pellucid.models.load import load

        return load(self.model)

    def _ready(self, model: "Model") -> "Generation":
        from pellucid.decode.generate import Generation

        with notes():
            generation = Generation.of(model, self.choices)
        if generation.compiled and self._streams(generation):
            if sys.stderr.isatty():
                say("what follows the first word (--compiled never does without)", who="compiling")
        elif generation.compiled:
            with notes(), waiting("Compiling (--compiled never does without)"):
                generation.warm_up()
        return generation

    def _streams(self, generation: "Generation") -> bool:
        """Whether the answer is printed word by word, the first before anything is compiled."""
        return not (self.out or self.json or generation.planner.choices.best > 1)

    def _side_by_side(self, model: "Model", text: str) -> None:
        with notes(), waiting("Searching"):
            ways = model.side_by_side(text, *(self.ways or "").split(","), **self._heard())
        if self.json:
            print(*(json.dumps(way.to_json(), ensure_ascii=False) for way in ways), sep="\n")
            return
        print(ways)
        for way in ways if self.tree else ():
            print(f"\n{way.answer.tree}")

    def _heard(self) -> "dict[str, Any]":
        """All choices but how to search, which each way says itself."""
        return {name: value for name, value in self.choices.items() if name != "pick"}

    def _one(self, generation: "Generation", text: str) -> None:
        from pellucid.decode.prompts import prompts
        from pellucid.decode.stream import streamed

        texts, ids = (None, [numbers(text)]) if self.ids else (text, None)
        if not self._streams(generation):
            prompt = prompts(generation.model, generation.planner.said, texts, ids, None)
            with waiting("Searching"):
                (answers,) = generation.answers(prompt)
            return self._print(answers)
        run = streamed(generation, texts, ids)
        for piece in run:
            sys.stdout.write(piece)
            sys.stdout.flush()
        print()
        assert run.answers is not None
        self._tell(run.answers)
        return None

    def _print(self, answers: "Answers") -> None:
        if self.json:
            for answer in answers:
                terms = answer.terms.to_json() if self.terms else {}
                print(json.dumps({**answer.to_json(), **terms}, ensure_ascii=False))
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
        from pellucid.decode.many import Gaps, Output, answered, job_of, line_for
        from pellucid.text.formats import Layout

        assert self.out is not None
        line = line_for(self.out)
        corpus = self.corpus(self.files or [], Layout(gaps="kept"))
        seed, gaps = generation.planner.seed, Gaps()
        output = Output(self.out, job_of(generation), self.existing, seed)
        texts = output.left(gaps.counted(self._texts(corpus)))
        if output.done:
            say(f"going on after {output.done:,} answers", who="resumed")
        output.write(map(line, answered(generation.seeded(output.seed), texts, output.done)))
        if gaps.count:
            say(f"{gaps.count:,} empty lines stay empty", who="note")
        say(str(self.out), who="saved")

    def _texts(self, corpus: "Corpus") -> Iterator[str]:
        """The texts, and on a terminal how far they are."""
        from pellucid.cli.progress import shown

        return (document.text for document in shown(corpus, "Answering"))


def numbers(text: str) -> list[int]:
    """Numbers with spaces or commas between."""
    try:
        return [int(number) for number in text.replace(",", " ").split()]
    except ValueError as error:
        raise UsageError(f"{text!r} are no ids; write like '1 15 7'.") from error
