"""`pellucid translate`: what an encoder-decoder makes of a source."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pellucid.cli.generate import Generate

if TYPE_CHECKING:
    from pellucid.decode.generate import Generation


@dataclass(frozen=True, kw_only=True)
class Translate(Generate):
    """Translate a text, with an encoder-decoder: T5, BART, Marian, or one trained here.

    [dim]Examples:[/]
    [cyan]pellucid translate --model DIR "Two dogs play in the snow." --beams 5 --tree[/]
    [cyan]pellucid translate --model DIR --files english.txt --out german.txt --beams 4[/]
    """

    def _load(self) -> "Generation":
        from pellucid.decode.writer import translator

        generation = super()._load()
        translator(generation.model)
        return generation
