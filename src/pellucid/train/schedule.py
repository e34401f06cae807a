"""The learning rate: a pure function of the optimizer step, so it can be drawn before the run."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Shape = Literal["constant", "linear", "cosine", "inverse-root"]


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """The rate of step 1, 2, … `steps`. It rises evenly over `warmup` steps to `rate`, then

    constant      stays
    linear        falls evenly to `least` at the last step
    cosine        falls to `least` along half a cosine (Loshchilov, Hutter 2017)
    inverse-root  falls as 1 / √step (Vaswani et al. 2017)
    """

    shape: Shape
    rate: float
    steps: int
    warmup: int = 0
    least: float = 0.0

    def __call__(self, step: int) -> float:
        """The rate of one optimizer step, the first of which is 1."""
        if step <= self.warmup:
            return self.rate * step / self.warmup
        return FALLS[self.shape](self, step)

    @property
    def gone(self) -> Callable[[int], float]:
        """How much of the way behind the warm-up a step has gone, 0 to 1."""
        way = max(1, self.steps - self.warmup)
        return lambda step: min(1.0, (step - self.warmup) / way)

    def rates(self) -> list[float]:
        """The rates of all steps."""
        return [self(step) for step in range(1, self.steps + 1)]

    def drawn(self, columns: int = 60) -> str:
        """The rates as a line of bars, and what they rise and fall to."""
        columns = min(columns, self.steps)
        rates = [self(1 + at * (self.steps - 1) // max(1, columns - 1)) for at in range(columns)]
        highest = self.rate or 1.0  # at a rate of 0 nothing is learned, but measured
        bars = "".join(BARS[min(7, int(8 * rate / highest))] for rate in rates)
        return f"{bars} up to {self.rate:.3g}, {rates[-1]:.3g} at step {self.steps:,}"


BARS = "▁▂▃▄▅▆▇█"

FALLS: dict[str, Callable[[Schedule, int], float]] = {
    "constant": lambda s, step: s.rate,
    "linear": lambda s, step: s.rate + (s.least - s.rate) * s.gone(step),
    "cosine": lambda s, step: (
        s.least + (s.rate - s.least) * (1 + math.cos(math.pi * s.gone(step))) / 2
    ),
    "inverse-root": lambda s, step: s.rate * math.sqrt(max(1, s.warmup) / step),
}
