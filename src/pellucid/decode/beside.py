"""Ways of searching side by side: what each finds of the same prompt, and how likely that is.

print(model.side_by_side("Once upon a time", beams=4, top_p=0.9, max_new_tokens=20))

Scores of different ways cannot be compared: rules and temperatures change them, lengths divide
them. So beside each stands what the model itself says of the answer: the sum of its
log-probabilities, and what that is a token.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pellucid.decode.answer import Answer
from pellucid.decode.choices import BEAMS, DRAWING
from pellucid.decode.generate import generate
from pellucid.errors import UsageError
from pellucid.models.model import Model
from pellucid.record.printed import aligned

USUAL = ("greedy", "sample", "beam")
WIDE = 4  # beams, where their number is not said
# what each way is, and which choices are heard by no other
WAYS: Mapping[str, Mapping[str, Any]] = {
    "greedy": {"pick": "likeliest", "beams": 1},
    "sample": {"pick": "sample"},
    "beam": {"pick": "likeliest", "beams": WIDE},
}
OWN = {"sample": tuple(DRAWING), "beam": (*BEAMS, "penalty", "must")}


@dataclass(frozen=True)
class Way:
    """What one way of searching found."""

    name: str
    answer: Answer

    @property
    def log_likelihood(self) -> float:
        """The model's own log-probabilities of the answer's tokens, added up, in nats."""
        return sum(term.log_probability for term in self.answer.terms)

    @property
    def each(self) -> float:
        """The same a token."""
        return self.log_likelihood / len(self.answer.ids)

    def to_json(self) -> dict[str, Any]:
        """The answer as plain data, and what the model says of it."""
        said = {"log_likelihood": self.log_likelihood, "a_token": self.each}
        return {"way": self.name, **self.answer.to_json(), **said}


class Ways(tuple[Way, ...]):
    """Answers side by side; print as a table."""

    def __str__(self) -> str:
        head = ("", "log-likelihood", "a token", "score", "tokens", "ended by", "answer")
        return aligned([head, *map(_row, self)])


def _row(way: Way) -> tuple[str, ...]:
    answer = way.answer
    drawn = "" if answer.seed is None else f", seed {answer.seed}"
    numbers = (f"{x:.4f}" for x in (way.log_likelihood, way.each, answer.score))
    text = " ".join(answer.text.split())
    return f"{way.name}{drawn}", *numbers, f"{len(answer.ids)}", answer.finish, text


def side_by_side(model: Model, text: str, ways: Sequence[str] = USUAL, **choices: Any) -> Ways:
    """The best answer of each way: "greedy", "sample" and "beam". Choices go to whom they concern.

    Of `temperature` only sampling hears, of `beams` only the beam search (4 unless said).
    """
    for way in ways:
        if way not in WAYS:
            raise UsageError(f"There is no way {way!r} to search; there are {', '.join(WAYS)}.")
    if not ways:
        raise UsageError(f"Say which ways are to be compared: {', '.join(WAYS)}.")
    return Ways(Way(way, generate(model, text, **heard(way, choices))[0]) for way in ways)


def heard(way: str, choices: Mapping[str, Any]) -> dict[str, Any]:
    """What one way hears of all that was chosen, over what it is."""
    others = {name for other, names in OWN.items() if other != way for name in names}
    said = {name: value for name, value in choices.items() if name not in others}
    return {**WAYS[way], **said, "pick": WAYS[way]["pick"]}
