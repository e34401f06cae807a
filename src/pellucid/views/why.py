"""The terminal view of a why: what carried an answer, by token, by place and by head."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rich.text import Text
from torch import Tensor

from pellucid.record.tokens import Tokens
from pellucid.study.why import Why
from pellucid.views.bars import Bar, bars, largest, placed
from pellucid.views.labels import label, spaced
from pellucid.views.lines import FAINT, between, heading, with_margin

PLACES, HEADS = 30, 12  # the largest are shown, in the order of the road


def draw(why: Why, width: int) -> Iterator[Text]:
    """The view's lines, each of at most `width` cells; of at least forty."""
    return with_margin(Page(why, between(width)).lines())


@dataclass(frozen=True)
class Page:
    """The parts of the view, from top to bottom."""

    why: Why
    width: int

    def lines(self) -> Iterator[Text]:
        """All parts."""
        why = self.why
        said = f"logit {why.logit:.3f}, probability {why.probability:.3f}"
        yield heading(f"Why {spaced(why.target)} at token {why.position}", said, self.width)
        yield Text()
        whole = why.integrated
        missed = f"sum {whole.change - whole.gap:+.3f}, should be {whole.change:+.3f}"
        yield from self._by_token("Integrated gradients, by token", whole.scores, missed)
        yield from self._by_token("Gradient × input, by token", why.gradient)
        mixed = {why_stream(why): why.rollout}
        yield from self._by_token("Mixed in by attention (rollout)", mixed)
        taken = {(s, t): value for (s, t), value in why.neighbours.items()}
        yield from self._bars(
            "Taken by heads and added to the logit, by token",
            {self._token(s, t): value for (s, t), value in taken.items()},
        )
        kinds = {placed(*where): value for where, value in why.kinds.items()}
        yield from self._bars("Added to the logit, by place", largest(kinds, PLACES))
        heads = {f"{place} head {head}": value for (place, head), value in why.heads.items()}
        yield from self._bars("Added to the logit, by head", largest(heads, HEADS))
        yield Text("These answer four different questions and need not agree.", FAINT)

    def _by_token(
        self, title: str, scores: Mapping[str, Tensor], aside: str = ""
    ) -> Iterator[Text]:
        rows = {
            self._token(stream, at): value
            for stream, values in scores.items()
            for at, value in enumerate(values.tolist())
        }
        yield from self._bars(title, rows, aside)

    def _bars(self, title: str, rows: dict[str, float], aside: str = "") -> Iterator[Text]:
        yield heading(title, aside, self.width)
        signed = {name: f"{value:+.3f}".replace("-", "−") for name, value in rows.items()}
        yield from bars([Bar(n, value, signed[n]) for n, value in rows.items()], self.width)
        yield Text()

    def _token(self, stream: str, at: int) -> str:
        tokens: Tokens = self.why.trace.texts[stream][0]
        which = f"{stream} " if len(self.why.trace.texts) > 1 else ""
        return f"{which}{at:2} {label(tokens.label(at))}"


def why_stream(why: Why) -> str:
    """The stream that answers."""
    return "target" if "target" in why.trace.texts else "tokens"
