"""`pellucid lens`: what each layer would answer."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated

import typer

from pellucid.cli.see import read, waiting
from pellucid.cli.studying import MODEL, Study, loaded
from pellucid.errors import UsageError

AT = typer.Option(metavar="N", help="At which token, else the last.", show_default=False)


@dataclass(frozen=True, kw_only=True)
class Lens(Study):
    """Look through each layer: what the model would answer if that layer were the last.

    The logit lens (nostalgebraist 2020), through the model's own last norm and head; of a model
    without a head for words, the words whose vectors are nearest.

    What it does not show: what a layer "thinks". Layers before the last were not trained to be
    read so (Belrose et al. 2023).

    [dim]Example:[/]
    [cyan]pellucid lens --model gpt2 "The capital of France is"[/]
    """

    texts: Annotated[
        list[str],
        typer.Argument(metavar="TEXT", help="The text; or a source and a target, where both are."),
    ]
    model: Annotated[str, MODEL] = "minilm"
    at: Annotated[int | None, AT] = None

    def run(self) -> None:
        """Everything that can be wrong is found before the model runs."""
        self.check_places()
        texts, model = read(self.texts), loaded(self.model)

        from pellucid.study.lens import lens
        from pellucid.views.lens import draw

        with waiting("Looking through the layers"):
            found = lens(model, *texts)
        count = len(found.tokens)
        token = count - 1 if self.at is None else self.at
        if not -count <= token < count:
            raise UsageError(f"The text has tokens 0 to {count - 1}; there is no {token}.")
        self.give(found, partial(draw, found, token=token % count))
