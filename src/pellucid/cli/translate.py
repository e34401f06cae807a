"""`pellucid translate`: what an encoder-decoder makes of a source."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pellucid.cli.generate import Generate
from pellucid.cli.writing import MODEL
from pellucid.models.builtin import default

if TYPE_CHECKING:
    from pellucid.models.model import Model


@dataclass(frozen=True, kw_only=True)
class Translate(Generate):
    """Translate a text, with an encoder-decoder: T5, BART, Marian, or one trained here.

    [dim]Examples:[/]
    [cyan]pellucid translate "Where is the station?"[/]
    [cyan]pellucid translate --model DIR "Two dogs play in the snow." --beams 5 --tree[/]
    [cyan]pellucid translate --model DIR --files english.txt --out german.txt --beams 4[/]
    """

    model: Annotated[str, MODEL] = default("translate")

    def _load(self) -> "Model":
        from pellucid.decode.writer import translator

        return translator(super()._load())
