"""`pellucid why`: which tokens, heads and layers carried an answer."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated

import typer

from pellucid.cli.see import read, waiting
from pellucid.cli.studying import MODEL, Study, loaded
from pellucid.models.builtin import default


@dataclass(frozen=True, kw_only=True)
class Why(Study):
    """Ask why: which tokens, heads and layers carried a word that the model answers.

    Four accounts: what each head added to the word's logit directly (the parts sum to it, Elhage
    et al. 2021), gradient × input (Shrikumar et al. 2016), integrated gradients (Sundararajan et
    al. 2017), and what attention mixed in (rollout, Abnar and Zuidema 2020).

    What it does not show: one truth. The four ask different things and need not agree; attention
    is not explanation (Jain and Wallace 2019).

    [dim]Examples:[/]
    [cyan]pellucid why "The prince looked at the"[/]
    [cyan]pellucid why --model gpt2 "The capital of France is" --target " Paris"[/]
    [cyan]pellucid why --model bert-base-uncased "The capital of France is [MASK]."[/]
    """

    texts: Annotated[
        list[str],
        typer.Argument(metavar="TEXT", help="The text; or a source and a target, where both are."),
    ]
    model: Annotated[str, MODEL] = default("why")
    target: Annotated[
        str, typer.Option(metavar="WORD", help="The word, else the likeliest.", show_default=False)
    ] = ""
    at: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="At which token, else the last, or [MASK].", show_default=False
        ),
    ] = None

    def run(self) -> None:
        """Everything that can be wrong is found before the model runs."""
        self.check_places()
        texts, model = read(self.texts), loaded(self.model)

        from pellucid.study.why import why
        from pellucid.views.why import draw

        with waiting("Asking"):
            found = why(model, *texts, target=self.target, position=self.at)
        self.give(found, partial(draw, found))
