"""Which part of a trace a workbook holds: all of it, one layer, or one head."""

from collections.abc import Iterator
from dataclasses import dataclass

from pellucid.errors import UsageError
from pellucid.record.trace import Trace
from pellucid.views.choice import choose, head_of, in_layer
from pellucid.views.workbook.boxes import Box, whole

GENERATED = "generate."  # the steps of a search have a sheet of their own
WORDS = ("head.logits", "head.probabilities")  # as wide as the vocabulary


@dataclass(frozen=True)
class Part:
    """A layer and a head of one sentence; None stands for all of them."""

    layer: int | None = None
    head: int | None = None
    sentence: int = 0

    @classmethod
    def of(cls, trace: Trace, layer: int | None, head: int | None, sentence: int) -> "Part":
        """The part, checked; a head alone is one of the last layer."""
        if layer is None and head is None:
            return cls(sentence=sentence)
        chosen = choose(trace.about["config"], layer, head)
        return cls(chosen.layer, None if head is None else chosen.head, sentence)

    def names(self, trace: Trace) -> list[str]:
        """The values that follow by formula; all else is typed in."""
        if self.layer is None:
            return [name for name in trace if not name.startswith(GENERATED)]
        names = in_layer(trace, self.layer)
        if self.head is None:
            return names
        places = [name.removesuffix("mixed") for name in names if name.endswith(".mixed")]
        return [name for name in names if name.startswith(tuple(places))]

    def roots(self, trace: Trace) -> Iterator[tuple[str, Box]]:
        """The values that are wanted for their own sake, and how much of each."""
        for name in self.names(trace):
            box = self.box(trace, name)
            if self.head is not None:
                yield from self._of_head(trace, name, box)
            elif name in WORDS and trace.about["config"]["shape"] != "encoder":
                yield name, self._last_row(trace, name, box)
            else:
                yield name, box

    def box(self, trace: Trace, name: str) -> Box:
        """All of a value, or what belongs to this sentence."""
        box, axes = whole(trace.shape(name)), trace.node(name).axes.split()
        if axes[:1] == ["B"]:
            return (range(self.sentence, self.sentence + 1), *box[1:])
        return box

    def _of_head(self, trace: Trace, name: str, box: Box) -> Iterator[tuple[str, Box]]:
        if name.endswith(".mixed") and self.head is not None:
            at = head_of(trace, self.head, len(box[1]))
            yield name, (box[0], range(at, at + 1), *box[2:])

    def _last_row(self, trace: Trace, name: str, box: Box) -> Box:
        tokens = trace.tokens(name, "T", self.sentence)
        last = (len(tokens) if tokens else len(box[1])) - 1
        return (box[0], range(last, last + 1), *box[2:])

    def __str__(self) -> str:
        if self.layer is None:
            return "the whole model"
        return f"layer {self.layer}" + ("" if self.head is None else f", head {self.head}")


def check_sentence(trace: Trace, sentence: int) -> None:
    """Refuse a sentence that is not there."""
    counts = [len(texts) for texts in trace.texts.values()]
    if counts and not 0 <= sentence < min(counts):
        raise UsageError(f"The trace has {min(counts)} sentences; there is no sentence {sentence}.")
