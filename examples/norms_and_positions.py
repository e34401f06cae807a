"""Layer norm against batch norm, and six ways to tell where a token stands, on one small model.

    python examples/norms_and_positions.py TEXT [--steps 500] [--save curves.svg]

Each choice trains the same model on the same batches of a text's characters; only the choice is
another. It prints how well each tells the last tenth of the text, and draws all of them.

Batch norm is at an advantage that it cannot use: while it learns, the statistics of a batch tell
each character a little of those behind it; when it is measured, they are the running ones.
"""

import argparse
from dataclasses import replace
from functools import cache
from pathlib import Path

from pellucid.record.printed import aligned
from pellucid.text.training import train
from pellucid.train.history import Curve
from pellucid.train.loop import Learning
from pellucid.train.making import config, new
from pellucid.train.objectives import Language
from pellucid.train.rows import Rows
from pellucid.train.settings import Settings, usual
from pellucid.views.figures import save_curves

CHOICES = {
    "norm": ("layer", "rms", "batch", "none"),
    "positions": ("none", "sinusoidal", "learned", "rotary", "relative", "alibi"),
}
# waves are as large as 1 everywhere, so words must be as large (√D · 1/√D, Vaswani et al. 2017)
BESIDE = {"sinusoidal": {"init": "xavier"}}
MEASURED = 20  # times


def objectives(text: str, context: int) -> tuple[int, Language, Language]:
    """How many characters there are, what is learned, and what is measured: the last tenth."""
    tokenizer = train(text.splitlines(), kind="characters", size=1000)
    cut = len(text) * 9 // 10
    parts = [tokenizer.inner.encode(part).ids for part in (text[:cut], text[cut:])]
    known, new = (Rows.of([ids]) for ids in parts)
    size = tokenizer.inner.get_vocab_size()
    return size, Language(known, context), Language(new, context, whole=True)


@cache
def curve(settings: Settings, size: int, known: Language, unseen: Language) -> Curve:
    """The loss on what is measured, as the model learns; the same model learns once."""
    model = new(config(settings, size), settings.init, settings.seed)
    learning = Learning(model, known, settings, valid=unseen)
    learning.run()
    return Curve.of(learning.journal.entries, ("valid", "loss"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text", type=Path, help="a file to learn from")
    parser.add_argument("--steps", type=int, default=500, help="optimizer steps of each model")
    parser.add_argument("--context", type=int, default=64, help="characters that it sees at once")
    parser.add_argument("--width", type=int, default=64, help="numbers in a token's vector")
    parser.add_argument("--save", type=Path, default=Path("norms_and_positions.svg"))
    asked = parser.parse_args()
    data = objectives(asked.text.read_text(encoding="utf-8"), asked.context)
    settings = usual(task="generate", layers=2, width=asked.width, longest=asked.context)
    settings = replace(settings, steps=asked.steps, measure=max(1, asked.steps // MEASURED))
    panels = {
        name: {
            choice: curve(replace(settings, **{name: choice}, **BESIDE.get(choice, {})), *data)
            for choice in choices
        }
        for name, choices in CHOICES.items()
    }
    for name, curves in panels.items():
        lines = [(choice, f"{each.values[-1]:.4f}") for choice, each in curves.items()]
        print(aligned([(name, "nats a character"), *lines]), end="\n\n")
    print(save_curves(panels, asked.save, columns=2, existing="replace"))


if __name__ == "__main__":
    main()
